"""What else runs on the channels of a measured link: told by pages, traffic and RMF, or not."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import isfc
from ctc.channel import NOTHING
from ctc.features import find_profile
from isfc.answers.measured_fit import _corrected
from isfc.io.rmf_lines import RmfInterval
from isfc.io.shared import parse_links
from isfc.layout.catalogue import given_collection
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.site.measurement import (
    DeviceFigures,
    FilePlace,
    LinkFigures,
    Measurement,
    Ran,
    WayFigures,
)
from isfc.site.seen import SeenInterval, seen_intervals
from scenarios.figures.site_beside import BesideLink
from scenarios.figures.site_workload import Derived
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES, LinkLoad
from scenarios.search import site_cluster
from scenarios.search.site_cluster import Cluster, ZosChannels, say_beside
from tests.isfc.site.drawn_sites import drawn
from tests.isfc.site.made_sites import CLUSTER, of_profile
from tests.isfc.site.site import site_of

LINKS = given_collection(CLUSTER)
LINK, TO_GAMMA, BETA_GAMMA = LINKS.links
ALPHA, BETA, GAMMA = map(NodeName, ("ALPHA", "BETA", "GAMMA"))
WAY = WayFigures(100.0, 1000.0, 100.0, 1e6, 10.0)


def page(node: NodeName, *links: Layout, activity: bool = True, busy: float = 50.0) -> Measurement:
    """A minute of a system's ends of some links."""
    place = FilePlace(f"{node}.txt", 1)
    rdevs = [device.rdev for link in links for device in link.devices(node)]
    devices = (DeviceFigures(rdev, 500.0, 0.1, 0.2, 0.7, 1.0, busy, place) for rdev in rdevs)
    shown = (LinkFigures(link.partner(node), 0.0, 0.0, WAY, WAY, place) for link in links)
    return Measurement(
        *(node, "10:00:00", "10:01:00", place),
        devices=tuple(devices),
        links=tuple(shown) if activity else (),
    )


@pytest.fixture
def inferred(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, BesideLink | None]]:
    """Of each load that is inferred the link, and what was taken to run beside it."""
    asked = list[tuple[str, BesideLink | None]]()

    def derive(link: Layout, _: SeenInterval, beside: BesideLink | None = None) -> Derived:
        asked.append((link.name, beside))
        return Derived(SUITES["HL"], len(asked), link.nodes[0], None, (), beside=beside)

    monkeypatch.setattr(site_cluster, "derive", derive)
    return asked


def derived(links: Any, *pages: Measurement, channels: tuple[str, ...] = ()) -> Derived:
    """What ran over the first link."""
    cluster = Cluster.of(links, links.links[0], pages, channels)
    (seen,) = seen_intervals(cluster.link, cluster.own)
    return cluster.derived(seen)


def test_what_others_carried_is_told_by_their_activity_also_on_pages_of_their_own(
    inferred: list[tuple[str, BesideLink | None]],
) -> None:
    # beside two busy links a fit was refused, with no way to say what they carried
    pages = page(ALPHA, LINK, TO_GAMMA), page(BETA, BETA_GAMMA)
    assert Cluster.of(LINKS, LINK, pages).own == pages[:1]
    found = derived(LINKS, *pages)
    assert [name for name, _ in inferred] == 2 * [TO_GAMMA.name, BETA_GAMMA.name] + [LINK.name]
    assert [say_beside(beside) for _, beside in inferred[2:] if beside] == [
        "BETA-GAMMA:HL:2",
        "ALPHA-GAMMA:HL:3",
        "ALPHA-GAMMA:HL:3, BETA-GAMMA:HL:4",
    ]
    assert "beside it ran ALPHA-GAMMA:HL:3, BETA-GAMMA:HL:4" in found.uncertain


@pytest.mark.usefixtures("inferred")
def test_what_nobody_measured_is_the_traffic_of_the_file_and_else_a_doubt_if_it_was_busy() -> None:
    rows = page(ALPHA, LINK, activity=False), page(ALPHA, TO_GAMMA, activity=False)
    (doubt,) = derived(LINKS, replace(rows[0], devices=rows[0].devices + rows[1].devices)).doubts
    assert doubt.startswith("ALPHA-GAMMA had CTCs busy on the same channels, and nothing says")
    idle = page(ALPHA, LINK, TO_GAMMA, activity=False, busy=1.0)
    assert not derived(LINKS, idle).doubts
    text = '\n[[traffic]]\nfrom = "GAMMA"\nto = "ALPHA"\nworkload = "HM"\npairs = 7\n'
    told = derived(parse_links(CLUSTER.read_text() + text), rows[0])
    assert not told.doubts
    assert told.beside is not None
    assert say_beside(told.beside) == "GAMMA-ALPHA:HM:7"


def test_what_ran_on_a_page_of_another_link_alone_is_said_of_that() -> None:
    ran = Ran("HS", 20)
    own = replace(page(ALPHA, LINK, TO_GAMMA, activity=False), ran=Ran("HL", 50))
    found = derived(LINKS, own, replace(page(GAMMA, BETA_GAMMA, activity=False), ran=ran))
    assert found.beside is not None
    assert (found.load, say_beside(found.beside)) == ("HL:50", "GAMMA-BETA:HS:20")


RMF = Path(__file__).parents[2] / "data" / "rmf" / "channel-path-activity.txt"


def test_rmf_of_a_z_os_tells_what_that_has_of_the_channels() -> None:
    text = CLUSTER.read_text().replace('ALPHA = "40"', 'ALPHA = "94"')
    links = parse_links(text)
    one = replace(page(ALPHA, links.links[0], activity=False), ran=Ran("HL", 50))
    found = derived(links, one, channels=(f"ALPHA={RMF}",))
    assert found.beside is not None
    assert say_beside(found.beside) == "19 % of chpid 94 at ALPHA"
    link, *others = found.beside.with_link(links.links[0]).links
    assert not others
    here, there = link.fibres[0].disks
    assert here.processor == pytest.approx(0.1918)
    assert there == NOTHING
    assert 0 < here.line_in == here.line_out
    with pytest.raises(isfc.ConfigurationError, match="GAMMA: not a node"):
        derived(links, one, channels=(f"GAMMA={RMF}",))
    with pytest.raises(isfc.ConfigurationError, match="no chpid 40 or 41; expected those of ALPHA"):
        derived(LINKS, one, channels=(f"ALPHA={RMF}",))


@pytest.mark.parametrize(
    ("end", "begin"),
    [("09:45:00", "09.30.00"), ("09:45:03", "09.30.00"), ("10:00:00", "09.45.00")]
    + [(end, None) for end in ("09:30:00", "10:30:00", "")],
)
def test_of_several_intervals_of_rmf_that_counts_in_which_a_page_ended(
    end: str, begin: str | None
) -> None:
    made = [RmfInterval("ZOS", "11/30/2026", each) for each in ("09.45.00", "09.30.00")]
    channels = ZosChannels(NodeName(ALPHA), "rmf.txt", tuple(made))
    one: Any = SimpleNamespace(
        ends=[SimpleNamespace(measurement=SimpleNamespace(end=end))], place="page.txt"
    )
    if begin is not None:
        assert channels.at(one).time == begin
        return
    with pytest.raises(isfc.ConfigurationError, match=r"2 intervals, in none of which page\.txt"):
        channels.at(one)


def test_other_links_are_run_on_channels_as_the_link_has_them_and_take_of_it() -> None:
    load = LinkLoad(GAMMA, ALPHA, SUITES["HL"], 20)
    alone = Derived(SUITES["HL"], 20, ALPHA, None, ())
    beside = Derived(SUITES["HL"], 20, ALPHA, None, (), beside=BesideLink(LINKS, (load,)))
    changed = site_of(of_profile(lambda _: find_profile("FICON Express4"))(LINK), receive=2.0)
    link, other = beside.experiment(changed, 0.05, 0.03).collection.links
    assert (link, other.name) == (changed, TO_GAMMA.name)
    assert {fibre.profile for fibre in other.fibres} == {fibre.profile for fibre in link.fibres}
    assert other.site is not None
    rate, less = (run(each.experiment(LINK, 0.05, 0.03)).result for each in (alone, beside))
    assert less.mb_per_s < 0.9 * rate.mb_per_s


def test_a_corrected_file_has_the_feature_on_all_links_of_a_channel() -> None:
    text = _corrected(LINKS, "", of_profile(lambda _: find_profile("FICON Express8"))(LINK))
    fibres = [fibre for link in parse_links(text).links for fibre in link.fibres]
    assert {fibre.profile.feature for fibre in fibres} == {"FICON Express8"}


@pytest.mark.at_length
@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [3000, 3001])
def test_a_link_beside_two_busy_ones_is_fitted_to(number: int, tmp_path: Path) -> None:
    site = drawn(number)
    links = site.made.links()
    found = isfc.measured.fit(links, site.measurements(tmp_path), link=links.links[0].name)
    assert found.profile.held_back is not None
    assert found.profile.before is not None
    assert found.profile.held_back.median < found.profile.before.median
    assert any("beside it ran" in note for note in found.notes)
