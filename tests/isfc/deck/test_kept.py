"""The text of decks in a layout file: any text, and of a long deck what is of CTCs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from isfc.deck.cabling import Cabling
from isfc.deck.export import bare_deck, machines
from isfc.deck.iocp import parse_deck
from isfc.deck.kept import CARDS_LENGTH_MAX, keep_decks, too_long
from isfc.deck.partition import choose_systems
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_collection
from isfc.layout.checked_toml import SourceKind, source_kind
from isfc.layout.file import parse_collection
from isfc.layout.parts import KeptDeck
from isfc.layout.write import format_collection
from isfc.link.name import NodeName
from tests.decks import DECKS

LAYOUT = load_collection("published-1")
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
        (
            'systems = { CLIENT = "A" }\ncards = ""\n[deck.B]\nsystems = { CLIENT = "B" }',
            "[deck.B] systems: CLIENT is already in [deck.A]",
        ),
    ],
)
def test_a_deck_of_no_system_is_refused(table: str, what: str) -> None:
    text = f'{format_collection(LAYOUT)}\n[deck.A]\n{table}\ncards = ""\n'
    with pytest.raises(ConfigurationError) as error:
        parse_collection(text)
    assert what in str(error.value)
