"""The text of decks in a layout file: any text, and of a long deck what is of CTCs."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

import isfc
from isfc.cli.main import run
from isfc.deck.cabling import Cabling
from isfc.deck.deck import choose_systems
from isfc.deck.export import bare_deck, machines
from isfc.deck.iocp import parse_deck
from isfc.deck.kept import CARDS_LENGTH_MAX, keep_decks, too_long
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import given_collection
from isfc.layout.file import parse_collection
from isfc.layout.parts import KeptDeck
from isfc.layout.source_kind import SourceKind, source_kind
from isfc.layout.write import format_collection
from isfc.link.name import NodeName
from tests.decks import DECKS

LAYOUT = given_collection("published-1")
CLIENT = NodeName("CLIENT")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=60))
def test_any_text_of_a_deck_is_read_as_it_was_written(cards: str) -> None:
    deck = KeptDeck("A", {CLIENT: "LP1"}, ("CLIENT:40=C1",), cards)
    text = format_collection(replace(LAYOUT, decks=(deck,)))
    assert parse_collection(text).decks == (deck,)


def test_a_layout_with_a_deck_is_a_layout() -> None:
    deck = bare_deck(LAYOUT, machines(LAYOUT)[0])
    assert source_kind(format_collection(replace(LAYOUT, decks=(deck,)))) is SourceKind.LAYOUT


def test_of_a_long_deck_what_is_of_ctcs_is_kept() -> None:
    disks = (
        " CNTLUNIT CUNUMBR=8000,PATH=((CSS(0),80)),UNITADD=((00,256)),UNIT=2107\n"
        " IODEVICE ADDRESS=(8000,192),CUNUMBR=(8000),STADET=Y,UNIT=3390B\n"
    )
    ctcs = (DECKS / "crowded.iocp").read_text()
    text = (
        ctcs
        + disks
        + "".join(
            f" IODEVICE ADDRESS=({n:04X},1),CUNUMBR=(8000),UNIT=3390A\n" for n in range(20_000)
        )
    )
    systems = choose_systems("VMA,VMB", [parse_deck(text, "crowded.iocp")])
    (deck,) = keep_decks(LAYOUT, systems, Cabling())
    first, _, rest = deck.cards.partition("\n")
    assert first.startswith("* isfc: part of a deck: ")
    assert rest == ctcs
    assert too_long([deck]) is None
    assert too_long([structs.replace(deck, cards="*\n" * CARDS_LENGTH_MAX)]) is not None
    assert too_long([structs.replace(deck, cards="*" * 161)]) is not None


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ('systems = { DENVER = "A" }', "[deck.A] systems: DENVER has no link"),
        ("systems = { }", "[deck.A] systems: names no system"),
        ('systems = { CLIENT = "A" }\ncards = ""\n[deck.B]\nsystems = { CLIENT = "B" }',
         "[deck.B] systems: CLIENT is already in [deck.A]"),
    ],
)  # fmt: skip
def test_a_deck_of_no_system_is_refused(table: str, what: str) -> None:
    text = f'{format_collection(LAYOUT)}\n[deck.A]\n{table}\ncards = ""\n'
    with pytest.raises(ConfigurationError) as error:
        parse_collection(text)
    assert what in str(error.value)


def imported(deck: str, partitions: str, *ports: str) -> str:
    """The file of a deck's layout."""
    found = isfc.import_iocp([DECKS / deck], partitions=partitions, ports=ports)
    return format_collection(found.collection)


def test_both_ends_stand_around_the_unit_address_that_they_share() -> None:
    found = isfc.connections(imported("three-systems.iocp", "VMA,VMB,VMC", "VMA:50=01"))
    assert {(each.ctcs, each.fibres) for each in found.matrix} == {(8, 2)}
    first = found.connections[0]
    near, far = first.ends
    assert near is not None
    assert far is not None
    assert (near.control_unit, near.rdev) == ("5020", "5020")
    assert (far.control_unit, far.rdev) == ("6010", "6010")
    assert (first.unit_address, first.count, first.in_link) == ("00", 4, True)
    assert len(found.connections) == 6


def test_gaps_and_what_is_defined_only_are_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, path = imported("mistakes.iocp", "CHICAGO,DENVER"), tmp_path / "layout.toml"
    assert "7010-7013" in text
    path.write_text(text.replace("7010-7013", "7010-7011").replace("7210-7213", "7210-7211"))
    rows = isfc.connections(path).connections
    near = [each.ends[0] for each in rows if each.ends[0]]
    found = [
        (end.rdev, row.count, row.in_link, row.gap) for end, row in zip(near, rows, strict=True)
    ]
    assert found[:3] == [
        ("7010", 2, True, None),
        ("7012", 2, False, None),
        ("7014", 1, False, "unit-addresses-differ"),
    ]
    assert [row.ends[1] for row in rows[2:]] == [None] * 7
    assert run(["show", str(path), "--connections"]) == 0
    page = capsys.readouterr().out
    assert re.search(r"^Not in link +2 CTCs that only the kept decks have$", page, re.MULTILINE)
    assert re.search(r"^Gaps +19 devices without a mate$", page, re.MULTILINE)
    assert page.count(" gap\n") == 7
    assert page.count(" not in link\n") == 1


def test_a_layout_without_decks_has_no_control_units(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "two-cecs", "--link", "ALPHA-BETA", "--connections"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^CTCs +8 in 1 link$", out, re.MULTILINE)
    assert re.search(r"^ALPHA +8/4", out, re.MULTILINE)
    assert re.search(r"^ALPHA +42 +6120 +2 +6020 +43 +BETA$", out, re.MULTILINE)
