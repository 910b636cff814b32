"""Statements and decks of a layout, as a system programmer would write them."""

from dataclasses import replace
from itertools import pairwise

import pytest
from msgspec import structs

from ctc.address import ChpidId, Rdev
from isfc.deck.active import wire
from isfc.deck.cec import crossings, together
from isfc.deck.deck import DeckSystem, choose_systems
from isfc.deck.export import activation_text, export, left_out, machines, qualified
from isfc.deck.hint import check_paths, hinted_fibres, hinted_ports
from isfc.deck.iocp import parse_deck
from isfc.deck.kept import own_ports
from isfc.deck.pairing import pair_all
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.layout import Fibre, Layout
from isfc.layout.loss import losses
from isfc.layout.sharing import open_questions
from isfc.layout.write import format_collection
from isfc.link.name import NodeName
from isfc.reports.figure import NoteKind

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
    fibre = structs.replace(LAYOUT.fibres[0], name="from the first director's upper half")
    link = build(fibre)
    deck = parse_deck(deck_of(Collection((link,)), CLIENT), "a deck")
    assert [fibre.name in remark.text.replace("''", "'") for remark in deck.remarks].count(
        True
    ) == 1
    assert deck.notices == []
    assert len(deck.devices) == len(link.ctcs)


def build(fibre: Fibre) -> Layout:
    ctcs = tuple(structs.replace(ctc, fibre=fibre) for ctc in LAYOUT.ctcs[:2])
    return Layout(LAYOUT.nodes, (fibre,), ctcs)


def test_ports_of_the_layout_are_in_its_decks() -> None:
    fibre = structs.replace(LAYOUT.fibres[0], directors=("7", "7"), ports=("C1", "D1"))
    collection = Collection((build(fibre),))
    text = deck_of(collection, CLIENT)
    assert " CHPID PATH=(CSS(0),40),SHARED,SWITCH=07,TYPE=FC\n" in text
    assert "LINK=((CSS(0),D1))" in text
    named = Collection((build(structs.replace(fibre, directors=("north", "north"))),))
    assert own_ports(named) == {}
    joined = Collection((build(structs.replace(fibre, directors=("7", "A"))),))
    assert sorted(own_ports(joined).values()) == ["07C1", "0AD1"]


TWO_CECS = given_collection("two-cecs")

STRAIGHT = """
[[shared_channel]]
chpid = {{ A = "40", B = "{chpid}" }}
[[link]]
nodes = ["A", "B"]
[fibre.1]
feature = "FICON Express8S"
chpid = {{ A = "40", B = "{chpid}" }}
director = "7"
port = {{ A = "C1", B = "C1" }}
[[ctc]]
fibre = "1"
rdevs = {{ A = "6000-6003", B = "6000-6003" }}
"""

FAR = """
[[link]]
nodes = ["A", "B"]
[path.WAN]
km = 10
isl = { count = 2, gbps = 16, credits = 960 }
[fibre.1]
feature = "FICON Express8S"
path = "WAN"
chpid = { A = "40", B = "50" }
director = { A = "7", B = "8" }
port = { A = "C1", B = "D1" }
[[ctc]]
fibre = "1"
rdevs = { A = "6000-6003", B = "6000-6003" }
"""


ODD = tuple(structs.replace(cec, name=f"../{cec.name}") for cec in TWO_CECS.cecs)
PAIRS = [("ALPHA-BETA", ("ALPHA", "BETA")), ("DELTA-GAMMA", ("DELTA", "GAMMA"))]


@pytest.mark.parametrize(
    ("collection", "decks"),
    [
        (TWO_CECS, [("EAST", ("ALPHA", "BETA")), ("WEST", ("DELTA", "GAMMA"))]),
        # systems that share channels share a deck where no CEC is named
        (replace(TWO_CECS, cecs=()), PAIRS),
        (
            replace(TWO_CECS, cecs=(), shared_channels=()),
            [(str(node), (node,)) for node in TWO_CECS.systems],
        ),
        (replace(TWO_CECS, cecs=ODD), PAIRS),  # names that are not fit for files
    ],
)
def test_the_systems_of_a_cec_share_a_deck(
    collection: Collection, decks: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert [(machine.name, machine.systems) for machine in machines(collection)] == decks


def test_systems_have_decks_of_their_own_where_one_css_cannot_say_it() -> None:
    two_numbers = parse_collection(STRAIGHT.format(chpid="41"))
    assert [machine.conflict for machine in machines(two_numbers)] == [
        "the channel A 40 = B 41 has two chpids, and a channel of a CSS has one"
    ] * 2
    two_channels = replace(TWO_CECS, shared_channels=TWO_CECS.shared_channels[1:])
    assert [(machine.name, bool(machine.conflict)) for machine in machines(two_channels)] == [
        ("ALPHA", True),
        ("BETA", True),
        ("WEST", False),
    ]


def test_a_channel_that_is_both_ends_is_one_in_its_deck() -> None:
    collection = parse_collection(STRAIGHT.format(chpid="40"))
    (text,) = export(collection, "iocp").texts.values()
    deck = parse_deck(text, "deck")
    (pairing,) = pair_all(choose_systems("A,B", [deck]), ["A:40=C1"])
    assert len(pairing.ctcs) == 4
    assert {ctc.channels[0] is ctc.channels[1] for ctc in pairing.ctcs} == {True}


def test_systems_on_one_channel_share_a_control_unit_and_may_differ_in_numbers() -> None:
    links = [
        replace(
            link,
            ctcs=tuple(
                structs.replace(c, rdevs=(Rdev(c.rdevs[0] + 0x1000), c.rdevs[1])) for c in link.ctcs
            ),
        )
        if link.nodes == ("BETA", "GAMMA")
        else link
        for link in TWO_CECS.links
    ]
    collection = replace(TWO_CECS, links=tuple(links))
    texts = [*export(collection, "iocp").texts.values()]
    # ALPHA's 6200 and BETA's 7200 are on one control unit, at different unit addresses
    assert "ADDRESS=(6200,002),CUNUMBR=(6200)" in texts[0]
    assert "ADDRESS=(7200,002),CUNUMBR=(6200)" in texts[0]
    assert "UNITADD=02,STADET=Y,       *\n               PARTITION=((CSS(0),BETA))" in texts[0]
    found = pair_all(
        systems_of(texts, "ALPHA,BETA,DELTA,GAMMA"),
        [f"{node}:{chpid:02X}={port}" for (node, chpid), port in own_ports(collection).items()],
    )
    mates = {
        tuple(system.node for system in pairing.systems): {
            tuple(device.rdev for device in ctc.devices) for ctc in pairing.ctcs
        }
        for pairing in found
    }
    assert mates == {link.nodes: {ctc.rdevs for ctc in link.ctcs} for link in collection.links}


def test_what_iocp_cannot_say_is_told() -> None:
    traffic = "what runs over the links, [[traffic]]"
    assert list(left_out(TWO_CECS, own_ports(TWO_CECS))) == [traffic]
    far = parse_collection(FAR)
    assert list(left_out(far, own_ports(far))) == []
    # directors without ports were left out in silence
    (said,) = left_out(far, {})
    assert said.startswith("directors, of fibres that are cables there")


def far_decks() -> list[str]:
    return [*export(parse_collection(FAR), "iocp").texts.values()]


def systems_of(texts: list[str], partitions: str = "A,B") -> tuple[DeckSystem, ...]:
    return choose_systems(partitions, [parse_deck(text, str(n)) for n, text in enumerate(texts)])


def without_hints(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "ISFC" not in line)


def test_an_import_says_which_fibres_cross_from_director_to_director() -> None:
    systems = systems_of([*map(without_hints, far_decks())])
    pairings = pair_all(systems, [])
    links = [wire(pairing, lambda _: None, {}) for pairing in pairings]
    assert list(crossings(pairings, links)) == [
        (
            "directors 07 and 08 are both on the way from A:40 to B:50: no deck says how they are "
            "joined, and the layout has no inter-switch links there. Add [path.NAME] with km and "
            "isl, and path of these fibres; or *ISFC CHPID=40,PATH='NAME',"
            "KM=10,ISLGBPS=16,CREDITS=90 to a deck"
        )
    ]
    whole = together(pairings, links)
    assert whole.io == {}
    again = parse_collection(format_collection(whole))  # what the decks tell is in the layout
    assert {fibre.directors for fibre in again.links[0].fibres} >= {("07", "08")}
    assert {note.kind for note in open_questions(again)} >= {NoteKind.JOINED}
    assert any(
        set(loss.cut) | {name for name, *_ in loss.fewer}
        for loss in losses(again)
        if loss.name == "director 08"
    )


def test_inter_switch_links_of_a_chpid_are_those_of_its_fibres_that_leave_the_director() -> None:
    systems = systems_of(far_decks())
    ends = {
        (system.node, ChpidId(number)) for system, number in zip(systems, (0x40, 0x50), strict=True)
    }
    chpids = dict(ends)
    known = hinted_fibres(systems)(chpids)
    assert known.isl is not None
    hint = "\n*ISFC CHPID=40,PATH='ALL',KM=5,ISLGBPS=16,CREDITS=9\n"
    systems = systems_of([f"{without_hints(text)}{hint}" for text in far_decks()])
    leaves = hinted_fibres(systems)(chpids)
    stays = hinted_fibres(systems, frozenset({frozenset(ends)}))(chpids)
    assert (leaves.path, leaves.km) == ("ALL", 5)
    assert (stays.path, stays.isl, stays.km) == (None, None, None)


def test_inter_switch_links_come_back_from_the_decks_of_a_layout() -> None:
    systems = systems_of(far_decks())
    hinted = hinted_fibres(systems)
    pairings = pair_all(systems, hinted_ports(systems, []))
    links = [wire(pairing, lambda ends: hinted(ends).said(), {}) for pairing in pairings]
    check_paths(links)
    assert list(crossings(pairings, links)) == []
    again = parse_collection(format_collection(together(pairings, links)))
    numbered = FAR.replace('"7"', '"07"').replace('"8"', '"08"')
    assert replace(again, cecs=()) == parse_collection(numbered)
