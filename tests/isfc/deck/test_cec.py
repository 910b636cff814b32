"""What partitions share: channels of a CEC, the CECs themselves, ports of directors."""

from dataclasses import replace
from itertools import chain
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import Rdev
from isfc.deck.active import wire
from isfc.deck.amend import amended
from isfc.deck.cec import contradiction, one_channel_remarks, together, with_cecs
from isfc.deck.deck import Deck, choose_systems
from isfc.deck.importing import import_iocp
from isfc.deck.iocp import parse_deck
from isfc.deck.listing import read_deck
from isfc.deck.pairing import pair_all
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.processors import Processors
from isfc.layout.sharing import in_use, open_questions, others_on, with_notes
from isfc.layout.write import format_collection
from isfc.reports.figure import NoteKind
from scenarios.runs.notes import cluster_notes
from tests.decks import DECKS, drawn, mesh_decks, shipped, unit
from tests.layouts import mesh

ONE: Final = drawn(
    "east.iocp LP1,LP2 50,SWITCH=7 60,SWITCH=7 "
    "| 4010 50 D1 1 count=2 NOTPART=LP1 | 4020 50 D1 2 count=2 NOTPART=LP2 "
    "| 4110 60 C1 1 count=2 NOTPART=LP1 | 4120 60 C1 2 count=2 NOTPART=LP2"
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


@pytest.mark.parametrize(
    ("card", "machine"),
    [
        ("ID    MSG1='IODF',SYSTEM=(9175,1),LSYSTEM=CPC1", Processors("z17 ME1")),
        ("ID    SYSTEM=(2094,1)", None),
        ("*ID   SYSTEM=(9175,1)", None),
    ],
    ids=["z17", "not known", "a comment"],
)
def test_system_of_a_deck_is_the_machine_of_its_partitions(
    card: str, machine: Processors | None
) -> None:
    deck = f"{card}\n{(DECKS / 'cross-css.iocp').read_text('utf-8')}"
    found = import_iocp([deck], partitions="ALPHA,BETA")
    written = parse_collection(format_collection(found.collection))
    for each in (found.collection, written):
        assert [cec.machine for cec in each.cecs] == [machine]
        assert {*each.links[0].machines} == {machine}


def test_a_machine_that_is_not_known_or_another_than_the_decks_is_said() -> None:
    text = f"ID    SYSTEM=(2094,1)\n{(DECKS / 'cross-css.iocp').read_text('utf-8')}"
    noted = [(note.place.line, note.text) for note in read_deck(text, "deck").notices]
    assert (1, "SYSTEM=2094 is no machine that is known") in noted
    found = import_iocp([text.replace("2094", "3931")], partitions="ALPHA,BETA").collection
    assert not [text for text in amended(found, {})[1] if "SYSTEM" in text]
    on = (None, Processors("z17 ME1"))
    z17 = replace(found, links=tuple(replace(link, machines=on) for link in found.links))
    (remark,) = (text for text in amended(z17, {})[1] if "SYSTEM" in text)
    assert remark == "BETA: SYSTEM of its deck stays z16 A01; here it is z17 ME1"


def test_a_channel_of_two_partitions_is_one_channel_crossed_or_straight() -> None:
    # each fibre had channels of its own, and a link twice what they carry
    crossed = imported("LP1,LP2", [ONE], "LP2:50=C1")
    assert shared(crossed) == [["LP1 50", "LP2 50"], ["LP1 60", "LP2 60"]]
    assert [(cec.name, cec.systems) for cec in crossed.cecs] == [("east", ("LP1", "LP2"))]
    assert [(fibre.directors, fibre.ports) for fibre in crossed.links[0].fibres] == [
        (("07", "07"), ("C1", "D1")),
        (("07", "07"), ("D1", "C1")),
    ]
    straight = imported("LP1,LP2", [ONE], "LP1:50=D1,LP1:60=C1")
    assert [fibre.chpids for fibre in straight.links[0].fibres] == [(0x50, 0x50), (0x60, 0x60)]
    assert shared(straight) == shared(crossed)


def test_a_channel_that_one_link_end_uses_is_not_shared() -> None:
    some = imported("LP1,LP2", [ONE], "LP2:50=C1", {"LP1": [0x4020, 0x4021]})
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
    near = drawn("a/x.iocp LP1,LP2 50 | 4010 50 D1 3")
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
    assert shared(found) == [["VMA 50", "VMB 50", "VMC 50"], ["VMA 60", "VMB 60", "VMC 60"]]


def test_directors_and_ports_are_told_as_far_as_the_decks_tell_them() -> None:
    one = drawn("a LP1 50,SWITCH=7 | 4010 50 D1 1")
    far = drawn("b LP2 60,SWITCH=7 | 5010 60 07C1 1")
    assert imported("LP1,LP2", [one, far], "").links[0].fibres[0].ports == ("C1", "D1")
    other = drawn("b LP2 60,SWITCH=8 | 5010 60 07C1 1")
    (crossed,) = imported("LP1,LP2", [one, other], "").links[0].fibres
    assert (crossed.directors, crossed.ports) == (("07", "08"), ("C1", "D1"))
    unknown = drawn("b LP2 60 | 5010 60 C1 1")
    assert imported("LP1,LP2", [one, unknown], "").links[0].fibres[0].ports == ()


def test_one_director_has_one_name_whatever_the_decks_number_it() -> None:
    near = drawn("a LP1,LP2 50,SWITCH=1 51,SWITCH=2 | 4010 50 D1 3 | 4110 51 E1 3")
    far = parse_deck(
        " RESOURCE PARTITION=((LP3,3))\n"
        + "".join(f" CHPID PATH={each},TYPE=FC,SHARED\n" for each in ("60,SWITCH=2", "61,SWITCH=1"))
        + "".join(unit(f"6{n}{n}0", f"6{n // 2}", f"C{n // 2}", 1 + n % 2) for n in range(4)),
        "b.iocp",
    )
    told = "LP1:50=C0,LP1:51=C1,LP3:60=D1,LP3:61=E1"
    links = imported("LP1,LP2,LP3", [near, far], told).links
    plugs = [(fibre.directors, fibre.ports) for link in links for fibre in link.fibres]
    assert plugs == [(("01", "01"), ("C0", "D1")), (("02", "02"), ("C1", "E1"))] * 2


def test_three_directors_have_three_names_though_two_numbers_are_all_that_decks_say() -> None:
    decks = [
        drawn("a LP1 50,SWITCH=1 51,SWITCH=2 | 4010 50 D1 2 | 4110 51 E1 3"),
        drawn("b X,LP2 60,SWITCH=2 61,SWITCH=1 | 6010 60 C1 1 | 6110 61 F1 3"),
        drawn("c X,Y,LP3 70,SWITCH=2 71,SWITCH=1 | 7010 70 F0 2 | 7110 71 E0 1"),
    ]
    told = "LP1:50=C1,LP1:51=E0,LP2:60=D1,LP2:61=F0,LP3:70=F1,LP3:71=E1"
    directors = [link.fibres[0].directors for link in imported("LP1,LP2,LP3", decks, told).links]
    assert directors == [("01", "01"), ("02", "02"), ("00", "00")]


def test_ports_that_contradict_each_other_are_left_out() -> None:
    # SWITCH says director 8, and a link address of four digits director 7
    near = drawn(
        "a LP1,LP2 50,SWITCH=8 | 4010 50 D1 3 PART=LP1 | 4020 50 07D1 3 rdev=4080 PART=LP2"
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


EAST, WEST = ("ZVMA", "ZVMC"), ("ZVMB", "ZVMD")
TEXTS, PORTS = mesh_decks(EAST, WEST)
FIVE = ["ZVMA-ZVMC", "ZVMA-ZVMD", "ZVMB-ZVMC", "ZVMB-ZVMD", "ZVMC-ZVMD"]


def kept_of(partitions: str, texts: list[str] = TEXTS, ports: list[str] = PORTS) -> Collection:
    """What is kept_of, as its file says it."""
    asked = partitions.split(",")
    known = [port for port in ports if port.partition(":")[0] in asked]
    found = import_iocp(texts, partitions=partitions, ports=known).collection
    again = parse_collection(format_collection(found))
    assert again == found
    return again


def counted(collection: Collection) -> dict[str, int]:
    """CTCs of the others, by the systems."""
    return {
        "-".join(other.nodes): sum(each.count for each in other.ctcs) for other in collection.others
    }


def test_one_partition_of_each_deck_keeps_both_as_cecs() -> None:
    # chpids of both were then said to be maybe one, and advised to be crossed
    pair, whole = kept_of("ZVMA,ZVMB"), kept_of("ZVMA,ZVMB,ZVMC,ZVMD")
    assert [cec.systems for cec in pair.cecs] == [("ZVMA",), ("ZVMB",)]
    assert [cec.name for cec in pair.cecs] == [cec.name for cec in whole.cecs]
    assert open_questions(pair) == ()


def test_ctcs_of_other_links_are_kept_with_the_channels_that_they_are_on() -> None:
    pair, whole = kept_of("ZVMA,ZVMB"), kept_of("ZVMA,ZVMB,ZVMC,ZVMD")
    assert counted(pair) == dict.fromkeys(FIVE, 8)
    assert whole.others == ()
    (inside, *_) = pair.others
    assert [(each.channels, each.count) for each in inside.ctcs] == [
        ((end, end), 4) for (end, _) in (each.channels for each in inside.ctcs)
    ]


def test_each_link_that_is_written_alone_keeps_the_rest_of_the_import() -> None:
    apart = import_iocp(TEXTS, partitions="ZVMA,ZVMB,ZVMC", ports=PORTS).apart
    others = [{*counted(each), each.links[0].name} for each in apart]
    of_both, inside = {"ZVMA-ZVMB", *FIVE}, {"ZVMA-ZVMB", *FIVE} - {"ZVMB-ZVMD"}
    assert others == [of_both, inside, of_both]


def test_another_end_that_no_deck_tells_is_counted_by_its_image() -> None:
    texts, ports = mesh_decks(EAST, WEST, ("ZVME", "ZVMF"))
    pair = kept_of("ZVMA,ZVMB", texts[:2], ports)
    assert {name: count for name, count in counted(pair).items() if "-" in name} == dict.fromkeys(
        FIVE, 8
    )
    one_ended = [other for other in pair.others if len(other.nodes) == 1]
    # each of four partitions leads to two images of the third machine, by eight CTCs
    assert len(one_ended) == 8
    assert all(sum(each.count for each in other.ctcs) == 8 for other in one_ended)


def test_a_deck_of_which_no_partition_was_asked_tells_the_other_ends() -> None:
    texts, ports = mesh_decks(EAST, ("ZVMB",), ("ZVME",))
    known = counted(kept_of("ZVMA,ZVMB", texts, ports))
    assert known == dict.fromkeys(
        ["ZVMA-ZVMC", "ZVMA-ZVME", "ZVMB-ZVMC", "ZVMB-ZVME", "ZVMC-ZVME"], 8
    )


def test_a_partition_of_a_name_that_is_taken_gets_another() -> None:
    texts, ports = mesh_decks(("LP1", "LP2"), ("LP1", "LP2"))
    ports = [f"{'EAST' if n < 2 else 'WEST'}{port[3:]}" for n, port in enumerate(ports)]
    found = import_iocp(texts, partitions="EAST=1:LP1,WEST=2:LP1", ports=ports).collection
    assert {*counted(found)} == {"EAST-LP2", "LP2-WEST", "EAST-LP22", "LP22-WEST", "LP2-LP22"}


def test_what_leads_to_its_own_partition_or_to_nobody_is_no_ctc() -> None:
    # 4010 leads to its own image, which NOTPART does not shut out; no device of LP3 leads back
    near = drawn("a LP1 50,SWITCH=61 | 4010 50 C1 1 | 4020 50 D1 2 | 4030 50 D1 3")
    far = drawn("b LP0,LP2,LP3 60,SWITCH=61 | 5010 60 C1 1")
    found = import_iocp([near.text, far.text], partitions="LP1,LP2", ports=["LP1:50=C1,LP2:60=D1"])
    # LP0 and LP3 have the unit of LP2 too, and LP1 leads to the images 2 and 3
    assert counted(found.collection) == {"LP1-LP3": 4}


@st.composite
def sites(draw: st.DrawFn) -> tuple[list[list[str]], int, int, list[str]]:
    """CECs of some partitions, chpids, CTCs, and which partitions are asked for."""
    sizes = draw(st.lists(st.integers(1, 2), min_size=1, max_size=3).filter(lambda n: sum(n) > 1))
    names = iter("ABCDEF")
    cecs = [[f"VM{next(names)}" for _ in range(size)] for size in sizes]
    every = [name for names in cecs for name in names]
    asked = draw(st.lists(st.sampled_from(every), min_size=2, unique=True))
    return cecs, draw(st.integers(1, 2)), draw(st.integers(1, 4)), asked


@pytest.mark.slow
@given(sites())
def test_an_import_of_some_partitions_keeps_what_the_whole_one_has_of_them(
    site: tuple[list[list[str]], int, int, list[str]],
) -> None:
    cecs, chpids, ctcs, asked = site
    texts, ports = mesh_decks(*cecs, chpids=("50", "51")[:chpids], ctcs=ctcs)
    whole = import_iocp(texts, partitions=",".join(chain(*cecs)), ports=ports).collection
    some = import_iocp(
        texts,
        partitions=",".join(asked),
        ports=[
            # a channel is named by one of the systems that are asked for
            port.replace(names[0], next(name for name in names if name in asked))
            for names in cecs
            for port in ports
            if port.startswith(f"{names[0]}:") and {*names} & {*asked}
        ],
    ).collection
    restricted = [tuple(name for name in cec.systems if name in asked) for cec in whole.cecs]
    assert [cec.systems for cec in some.cecs] == [*filter(None, restricted)]
    used = {whole.channel(end.node, end.chpid) for end in some.chpid_ends}
    beside = {
        link.name: count
        for link in whole.links
        if not {*link.nodes} <= {*asked}
        if (count := sum(bool(used & {*whole.channels_of(c.fibre, link.nodes)}) for c in link.ctcs))
    }
    total = sum(each.count for other in some.others for each in other.ctcs)
    assert total == sum(beside.values())
    if all({*names} & {*asked} for names in cecs):  # else ports of a deck are not known
        assert counted(some) == beside
    of_each = [others_on(some, link) for link in some.links]
    assert {other.nodes for each in of_each for other in each} == {o.nodes for o in some.others}
