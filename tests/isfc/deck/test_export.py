"""Statements and decks of a layout, as a system programmer would write them."""

from itertools import pairwise

from msgspec.structs import replace

from isfc.deck.export import activation_text, export, qualified
from isfc.deck.iocp import parse_deck
from isfc.deck.kept import own_ports
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout
from isfc.link.name import NodeName

LAYOUT = load_layout("published-12")
CLIENT, SERVER = LAYOUT.nodes
COLLECTION = Collection((LAYOUT,))


def test_statements_fit_their_cards_and_name_the_partner() -> None:
    text = activation_text(LAYOUT, CLIENT)
    assert text == (
        "ACTIVATE ISLINK 6000 6001 6002 6003 6020 6021 6022 6023 NODE SERVER\n"
        "ACTIVATE ISLINK 6040 6041 6042 6043 NODE SERVER\n"
    )
    assert qualified(CLIENT, text).splitlines()[0::3] == ["CLIENT: BEGIN", "CLIENT: END"]


def test_a_deck_without_ports_is_point_to_point() -> None:
    text = deck_of(Collection((load_layout("published-1"),)), SERVER)
    assert (
        text
        == """\
* SERVER: its CTCs to CLIENT
* isfc: no deck is kept; CSS, image ids, CUADD and all numbers are new
 RESOURCE PARTITION=((CSS(0),(SERVER,2)))
*ISFC CHPID=50,FEATURE='FICON Express2'
*ISFC CHPID=50,CABLE=CLIENT:40
 CHPID PATH=(CSS(0),50),SHARED,TYPE=FC
 CNTLUNIT CUNUMBR=6000,PATH=((CSS(0),50)),CUADD=1,UNITADD=((00,001)),  *
               UNIT=FCTC
 IODEVICE ADDRESS=(6000,001),CUNUMBR=(6000),UNITADD=00,STADET=Y,       *
               UNIT=FCTC
"""
    )


def deck_of(collection: Collection, node: NodeName, *ports: str) -> str:
    """The deck of a system that shares none."""
    (text,) = export(collection, "iocp", system=node, ports=ports).texts.values()
    return text


def test_a_deck_says_that_disks_are_not_in_it() -> None:
    text = deck_of(Collection((load_layout("published-1"),), {"io": []}), SERVER)
    assert text.splitlines()[1] == "* The disks of the layout, [[io]], are not in this deck"


def test_a_fibre_whose_ports_are_told_has_links() -> None:
    text = deck_of(COLLECTION, CLIENT, "CLIENT:40=C1,SERVER:50=D1")
    assert text.count("LINK=") == 1
    assert "LINK=((CSS(0),D1))," in text
    assert "*ISFC CHPID=40,PORT=C1\n" in text


def test_statements_go_on_in_column_16_and_no_card_is_too_long() -> None:
    cards = deck_of(COLLECTION, CLIENT).splitlines()
    assert max(map(len, cards)) == 72
    for before, card in pairwise(cards):
        assert (len(before) == 72) == card.startswith(" " * 15)


def test_a_comment_that_reaches_column_72_does_not_continue_on_the_card_behind_it() -> None:
    fibre = replace(LAYOUT.fibres[0], name="from the first director's upper half")
    link = build(fibre)
    deck = parse_deck(deck_of(Collection((link,)), CLIENT), "a deck")
    assert [fibre.name in remark.text.replace("''", "'") for remark in deck.remarks].count(
        True
    ) == 1
    assert deck.notices == []
    assert len(deck.devices) == len(link.ctcs)


def build(fibre: Fibre) -> Layout:
    ctcs = tuple(replace(ctc, fibre=fibre) for ctc in LAYOUT.ctcs[:2])
    return Layout(LAYOUT.nodes, (fibre,), ctcs)


def test_ports_of_the_layout_are_in_its_decks() -> None:
    fibre = replace(LAYOUT.fibres[0], directors=("7", "7"), ports=("C1", "D1"))
    collection = Collection((build(fibre),))
    text = deck_of(collection, CLIENT)
    assert " CHPID PATH=(CSS(0),40),SHARED,SWITCH=07,TYPE=FC\n" in text
    assert "LINK=((CSS(0),D1))" in text
    named = Collection((build(replace(fibre, directors=("north", "north"))),))
    assert own_ports(named) == {}
    joined = Collection((build(replace(fibre, directors=("7", "A"))),))
    assert sorted(own_ports(joined).values()) == ["07C1", "0AD1"]
