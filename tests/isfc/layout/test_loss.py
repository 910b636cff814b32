"""What the loss of each piece of hardware leaves of one link and of several."""

from isfc.layout.capacity import directions_of
from isfc.layout.catalogue import load_collection, load_layout
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection, parse_layout
from isfc.layout.layout import Layout
from isfc.layout.loss import Loss, losses
from isfc.link.events import LinkEvent
from isfc.system.inputs import VaryChpid
from isfc.system.link_end import LinkEnd
from isfc.system.system import System
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import Intervention, Operation
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES
from scenarios.search.grid import without
from tests.isfc.layout.test_file_shared import CLUSTER
from tests.layouts import layout_of

LINKS = ("ALPHA-BETA", "ALPHA-DELTA", "ALPHA-GAMMA", "BETA-DELTA", "BETA-GAMMA", "DELTA-GAMMA")


def losses_of(layout: Layout) -> list[Loss]:
    return [*losses(Collection.of(layout))]


def by_name(collection: Collection) -> dict[str, Loss]:
    return {loss.name: loss for loss in losses(collection)}


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


def test_last_ctc_takes_the_link_down() -> None:
    chpid, ctc = losses_of(layout_of((2, 1)))
    assert (chpid.left, ctc.left) == (None, None)
    assert len(chpid.cut) == len(ctc.cut) == 1


def test_fibre_goes_with_its_last_ctc() -> None:
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


def test_a_channel_of_two_systems_takes_ctcs_of_both() -> None:
    loss = by_name(load_collection("two-cecs"))["the channel ALPHA 40 = BETA 40"]
    assert (loss.kind, loss.cut, loss.untouched) == ("chpid", (), ("DELTA-GAMMA",))
    assert loss.fewer == (
        ("ALPHA-BETA", 4, 8),
        ("ALPHA-DELTA", 6, 8),
        ("ALPHA-GAMMA", 6, 8),
        ("BETA-DELTA", 6, 8),
        ("BETA-GAMMA", 6, 8),
    )


def test_a_director_takes_half_of_every_link() -> None:
    loss = by_name(load_collection("two-cecs"))["director 2"]
    assert loss.fewer == tuple((name, 4, 8) for name in LINKS)
    assert loss.cut == loss.untouched == ()


def test_a_cec_takes_all_links_of_its_systems() -> None:
    loss = by_name(load_collection("two-cecs"))["CEC EAST"]
    assert loss.cut == LINKS[:5]
    assert loss.untouched == ("DELTA-GAMMA",)


def test_a_path_takes_what_crosses_it() -> None:
    found = by_name(parse_collection(CLUSTER))
    assert found["path far"].cut == ("BETA-GAMMA",)
    assert found["path far"].fewer == (("ALPHA-GAMMA", 1, 5),)
    # the straight channel is an end of every link
    channel = found["the channel ALPHA 40 = BETA 41"]
    assert channel.cut == ("ALPHA-BETA", "ALPHA-GAMMA", "BETA-GAMMA")
