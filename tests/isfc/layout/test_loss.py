"""What the loss of each piece of hardware leaves of one link and of several."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.structs import replace

from isfc.errors import ConfigurationError
from isfc.layout.capacity import directions_of
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection, parse_layout
from isfc.layout.layout import FarPath, Isl, Layout
from isfc.layout.loss import (
    Loss,
    check_pieces,
    collection_without,
    link_without,
    losses,
    named_pieces,
)
from isfc.link.events import LinkEvent
from isfc.system.link_end import LinkEnd
from isfc.system.system import System, VaryChpid
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import Intervention, Operation, run
from scenarios.runs.workload import SUITES
from scenarios.search.grid import without
from tests.isfc.layout.test_file_shared import CLUSTER
from tests.layouts import layout_of


def losses_of(layout: Layout) -> list[Loss]:
    return [*losses(Collection.of(layout))]


def rates(loss: Loss) -> list[int]:
    return [] if loss.left is None else [way.estimated_mb_per_s for way in directions_of(loss.left)]


def test_every_chpid_then_every_ctc_goes_once() -> None:
    layout = load_layout("atlanta-boston")
    gone = losses_of(layout)
    assert [(loss.kind, *loss.names) for loss in gone[:3]] == [
        ("chpid", "40", "50"),
        ("chpid", "41", "51"),
        ("ctc", "6000", "7000"),
    ]
    assert len(gone) == len(layout.fibres) + len(layout.ctcs)
    for loss in gone:
        assert loss.left is not None
        taken = set(layout.ctcs) - set(loss.left.ctcs)
        named = {"chpid": lambda ctc: ctc.fibre.chpid_names, "ctc": lambda ctc: ctc.rdev_names}
        assert taken == {ctc for ctc in layout.ctcs if named[loss.kind](ctc) == loss.names}


def test_each_end_stops_short_of_what_is_left() -> None:
    chpid, _, first, *_ = losses_of(layout_of((2, 4), (2, 4)))
    assert rates(chpid) == [131, 131]  # published: 3 of 4 CTCs on 2 Gb/s
    assert rates(first) == [262, 262]


def test_last_ctc_takes_its_fibre_along_and_of_a_link_the_link() -> None:
    chpid, ctc = losses_of(layout_of((2, 1)))
    assert (chpid.left, ctc.left) == (None, None)
    assert len(chpid.cut) == len(ctc.cut) == 1
    *_, last = losses_of(layout_of((2, 4), (4, 1)))
    assert last.left is not None
    assert [fibre.name for fibre in last.left.fibres] == ["0"]


def sent(layout: Layout, operation: Operation | None = None) -> float:
    experiment = Experiment.of(layout, SUITES["HL"], pairs=20, seconds=0.2, warmup=0.1)
    return run(experiment, operation=operation).result.mb_per_s_out


def test_link_that_loses_a_chpid_carries_what_is_said_to_be_left() -> None:
    layout = load_layout("atlanta-boston")

    def vary_off(system: System, now_ns: int) -> None:
        system.apply(VaryChpid(layout.fibres[0].chpids[0], online=False), now_ns)

    def ignore(end: LinkEnd, event: LinkEvent, now_ns: int) -> None:
        pass

    loss = losses_of(layout)[0]
    assert loss.left is not None
    lost = sent(layout, Operation([Intervention(0, layout.nodes[0], vary_off)], ignore))
    assert abs(lost / sent(loss.left) - 1) < 0.01
    assert lost < 0.6 * sent(layout)


def test_a_chpid_that_leads_to_several_takes_all_its_fibres() -> None:
    layout = parse_layout(
        "".join(
            f'[fibre.{n}]\nfeature = "FICON Express4"\nchpid = {{ A = "40", B = "5{n}" }}\n'
            f'[[ctc]]\nfibre = "{n}"\nrdevs = {{ A = "{n}", B = "{n}" }}\n'
            for n in (1, 2)
        )
        + '[fibre.3]\nfeature = "FICON Express4"\nchpid = { A = "41", B = "53" }\n'
        + '[[ctc]]\nfibre = "3"\nrdevs = { A = "3", B = "3" }\n'
    )
    chpids = [loss for loss in losses_of(layout) if loss.kind == "chpid"]
    assert [(loss.names, loss.left and len(loss.left.ctcs)) for loss in chpids] == [
        (("40", "51+52"), 1),
        (("40", "51"), 2),
        (("40", "52"), 2),
        (("41", "53"), 2),
    ]
    left = without(layout, "40")
    assert left is not None
    assert left.ctcs == layout.ctcs[2:]


def test_a_path_takes_what_crosses_it() -> None:
    found = {loss.name: loss for loss in losses(parse_collection(CLUSTER))}
    assert found["path far"].cut == ("BETA-GAMMA",)
    assert found["path far"].fewer == (("ALPHA-GAMMA", 1, 5),)
    # the straight channel is an end of every link
    channel = found["the channel ALPHA 40 = BETA 41"]
    assert channel.cut == ("ALPHA-BETA", "ALPHA-GAMMA", "BETA-GAMMA")


COLLECTION = given_collection("two-cecs")
CLUSTER_LINKS = COLLECTION.links
NAMES = sorted({name for link in CLUSTER_LINKS for name in named_pieces(link, COLLECTION.cecs)})


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4))
def test_what_is_left_has_no_fibre_of_what_is_gone(pieces: list[str]) -> None:
    for link in CLUSTER_LINKS:
        known = named_pieces(link, COLLECTION.cecs)
        gone = {fibre for piece in pieces for fibre in known.get(piece, ())}
        left = link_without(link, pieces, COLLECTION.cecs)
        kept = () if left is None else left.ctcs
        assert [ctc for ctc in link.ctcs if ctc.fibre not in gone] == [*kept]


def test_one_chpid_leaves_what_its_loss_leaves() -> None:
    layout = load_layout("published-12")
    for loss in losses(Collection.of(layout)):
        if loss.kind == "chpid":
            assert link_without(layout, [loss.names[0]]) == loss.left
            assert link_without(layout, [f"server:{loss.names[1]}"]) == loss.left


@pytest.mark.parametrize(
    ("piece", "ctcs"),
    [  # by hand: ALPHA-BETA, ALPHA-DELTA, ALPHA-GAMMA, BETA-DELTA, BETA-GAMMA, DELTA-GAMMA
        ("BETA:40", [4, 6, 6, 6, 6, 8]),  # the same channel as ALPHA:40: see test_loss_table
        ("vary:ALPHA:40", [6, 6, 6, 8, 8, 8]),
    ],
)
def test_a_piece_takes_the_same_of_every_link_by_any_of_its_names(
    piece: str, ctcs: list[int]
) -> None:
    lefts = [link_without(link, [piece], COLLECTION.cecs) for link in CLUSTER_LINKS]
    assert [len(left.ctcs) if left else 0 for left in lefts] == ctcs
    whole = collection_without(COLLECTION, [piece])
    assert [len(link.ctcs) for link in whole.links] == [*filter(None, ctcs)]


def test_the_table_of_a_link_has_its_channels_as_the_table_of_all_links_has_them() -> None:
    whole = {loss.name: loss for loss in losses(COLLECTION)}
    assert whole["the channel ALPHA 40 = BETA 40"].kind == "chpid"
    for link in CLUSTER_LINKS:
        for loss in losses(Collection.of(link)):
            if loss.kind != "chpid":
                continue
            left = len(loss.left.ctcs) if loss.left else 0
            assert any((link.name, left, len(link.ctcs)) in each.fewer for each in whole.values())


def test_one_of_several_inter_switch_links_leaves_the_fibres_and_less_rate() -> None:
    isl = Isl(2, 16.0, 200)
    path = FarPath("METRO", 10.0, isl)
    layout = load_layout("published-12").with_fibres(lambda fibre: replace(fibre, path=path))
    one, two = (link_without(layout, ["isl:metro"] * count) for count in (1, 2))
    assert one is not None
    assert {fibre.path and fibre.path.isl for fibre in one.fibres} == {
        structs.replace(isl, count=1)
    }
    assert len(one.ctcs) == len(layout.ctcs)
    assert two is None


def test_unknown_piece_is_told_with_those_that_there_are() -> None:
    with pytest.raises(ConfigurationError, match="there is no such piece; expected 40, 41"):
        check_pieces(["99"], ["40", "41"], "--without")
    check_pieces(["director:1 "], ["DIRECTOR:1"], "--without")
