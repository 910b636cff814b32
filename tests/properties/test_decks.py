"""Whatever is pasted: a configuration or an error with its place, in bounded time."""

import re
from collections.abc import Callable
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from isfc.deck.activation import parse_activations
from isfc.deck.cabling import Cabling
from isfc.deck.iocp import parse_deck
from isfc.deck.islink import parse_log
from isfc.deck.pairing import pair
from isfc.deck.partition import choose_systems
from isfc.deck.wiring import wire
from isfc.errors import ConfigurationError
from tests.decks import DECKS, LOGS

GOOD = [path.read_text("utf-8") for path in sorted(DECKS.glob("*.iocp"))]
PLACE = re.compile(r"fuzz:[1-9]\d*:[1-9]\d*: \S.*; expected \S")

fragments = st.sampled_from(
    [
        *" RESOURCE, CHPID, CNTLUNIT, IODEVICE, ID,* ,CSS(0),CSS(,LP1,50,C1,(=),=,(,),','',X".split(
            ","
        ),
        *"PARTITION=;NOTPART=;PATH=;LINK=;CUADD=;CUNUMBR=;UNITADD=;ADDRESS=;UNIT=FCTC".split(";"),
        *"(4010,8);((00,8));,;  ".split(";"),
        "\n",
        "\t",
        "\r\n",
        "\n" + " " * 15,
        " " * 56 + "*\n",
    ]
)


@st.composite
def damaged(draw: st.DrawFn, texts: list[str]) -> str:
    """A good text with a few places cut out or overwritten."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 100)))
        text = text[:start] + draw(st.text(max_size=5) | fragments) + text[end:]
    return text


def complaint_of_deck(text: str) -> str | None:
    """What is said of a deck; whatever can be read of it is paired too."""
    try:
        deck = parse_deck(text, "fuzz")
    except ConfigurationError as error:
        return str(error)
    nodes = [name for name in deck.partitions if re.fullmatch("[A-Z0-9$#@_]{1,8}", name)]
    with suppress(ConfigurationError):
        first, second = choose_systems(",".join(nodes[:2]), [deck])
        wire(pair(first, second, Cabling()), lambda _: None, {})
    return None


def check(text: str, complaint: Callable[[str], str | None] = complaint_of_deck) -> None:
    said = complaint(text)
    assert said is None or (PLACE.match(said) and said.isprintable()), said


@given(st.text(max_size=400))
def test_any_text_is_a_deck_or_an_error(text: str) -> None:
    check(text)


@given(st.lists(fragments, max_size=60).map("".join))
def test_any_fragments_are_a_deck_or_an_error(text: str) -> None:
    check(text)


@given(damaged(GOOD))
def test_a_damaged_deck_is_a_deck_or_an_error(text: str) -> None:
    check(text)


def complaint_of_log(text: str) -> str | None:
    """What is said of a console's log."""
    try:
        parse_log(text, "fuzz")
    except ConfigurationError as error:
        return str(error)
    return None


def complaint_of_configuration(text: str) -> str | None:
    """What is said of a file with ACTIVATE ISLINK in it."""
    try:
        parse_activations(text, "fuzz")
    except ConfigurationError as error:
        return str(error)
    return None


log_fragments = st.sampled_from(
    [
        *"Link device:;Remote link device:;Node:;Type:;Path ; online to devices ;40;6000".split(
            ";"
        ),
        *"CHPIDs to Device ; (PIM)  : ;FCTC;BOSTON; ;\n;\r\n;,;6000-;ACTIVATE;DEACTIVE".split(";"),
        *" ISLINK ;NODE ;/*;*/;BEGIN;END;BOSTON: ;ALL;BUFFERS".split(";"),
    ]
)


@given(st.one_of(st.text(max_size=400), st.lists(log_fragments, max_size=60).map("".join)))
def test_any_text_is_a_log_or_an_error(text: str) -> None:
    check(text, complaint_of_log)


@given(damaged([path.read_text("utf-8") for path in sorted(LOGS.glob("*.txt"))]))
def test_a_damaged_log_is_a_log_or_an_error(text: str) -> None:
    check(text, complaint_of_log)


@given(st.one_of(st.text(max_size=400), st.lists(log_fragments, max_size=60).map("".join)))
def test_any_text_is_a_configuration_or_an_error(text: str) -> None:
    check(text, complaint_of_configuration)
