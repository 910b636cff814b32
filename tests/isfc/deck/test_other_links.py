"""What an import keeps of the partitions that it was not asked for: CECs, and their CTCs."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.deck.importing import import_iocp
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.parts import ChannelEnd
from isfc.layout.sharing import open_questions, others_on
from isfc.layout.write import format_collection
from tests.decks import deck, mesh_decks, unit

A, B = ("ZVMA", "ZVMC"), ("ZVMB", "ZVMD")
TEXTS, PORTS = mesh_decks(A, B)
FIVE = ["ZVMA-ZVMC", "ZVMA-ZVMD", "ZVMB-ZVMC", "ZVMB-ZVMD", "ZVMC-ZVMD"]


def imported(partitions: str, texts: list[str] = TEXTS, ports: list[str] = PORTS) -> Collection:
    """What is imported, as its file says it."""
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
    pair, whole = imported("ZVMA,ZVMB"), imported("ZVMA,ZVMB,ZVMC,ZVMD")
    assert [cec.systems for cec in pair.cecs] == [("ZVMA",), ("ZVMB",)]
    assert [cec.name for cec in pair.cecs] == [cec.name for cec in whole.cecs]
    assert open_questions(pair) == ()


def test_ctcs_of_other_links_are_kept_with_the_channels_that_they_are_on() -> None:
    pair, whole = imported("ZVMA,ZVMB"), imported("ZVMA,ZVMB,ZVMC,ZVMD")
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
    texts, ports = mesh_decks(A, B, ("ZVME", "ZVMF"))
    pair = imported("ZVMA,ZVMB", texts[:2], ports)
    assert {name: count for name, count in counted(pair).items() if "-" in name} == dict.fromkeys(
        FIVE, 8
    )
    one_ended = [other for other in pair.others if len(other.nodes) == 1]
    # each of four partitions leads to two images of the third machine, by eight CTCs
    assert len(one_ended) == 8
    assert all(sum(each.count for each in other.ctcs) == 8 for other in one_ended)


def test_a_deck_of_which_no_partition_was_asked_tells_the_other_ends() -> None:
    texts, ports = mesh_decks(A, ("ZVMB",), ("ZVME",))
    known = counted(imported("ZVMA,ZVMB", texts, ports))
    assert known == dict.fromkeys(
        ["ZVMA-ZVMC", "ZVMA-ZVME", "ZVMB-ZVMC", "ZVMB-ZVME", "ZVMC-ZVME"], 8
    )


def test_a_partition_of_a_name_that_is_taken_gets_another() -> None:
    texts, ports = mesh_decks(("LP1", "LP2"), ("LP1", "LP2"))
    ports = [f"{'EAST' if n < 2 else 'WEST'}{port[3:]}" for n, port in enumerate(ports)]
    found = import_iocp(texts, partitions="EAST=1:LP1,WEST=2:LP1", ports=ports).collection
    assert {*counted(found)} == {"EAST-LP2", "LP2-WEST", "EAST-LP22", "LP22-WEST", "LP2-LP22"}


def test_what_leads_to_its_own_partition_or_to_nobody_is_no_ctc() -> None:
    near = deck(
        "a",
        "LP1",
        ["50,SWITCH=61"],
        unit("4010", "50", "C1", 1),  # its own image, which NOTPART does not shut out
        unit("4020", "50", "D1", 2),
        unit("4030", "50", "D1", 3),  # no device of LP3 leads back
    )
    far = deck("b", "LP0,LP2,LP3", ["60,SWITCH=61"], unit("5010", "60", "C1", 1))
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
    used = {whole.channel(end.node, end.chpid) for end in _ends(some)}
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


def _ends(collection: Collection) -> list[ChannelEnd]:
    return [
        ChannelEnd(node, chpid)
        for link in collection.links
        for fibre in link.fibres
        for node, chpid in zip(link.nodes, fibre.chpids, strict=True)
    ]
