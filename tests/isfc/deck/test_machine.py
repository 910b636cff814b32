"""What partitions share: channels of a CEC, the CECs themselves, ports of directors."""

from ctc.address import Rdev
from isfc.deck.deck import Deck
from isfc.deck.iocp import parse_deck
from isfc.deck.machine import contradictions, together
from isfc.deck.partition import choose_systems
from isfc.deck.wiring import pair_all, wire
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.write import format_collection
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
    links = [wire(pairing, lambda _: None, chosen).layout for pairing in pairings]
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
    (remark,) = contradictions(pairings, found.links)
    assert remark.startswith(
        "LP1:50 is on port C1 of director 08 by one control unit, and C1 of director 07 by another"
    )
    assert "without directors and ports" in remark
    assert not list(contradictions(pairings[:1], found.links[:1]))
