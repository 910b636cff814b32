"""What a machine does to a figure and to its range."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Final

import pytest

from ctc.features import CATALOGUE
from isfc.layout.capacity import end_to_count_on
from isfc.layout.layout import Layout, layout_kind, on_machines, with_site
from isfc.layout.machines import Estimate, machines, on_machine
from isfc.layout.processors import Processors
from isfc.layout.site import CONSTANTS, FitErrors, SiteProfile
from isfc.link.parameters import LinkParameters
from isfc.reports.report import Report
from scenarios.figures.assumptions import MACHINES, assumed
from scenarios.figures.certainty import FigureKind
from scenarios.figures.paces import ends_on_machines
from scenarios.figures.ranges import link_rate
from scenarios.figures.rates import ModelledRate
from scenarios.figures.resources import RECEIVE, Resource, resource_known
from scenarios.runs.experiment import STATED, Experiment, one_way
from scenarios.runs.notes import plan_notes, run_notes
from scenarios.runs.result import MIB
from scenarios.runs.run import run
from scenarios.runs.steady import Rate
from scenarios.runs.workload import SUITES, find_workload
from tools.calibration.studies import link


def on(layout: Layout, *names: str) -> Layout:
    first, second = (Processors(name) if name else None for name in names * (3 - len(names)))
    return replace(layout, machines=(first, second))


def sent(layout: Layout, pairs: int = 50, seconds: float = 0.1) -> float:
    """MB/s (2^20) of the first node."""
    experiment = replace(one_way(layout, None, pairs), seconds=seconds, warmup=seconds)
    return run(experiment).result.mb_per_s_out


@pytest.mark.at_length
@pytest.mark.parametrize("suite", ["HL", "HS", "CDU:1000"])
def test_on_a_z10_ec_no_digit_of_a_run_changes(suite: str) -> None:
    plain = link("FICON Express8S", 2, 2)
    runs = [
        run(Experiment.of(each, find_workload(suite), 10, 0.1, 0.1)).result
        for each in (plain, on(plain, "z10 EC"))
    ]
    assert runs[0] == runs[1]


@pytest.mark.at_length
def test_figures_rise_with_the_speed_of_the_receiver_s_engine() -> None:
    plain = link("FICON Express16SA", 4)
    rates = [sent(on(plain, "z10 EC", name)) for name in ("z10 EC", "z196", "z13", "z16 A01")]
    assert rates == sorted(rates)
    assert rates[-1] > 1.5 * rates[0]
    assert sent(on(plain, "z16 A01", "z10 EC")) == pytest.approx(rates[0], rel=0.02)


BY_MACHINE: Final = (
    ("z16 A01", 91, 5),
    ("z17 ME1", 1, 4),
    ("z17 ME1", 91, 4),
    ("z14", 1, 6),
    ("z14", 91, 8),
)
"""A machine, a seed, and how many of 40 layouts lie at the ceiling."""

TABLE: Mapping[str, tuple[float, ...]] = {
    "z196": (1274, 1755, 1588, 3176),
    "zEC12": (1393, 1980, 2000, 4000),
    "z13": (1393, 2094, 2247, 4494),
    "z14": (1465, 2168, 2424, 4847),
    "z15 T01": (1527, 2278, 2718, 5435),
    "z16 A01": (1581, 2364, 2976, 5953),
    "z17 ME1": (1606, 2458, 3294, 6588),
}
"""What the receive lock carries, MB/s of 10^6 bytes: with the low speed and memory as a z10's, the
middle ones, the middle speed and memory as fast, and with all in the cache (derived)."""


@pytest.mark.parametrize("name", TABLE)
def test_where_the_lock_ends_a_link_the_range_holds_what_the_lock_may_carry(name: str) -> None:
    low, mid, *_ = TABLE[name]
    for case, wanted in ((Estimate.LOW, low), (Estimate.MID, mid)):
        constants = on_machine(LinkParameters(), Processors(name, case=case))
        assert 1e3 / constants.receive_ns_per_byte == pytest.approx(wanted, rel=0.002)
    layout = on(link("FICON Express32S", 8, 2), name)  # whose chpids carry more
    own = link_rate(mid * 1e6 / MIB, layout, STATED).range
    assert own is not None
    assert all(wanted * 1e6 / MIB in own.likely for wanted in TABLE[name])
    assert MACHINES in own.wider_for


def test_without_a_machine_a_range_has_the_later_processors_and_with_one_its_own() -> None:
    plain = link("FICON Express16S", 4)
    names = [each.name for each in assumed(plain)]
    assert "later processors" in names
    assert MACHINES not in names
    there = [each.name for each in assumed(on(plain, "z14"))]
    assert "later processors" not in there
    assert MACHINES in there


@pytest.mark.parametrize("kind", FigureKind)
@pytest.mark.parametrize("feature", [feature.name for feature in CATALOGUE])
def test_every_feature_and_figure_has_what_machines_and_channels_do(
    feature: str, kind: FigureKind
) -> None:
    for fibres in (1, 3, 8):
        for name in machines():
            layout = on(link(feature, fibres, 1), name)
            for low, high in ends_on_machines(layout, feature, kind):
                assert 0 < low <= 1 <= high


def test_the_receiver_s_machine_makes_the_range() -> None:
    layout = on(link("FICON Express32S", 8, 2), "z10 EC", "z16 A01")
    first, second = layout.nodes
    to_z10, to_z16 = (
        assumed(on_machines(layout, {node: layout.machine(node)})) for node in (first, second)
    )
    known = [next(w for w in each if w.name == MACHINES) for each in (to_z10, to_z16)]
    assert (known[0].low, known[0].high) == (1, 1)
    assert known[1].low < 0.8 < 2 < known[1].high


def test_one_fast_chpid_is_the_channel_s_whatever_the_machine() -> None:
    (found,) = [
        w for w in assumed(on(link("FICON Express16SA", 1), "z16 A01")) if w.name == MACHINES
    ]
    assert found.low > 0.85
    assert found.high < 1.1


def test_a_site_s_profile_narrows_the_range_to_the_fit_s_own() -> None:
    layout = on(link("FICON Express16SA", 4), "z16 A01")
    rows = tuple(tuple(4e-4 * (one is other) for other in CONSTANTS) for one in CONSTANTS)
    factors = {constant.name: 1.1 for constant in CONSTANTS}
    fit = SiteProfile(
        *("PROD", factors, ("FICON Express16SA",), 9, "", FitErrors(2.0, 6.0)),
        layout=layout_kind(layout), loads=("HL:50",), covariance=rows,
    )  # fmt: skip
    wide, narrow = (
        link_rate(2000, each, STATED).range for each in (layout, with_site(layout, fit))
    )
    assert wide is not None
    assert narrow is not None
    assert narrow.likely.high / narrow.likely.low < 1.15 < wide.likely.high / wide.likely.low
    assert MACHINES not in narrow.wider_for
    other = with_site(on(layout, "z17 ME1"), fit)
    found = link_rate(2000, other, STATED).range
    assert found is not None
    assert found.wider_for == ("another layout than the fit's",)
    receive = Resource(RECEIVE, layout.nodes[1])
    assert resource_known(receive, [layout]).endswith("what is likely of z16 A01")
    assert resource_known(receive, [with_site(layout, fit)]) == "its speed is fitted to the site"
    for ends in (layout, on(layout, "z13", "z16 A01")):
        there = with_site(ends, replace(fit, layout=layout_kind(ends)))
        modelled = ModelledRate(there, there.nodes[0], (Rate(2000.0), Rate(2000.0)))
        assert modelled.stated.range == link_rate(2000, there, STATED).range
        assert modelled.stated.ends.high / modelled.stated.ends.low < 1.15


def test_a_later_feature_without_a_machine_is_said_once_to_be_on_a_z10() -> None:
    plain = link("FICON Express16SA", 2)
    said = [note.text for note in run_notes(plain, SUITES["HL"], 50) if note.kind == "machine"]
    (text,) = said
    assert "z10 EC" in text
    assert "FICON Express16SA: z15 T01, z15 T02, z16 A01, z16 A02, z17 ME1, z17 ME2" in text
    for layout in (on(plain, "z15 T01"), link("FICON Express8", 2)):
        assert not [n for n in run_notes(layout, SUITES["HL"], 50) if n.kind == "machine"]
    (carried,) = [
        n for n in run_notes(on(plain, "z16 A01"), SUITES["HL"], 50) if n.kind == "machine"
    ]
    assert "z16 A01 is ordered with FICON Express32S, and FICON Express16SA is" in carried.text
    assert plan_notes(plain)
    page = Report("", [], known=run_notes(plain, SUITES["HL"], 50))
    assert text in page.remarks  # also on a page that nobody asked for notes on


@pytest.mark.at_length
@pytest.mark.parametrize(
    ("machine", "seed", "most"),
    [
        ("z16 A01", 1, 4),
        *(pytest.param(*each, marks=pytest.mark.exhaustive) for each in BY_MACHINE),
    ],
)
def test_of_forty_drawn_layouts_a_tenth_at_most_lies_at_the_lock_s_ceiling(
    machine: str, seed: int, most: int
) -> None:
    """By what is to be counted on: only four chpids do, so that it is as many as are drawn so fast.

    Three end at IBM's ceiling of command mode. Without a key 14 and 16 do.
    """
    ceiling = sent(on(link("FICON Express32S", 8, 2), machine), 500)
    drawn = [on(each, machine) for each in drawn_by(seed, 40)]
    rates = {each: counted_on(each) for each in {*drawn}}
    there = [each for each in drawn if rates[each] > 0.99 * ceiling]
    assert len(there) <= most
    assert {len(each.fibres) for each in there} <= {4}


def counted_on(layout: Layout) -> float:
    """MB/s (2^20) of the first node that are to be counted on, by a short run."""
    rate = Rate(sent(layout))
    return end_to_count_on(rate, layout, layout.nodes[0]).mb_per_s


def drawn_by(seed: int, count: int) -> list[Layout]:
    """Layouts of one to four fibres of a feature since FICON Express4, as a seed draws them."""
    random = Random(seed)
    names = [f.name for f in CATALOGUE if f.name not in ("FICON Express", "FICON Express2")]
    return [
        link(random.choice(names), random.randint(1, 4), random.randint(1, 4)) for _ in range(count)
    ]
