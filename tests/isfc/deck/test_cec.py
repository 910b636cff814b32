"""What partitions share: channels of a CEC, the CECs themselves, ports of directors."""

from dataclasses import replace

import pytest

from ctc.address import Rdev
from isfc.deck.active import wire
from isfc.deck.cec import contradiction, one_channel_remarks, together, with_cecs
from isfc.deck.deck import Deck, choose_systems
from isfc.deck.iocp import parse_deck
from isfc.deck.pairing import pair_all
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.sharing import in_use, open_questions, with_notes
from isfc.layout.write import format_collection
from isfc.reports.figure import NoteKind
from isfc.testing.cluster import mesh
from scenarios.runs.notes import cluster_notes
from tests.decks import deck, shipped, unit

CROSSED = (
    unit("4010", "50", "D1", 1, count=2, more=",NOTPART=LP1"),
    unit("4020", "50", "D1", 2, count=2, more=",NOTPART=LP2"),
    unit("4110", "60", "C1", 1, count=2, more=",NOTPART=LP1"),
    unit("4120", "60", "C1", 2, count=2, more=",NOTPART=LP2"),
)


def imported(
    partitions: str, decks: list[Deck], ports: str, active: dict[str, list[int]] | None = None
) -> Collection:
    """The collection of some partitions, as the file says it."""
    pairings = pair_all(choose_systems(partitions, decks), [ports] if ports else [])
    chosen = {
        system.node: [Rdev(rdev) for rdev in active[system.node]]
        for pairing in pairings
        for system in pairing.systems
        if active and system.node in active
    }
    links = [wire(pairing, lambda _: None, chosen) for pairing in pairings]
    found = together(pairings, links)
    assert parse_collection(format_collection(found), "written").shared_channels == (
        found.shared_channels
    )
    return found


def shared(collection: Collection) -> list[list[str]]:
    return [sorted(map(str, channel)) for channel in collection.shared_channels]


def test_a_channel_of_two_partitions_is_one_channel_crossed_or_straight() -> None:
    # each fibre had channels of its own, and a link twice what they carry
    one = deck("east.iocp", "LP1,LP2", ["50,SWITCH=7", "60,SWITCH=7"], *CROSSED)
    crossed = imported("LP1,LP2", [one], "LP2:50=C1")
    assert shared(crossed) == [["LP1 50", "LP2 50"], ["LP1 60", "LP2 60"]]
    assert [(cec.name, cec.systems) for cec in crossed.cecs] == [("east", ("LP1", "LP2"))]
    assert [(fibre.directors, fibre.ports) for fibre in crossed.links[0].fibres] == [
        (("07", "07"), ("C1", "D1")),
        (("07", "07"), ("D1", "C1")),
    ]
    straight = imported("LP1,LP2", [one], "LP1:50=D1,LP1:60=C1")
    assert [fibre.chpids for fibre in straight.links[0].fibres] == [(0x50, 0x50), (0x60, 0x60)]
    assert shared(straight) == shared(crossed)


def test_a_channel_that_one_link_end_uses_is_not_shared() -> None:
    one = deck("east.iocp", "LP1,LP2", ["50", "60"], *CROSSED)
    some = imported("LP1,LP2", [one], "LP2:50=C1", {"LP1": [0x4020, 0x4021]})
    assert len(some.links[0].fibres) == 1
    assert shared(some) == []


def third(*chpids: str, links: tuple[str, str] = ("C1", "C1"), cu: str = "6010") -> Deck:
    """The deck of another machine, whose only partition has MIF image id 3."""
    (chpid,) = chpids
    return parse_deck(
        f" RESOURCE PARTITION=((LP3,3))\n CHPID PATH={chpid},TYPE=FC,SHARED\n"
        + unit(cu, chpid[:2], links[0], 1)
        + unit(f"{cu[:2]}20", chpid[:2], links[1], 2),
        "b/X.iocp",
    )


def test_each_deck_is_a_cec_whether_it_has_one_system_or_several() -> None:
    near = deck("a/x.iocp", "LP1,LP2", ["50"], unit("4010", "50", "D1", 3))
    apart = imported("LP1,LP3", [near, third("60")], "")
    assert [(cec.name, cec.systems) for cec in apart.cecs] == [("x", ("LP1",)), ("X-2", ("LP3",))]
    assert shared(apart) == []
    both = imported("LP1,LP2,LP3", [near, third("60")], "")
    assert [(cec.name, cec.systems) for cec in both.cecs] == [
        ("x", ("LP1", "LP2")),
        ("X-2", ("LP3",)),
    ]
    assert shared(both) == [["LP1 50", "LP2 50"]]


def test_all_links_of_three_partitions_share_their_channels() -> None:
    found = imported("VMA,VMB,VMC", [shipped("three-systems.iocp")], "VMA:50=01")
    assert shared(found) == [
        ["VMA 50", "VMB 50", "VMC 50"],
        ["VMA 60", "VMB 60", "VMC 60"],
    ]


def test_directors_and_ports_are_told_as_far_as_the_decks_tell_them() -> None:
    one = deck("a", "LP1", ["50,SWITCH=7"], unit("4010", "50", "D1", 1))
    far = deck("b", "LP2", ["60,SWITCH=7"], unit("5010", "60", "07C1", 1))
    assert imported("LP1,LP2", [one, far], "").links[0].fibres[0].ports == ("C1", "D1")
    other = deck("b", "LP2", ["60,SWITCH=8"], unit("5010", "60", "07C1", 1))
    (crossed,) = imported("LP1,LP2", [one, other], "").links[0].fibres
    assert (crossed.directors, crossed.ports) == (("07", "08"), ("C1", "D1"))
    unknown = deck("b", "LP2", ["60"], unit("5010", "60", "C1", 1))
    assert imported("LP1,LP2", [one, unknown], "").links[0].fibres[0].ports == ()


def test_ports_that_contradict_each_other_are_left_out() -> None:
    # SWITCH says director 8, and a link address of four digits director 7
    near = deck(
        "a",
        "LP1,LP2",
        ["50,SWITCH=8"],
        unit("4010", "50", "D1", 3, more=",PART=LP1"),
        unit("4020", "50", "07D1", 3, rdev="4080", more=",PART=LP2"),
    )
    decks = [near, third("60,SWITCH=8", links=("C1", "07C1"))]
    found = imported("LP1,LP2,LP3", decks, "")
    assert len(found.links) == 2
    assert [fibre.ports for link in found.links for fibre in link.fibres] == [(), ()]
    pairings = pair_all(choose_systems("LP1,LP2,LP3", decks), [])
    remark = contradiction(pairings, found.links) or ""
    assert remark.startswith(
        "LP1:50 is on port C1 of director 08 by one control unit, and C1 of director 07 by another"
    )
    assert "without directors and ports" in remark
    assert contradiction(pairings[:1], found.links[:1]) is None


MESH = parse_collection(mesh(3, shared=True))
"""S1, S2 and S3, each with a chpid 40."""


def noted(collection: Collection) -> list[str]:
    """What is said of one channel or two: of all links together, and of each alone."""
    links = [note for link in collection.links for note in with_notes(collection, link).notes]
    return [
        note.text
        for note in (*cluster_notes(collection), *links)
        if note.kind is NoteKind.ONE_CHANNEL
    ]


def test_what_nobody_has_said_is_asked_and_noted_on_every_figure() -> None:
    (asked,) = one_channel_remarks(MESH)
    assert "chpids of S1 and S2, S1 and S3, S2 and S3 have one number" in asked
    assert len(noted(MESH)) == 1 + len(MESH.links)


def test_of_many_places_a_note_lists_some_and_counts_the_others() -> None:
    (note,) = open_questions(parse_collection(mesh(12, shared=False)))
    assert "; and in 62 more places may be one of a CEC" in note.text
    assert len(note.text) < 500


def test_systems_of_one_cec_have_one_channel_by_one_number() -> None:
    told = with_cecs(MESH, ["EAST=S1,s2", "WEST=S3"])
    assert [list(map(str, channel)) for channel in told.shared_channels] == [["S1 40", "S2 40"]]
    (remark,) = one_channel_remarks(told)
    assert remark.startswith("chpids 40 of EAST are taken for one channel each")
    assert noted(told) == []
    again = parse_collection(format_collection(told))
    assert (again.cecs, again.shared_channels) == (told.cecs, told.shared_channels)


def test_systems_of_cecs_of_their_own_share_nothing() -> None:
    told = with_cecs(MESH, ["A=S1", "B=S2", "C=S3"])
    assert told.shared_channels == ()
    assert [*one_channel_remarks(told)] == noted(told) == []


def test_a_part_of_what_is_said_is_that_of_its_links() -> None:
    told = with_cecs(MESH, ["EAST=S1,S2"])
    apart = in_use(replace(told, links=MESH.links[-1:]))
    assert (apart.links[0].nodes, apart.shared_channels) == (("S2", "S3"), ())


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (["S1,S2"], "expected a name and its systems"),
        (["A=S1", "A=S2"], "each name once"),
        (["A=S1,S1"], "each system in one CEC, once"),
        (["A=S1,S2", "B=S2"], "each system in one CEC, once"),
        (["A=X"], "not a node of this layout"),
    ],
)
def test_what_cannot_be_is_refused(said: list[str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        with_cecs(MESH, said)
