"""Whatever is pasted: a configuration or an error with its place, in bounded time."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from isfc.deck.activation import parse_activations
from isfc.deck.active import choose_from, wire
from isfc.deck.cabling import Cabling, parse_ports
from isfc.deck.console import parse_log
from isfc.deck.console_links import parse_chpids
from isfc.deck.deck import CuPath, Deck, choose_systems
from isfc.deck.export import activation_text, export, qualified
from isfc.deck.hint import hinted_fibres, hinted_ports, read_hints
from isfc.deck.iocp import parse_deck
from isfc.deck.pairing import pair
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.testing.strategies import layouts
from tests.decks import DECKS, LOGS

GOOD = [path.read_text("utf-8") for path in sorted(DECKS.glob("*.iocp"))]
PLACE = re.compile(r"fuzz:[1-9]\d*:[1-9]\d*: \S.*; expected \S|fuzz: is \S.*[:;] ")

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


def check(read: Callable[[], object]) -> None:
    """What is wrong with a text is said, and where."""
    try:
        read()
    except ConfigurationError as error:
        said = str(error)
    else:
        return
    assert PLACE.match(said), said
    assert said.isprintable(), said


def check_deck(text: str) -> None:
    """Whatever can be read of a deck is paired too."""
    check(partial(parse_deck, text, "fuzz"))
    with suppress(ConfigurationError):
        deck = parse_deck(text, "fuzz")
        first, second = choose_systems(",".join([*deck.partitions][:2]), [deck])
        wire(pair(first, second, Cabling()), lambda _: None, {})


def any_text(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Any text, or one of such parts."""
    return st.one_of(st.text(max_size=400), st.lists(parts, max_size=60).map("".join))


@given(any_text(fragments))
def test_any_text_is_a_deck_or_an_error(text: str) -> None:
    check_deck(text)


@given(damaged(GOOD))
def test_a_damaged_deck_is_a_deck_or_an_error(text: str) -> None:
    check_deck(text)


log_fragments = st.sampled_from(
    [
        *"Link device:;Remote link device:;Node:;Type:;Path ; online to devices ;40;6000".split(
            ";"
        ),
        *"CHPIDs to Device ; (PIM)  : ;FCTC;BOSTON; ;\n;\r\n;,;6000-;ACTIVATE;DEACTIVE".split(";"),
        *" ISLINK ;NODE ;/*;*/;BEGIN;END;BOSTON: ;ALL;BUFFERS".split(";"),
    ]
)


@given(any_text(log_fragments))
def test_any_text_is_a_log_and_a_configuration_or_an_error(text: str) -> None:
    check(partial(parse_log, text, "fuzz"))
    check(partial(parse_activations, text, "fuzz"))


@given(damaged([path.read_text("utf-8") for path in sorted(LOGS.glob("*.txt"))]))
def test_a_damaged_log_is_a_log_or_an_error(text: str) -> None:
    check(partial(parse_log, text, "fuzz"))


@given(layouts())
def test_an_exported_deck_is_imported_as_the_same_link(layout: Layout) -> None:
    assert imported(exported(layout), layout) == canonical(layout)


@given(layouts())
def test_so_is_one_with_director_ports(layout: Layout) -> None:
    decks = exported(
        layout,
        *(
            f"{node}:{fibre.chpid_names[end]}={letter}{n}"
            for end, (node, letter) in enumerate(zip(layout.nodes, "CD", strict=True))
            for n, fibre in enumerate(layout.fibres)
        ),
    )
    assert all(path.link for deck in decks for path in paths(deck))
    assert imported(decks, layout) == canonical(layout)


@given(layouts(), st.data())
def test_exported_statements_choose_the_same_devices(layout: Layout, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(layout.ctcs), min_size=1, unique=True))
    part = Layout(
        layout.nodes, tuple(f for f in layout.fibres if any(c.fibre == f for c in chosen)),
        tuple(ctc for ctc in layout.ctcs if ctc in chosen),
    )  # fmt: skip
    text = "".join(qualified(node, activation_text(part, node)) for node in part.nodes)
    statements = parse_activations(text, "exported")
    found, remarks = choose_from(Collection((layout,)), statements)
    assert (Collection(found.links), remarks) == (Collection((part,)), ())
    assert max(map(len, text.splitlines())) <= 72


def exported(layout: Layout, *ports: str) -> list[Deck]:
    texts = export(Collection((layout,)), "iocp", ports=ports).texts
    return [parse_deck(text, file) for file, text in texts.items()]


def paths(deck: Deck) -> list[CuPath]:
    return [path for unit in deck.control_units.values() for path in unit.paths[0]]


def imported(decks: list[Deck], layout: Layout) -> Layout:
    """What is made of decks with no option but the partitions."""
    systems = choose_systems(",".join(layout.nodes), decks)
    hinted = hinted_fibres(systems)
    pairing = pair(systems[0], systems[1], parse_ports(hinted_ports(systems, []), systems))
    assert not pairing.unpaired
    return canonical(wire(pairing, lambda ends: hinted(ends).said(), {}))


def canonical(layout: Layout) -> Layout:
    """The layout with fibres and CTCs in one order; theirs in the file means nothing."""
    fibres = sorted(layout.fibres, key=lambda fibre: fibre.name)
    return Layout(layout.nodes, tuple(fibres), layout.device_list())


option_fragments = st.sampled_from(
    ["LP1", "LP2", "ALPHA", "BETA", ":", "=", ",", "53", "63", "5G", "C1", "61C3", " ", "1", "-"]
)
options = st.one_of(st.text(max_size=40), st.lists(option_fragments, max_size=12).map("".join))


@given(options, options, options)
def test_any_option_is_taken_or_refused(partitions: str, ports: str, chpids: str) -> None:
    deck = parse_deck((DECKS / "cross-css.iocp").read_text("utf-8"), "deck")
    for read in (
        lambda: choose_systems(partitions, [deck, deck]),
        lambda: parse_ports([ports], choose_systems("ALPHA,BETA", [deck])),
        lambda: parse_chpids([chpids], NodeName("ALPHA")),
    ):
        try:
            read()
        except ConfigurationError as error:
            said = str(error)
        else:
            said = ""
        assert said.isprintable()


hint_fragments = st.sampled_from(
    [*"CHPID= FEATURE= GBPS= PORT= CABLE= FIBRE= 40 C1 BOSTON:50 'x' ' , = ( 8 0 nan".split(), " "]
)


@given(st.one_of(st.text(max_size=60), st.lists(hint_fragments, max_size=10).map("".join)))
def test_any_hint_is_taken_or_refused(text: str) -> None:
    line = text.replace("\n", " ")
    check(lambda: read_hints(parse_deck(f"*ISFC {line}", "fuzz").remarks))
