"""What programs lay around a text that people paste never changes what is read of it.

Each layer around the text of each reader gives what the plain text gives, or it is refused and
the refusal names the layer.
"""

import re
from collections.abc import Callable
from itertools import count
from typing import Any, Final

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from isfc.deck.imported import NamedText
from isfc.deck.importing import import_iocp
from isfc.deck.iocp import parse_deck
from isfc.deck.place import decode
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import Decks, read_sources
from isfc.layout.checked_toml import in_utf8
from isfc.layout.layers import plain
from isfc.layout.source_kind import SourceKind, source_kind
from tests.decks import DECKS
from tests.properties.test_mutated_decks import TEXTS
from tests.properties.test_mutated_readers import (
    CONFIG,
    CONSOLES,
    PAGES,
    REPORTS,
    Rows,
    of_configuration,
    of_console,
    of_pages,
    of_report,
)

Layer = Callable[[str], str | bytes]


def each(form: str) -> Layer:
    """A layer around each line, with ``{}`` for the line and ``{n}`` for its number."""

    def around_each(text: str) -> str:
        lines = enumerate(text.rstrip("\n").split("\n"), start=1)
        return "".join(f"{form.format(line, n=n, n100=n * 100).rstrip()}\n" for n, line in lines)

    return around_each


def sequenced(text: str) -> str:
    """With numbers in columns 73 to 80, or behind the longest line."""
    lines = text.split("\n")
    width = max(72, *(len(line) + (len(line) > 72) for line in lines))
    return "\n".join(f"{line:<{width}}{n:08d}" for n, line in zip(count(100, 100), lines))


def around(above: str, below: str) -> Layer:
    return lambda text: above + text.rstrip("\n") + "\n" + below


def blanks(blank: str) -> Layer:
    return lambda text: text.replace(" ", blank)


def unexpanded(text: str) -> str:
    """With tabs for blanks up to columns that are multiples of eight."""
    return "\n".join(
        "".join(
            re.sub(" {2,}$", "\t", line[at : at + 8]) if len(line) > at + 8 else line[at : at + 8]
            for at in range(0, len(line), 8)
        )
        for line in text.split("\n")
    )


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


LAYERS: Final[dict[str, Layer]] = {
    "quoted": each("> {}"),
    "quoted without a blank": each(">{}"),
    "quoted twice": each("> > {}"),
    "quoted twice, close": each(">> {}"),
    "barred": each("| {}"),
    "barred without a blank": each("|{}"),
    "a cell of a table": each("| {} |"),
    "fenced": around("```\n", "```\n"),
    "fenced with a language": around("```text\n", "```\n"),
    "fenced by tildes": around("~~~\n", "~~~\n"),
    "fenced and quoted": lambda text: each("> {}")(str(around("```\n", "```\n")(text))),
    "fenced below a sentence": around("Hello, this is what it shows:\n\n```\n", "```\nRegards\n"),
    "fenced without an end": around("```\n", ""),
    "noformat": around("{noformat}\n", "{noformat}\n"),
    "bracketed code": around("[code]\n", "[/code]\n"),
    "preformatted": around("<pre>\n", "</pre>\n"),
    "preformatted, close": around("<pre><code>", "</code></pre>\n"),
    "hard blanks": blanks("\xa0"),
    "narrow blanks": blanks("\u202f"),
    "figure blanks": blanks("\u2007"),
    "wide blanks": blanks("\u3000"),
    "hard blanks before others": lambda text: text.replace("  ", "\xa0 "),
    "no width": lambda text: text.replace(" ", "\u200b ", 40),
    "tabs": unexpanded,
    "ISPF numbers": each("{n100:06d} {}"),
    "eight digits": each("{n100:08d} {}"),
    "numbers and a colon": each("{n}: {}"),
    "numbers and a colon, close": each("{n}:{}"),
    "numbers and a bar": each("{n:3d} | {}"),
    "numbers and a tab": each("{n:6d}\t{}"),
    "numbers alone": each("{n:4d} {}"),
    "numbers in brackets": each("[{n}] {}"),
    "sequence numbers": sequenced,
    "numbers behind": each("{} {n100:08d}"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 as Windows writes": lambda text: (
        b"\xff\xfe" + text.replace("\n", "\r\n").encode("utf-16-le")
    ),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "UTF-16 of the other order": lambda text: text.encode("utf-16-be"),
    "UTF-16 of the other order, marked": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "a mark of UTF-8": lambda text: text.encode("utf-8-sig"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "CRCRLF": lambda text: text.replace("\n", "\r\r\n"),
    "entities": escaped,
    "entities for blanks": lambda text: escaped(text).replace(" ", "&nbsp;"),
    "entities by number": lambda text: text.replace(" ", "&#160;").replace("=", "&#61;"),
    "breaks": each("{}<br>"),
    "bold lines": each("**{}**"),
    "lines between underscores": each("__{}__"),
    "lines in code": each("`{}`"),
    "lines in quotes": each('"{}"'),
    "a bold word": lambda text: re.sub(r"(?m)^( ?)((?!\d+ CTCA)\w\w+)(?= )", r"\1**\2**", text),
    "a word between underscores": lambda text: re.sub(r"(?m)^( ?)(\w\w+)(?= )", r"\1__\2__", text),
    "dashes": each("- {}"),
    "indented": each("    {}"),
    "blanks behind": each("{}  "),
    "a form feed": lambda text: "\f" + text,
    "a mark of the end": lambda text: text + "\x1a",
}


def of_deck(text: str) -> Rows:
    """The CTCs of a deck, and what is not paired."""
    return _of_decks(text, "ALPHA,BETA", ())


def of_listing(text: str) -> Rows:
    return _of_decks(text, "EAST,WEST", ("EAST:20=A0,EAST:21=A1,EAST:22=A2",))


def _of_decks(text: str, partitions: str, ports: tuple[str, ...]) -> Rows:
    found = import_iocp([NamedText(text, "text")], partitions=partitions, ports=ports)
    ctcs = [(ctc.chpids, ctc.rdevs) for link in found.links for ctc in link.ctcs]
    return frozenset([*ctcs, *((u.node, u.device.rdev, u.reason) for u in found.unpaired)])


READERS: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "deck": (TEXTS["cross-css.iocp"], of_deck),
    "listing": (TEXTS["one-cec.listing"], of_listing),
    "console": (CONSOLES["atlanta"], of_console),
    "configuration": (CONFIG, of_configuration),
    "RMF": (REPORTS["channel-path-activity"], of_report),
    "FCX108": (PAGES["FCX108"], of_pages),
}

CAUSES: Final = re.compile(
    r"quotation|code fence|numbers of lines|bold mark|signs? of|without marks"
)
CELLS: Final = [(layer, reader) for layer in LAYERS for reader in READERS]


def text_of(data: str | bytes) -> str:
    """As files are read: decks and consoles by `decode`, pages and reports by `in_utf8`."""
    if isinstance(data, str):
        return data
    text = decode(data, "file")
    assert in_utf8(data).decode("utf-8-sig") == text
    return text


@pytest.mark.parametrize(("layer", "reader"), CELLS)
def test_a_layer_is_undone_or_named(layer: str, reader: str) -> None:
    text, read = READERS[reader]
    found, said = of_either(read, text_of(LAYERS[layer](text)))
    assert found == read(text) or CAUSES.search(said), said


def test_the_table_has_more_than_forty_layers_of_six_readers() -> None:
    assert len(CELLS) == len(LAYERS) * 6 > 40 * 6


def of_either(read: Callable[[Any], Any], text: str | bytes) -> tuple[Any, str]:
    """What is read of a text, or with what words it is refused."""
    try:
        return read(text), ""
    except ConfigurationError as error:
        return None, str(error)


@st.composite
def variants(draw: st.DrawFn, text: str) -> tuple[str, str]:
    """A text with up to three layers, maybe with lines that lack the last one; and what was done.

    What is put in front and behind is drawn as well: signs, numbers that begin anywhere, blanks.
    """
    done: list[str] = draw(st.lists(st.sampled_from([*LAYERS, "drawn"]), min_size=1, max_size=3))
    for name in done:
        before = text.split("\n")
        layer = draw(drawn_layers()) if name == "drawn" else LAYERS[name]
        found, said = of_either(text_of, layer(text))
        assume(not said)  # narrow blanks in UTF-16 without a mark are refused as binary
        text = found
    after = text.split("\n")
    if len(after) == len(before) and draw(st.booleans()):
        for at in draw(st.lists(st.integers(0, len(after) - 1), max_size=3)):
            after[at] = before[at]
        done = [*done, "not all lines"]
    return "\n".join(after), ", ".join(done)


@st.composite
def drawn_layers(draw: st.DrawFn) -> Layer:
    sign = draw(st.sampled_from([*">|-+:%~=", ">>", "> >", "\u203a", ""]))
    blank = " " * draw(st.integers(0, 3))
    begin, step = draw(st.integers(0, 2000)), draw(st.sampled_from([1, 5, 10, 100]))
    number = draw(st.sampled_from(["", "{n}", "{n:3d}", "{n:04d}", "{n:06d}", "{n:08d}"]))
    behind = draw(st.sampled_from(["", " ", "|", " |", "\\", "<br>", "  "]))
    mark = draw(st.sampled_from(["", ":", ")", ".", "|", " ", "\t"]))

    def layer(text: str) -> str:
        numbers = count(begin, step)
        return "\n".join(
            f"{sign}{number.format(n=next(numbers))}{mark}{blank}{line}{behind}"
            for line in text.split("\n")
        )

    return layer


@pytest.mark.parametrize("examples", [30, pytest.param(500, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("reader", READERS)
def test_variants_of_layers_never_change_what_is_read_silently(reader: str, examples: int) -> None:
    text, read = READERS[reader]
    intact = read(text)

    @settings(max_examples=examples)
    @given(variants(text))
    def reads_the_same(variant: tuple[str, str]) -> None:
        found, said = of_either(read, variant[0])
        event(f"{variant[1]}: {'refused' if said else 'the same'}")
        if reader == "configuration" and found:  # statements of systems that are not in the layout
            said = said or " ".join({*found[1]} - {*intact[1]})
        if reader == "FCX108" and not found:  # a file without a page is refused where it is read
            said = "no page"
        assert found == intact or said, variant[1]

    reads_the_same()


@pytest.mark.parametrize("layer", LAYERS)
def test_a_message_has_line_and_column_of_the_file(layer: str) -> None:
    text = "* A DECK\n RESOURCE PARTITION=((CSS(0),(VMA,1)))\n CHPID PATH=(CSS(0),62),TYPE=QQ9Q,(\n"
    given = LAYERS[layer](text)
    shown = decode(given if isinstance(given, bytes) else given.encode(), "deck")
    _, said = of_either(lambda text: parse_deck(text, "deck"), text_of(given))
    place = re.match(r"deck:(\d+):(\d+)", said)
    assert place is not None, said
    line = re.split(r"\r+\n|\n|\r", shown)[int(place[1]) - 1]
    assert line[int(place[2]) - 1 :].startswith("(") or "bold mark" in said, (said, line)


@pytest.mark.parametrize("name", sorted(path.name for path in DECKS.iterdir()))
def test_a_plain_deck_stays_as_it_is(name: str) -> None:
    text = (DECKS / name).read_text("utf-8")
    found = plain(text, cards=True)
    assert (found.text, found.layers, {*found.cut}) == (text, [], {0})


@pytest.mark.parametrize(
    "text",
    [
        "".join(
            f"{chpid:02X} FC_S 18 16G Y 0.1 2.1 3.1 0.1 1.2 0.2 1.3 300.0 0.1 0.0 20.0 1.6 0.0\n"
            for chpid in range(1, 9)
        ),
        "".join(f"{rdev:04d} CTCA 1 2.5 .1 .2 .3 .4 .5 .6 .7\n" for rdev in range(100, 105)),
        "> one\n- two\nthree\n",
        "10:11:12 A\n11:12:13 B\n12:13:14 C\n",
        "* A\n* B\n* C\n",
        "1 a\n2 b\n",
        "100.5 a\n101.5 b\n102.5 c\n",
    ],
)
def test_what_only_looks_like_a_layer_stays(text: str) -> None:
    assert plain(text, cards=True).text == text


def test_a_statement_outside_of_a_fence_or_behind_a_bold_mark_is_refused() -> None:
    card = " CHPID PATH=(CSS(0),62),TYPE=FC\n"
    for text, said in (
        (f"{card}```\n{card}```\n", "deck:1:1: CHPID is outside of the code fence"),
        (f"{card}**CHPID PATH=(CSS(0),63)**\n", "deck:2:1: CHPID is a comment"),
        (f"{card}000200 CHPID PATH=(CSS(0),63)\n", "deck:2:1: '000200' is no name"),
        (f"On Monday you wrote:\n>{card}>{card}", r"; lines 2-3 begin with '>': a quotation"),
        (f">{card}FC\n>{card}", "a quotation that was wrapped: join line 2 to the line before"),
    ):
        assert said in of_either(lambda text: parse_deck(text, "deck"), text)[1]


def test_a_deck_that_is_quoted_or_in_utf_16_is_known_for_a_deck() -> None:
    text = each("> {}")(TEXTS["cross-css.iocp"])
    assert source_kind(text_of(text)) is SourceKind.DECK
    assert read_sources(Decks((text_of(text),))).kind is SourceKind.DECK
