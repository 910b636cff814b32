"""A measurement beside the model: what ran is inferred, errors are signed, reasons are named."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout
from isfc.site.figures import Reading
from isfc.site.measurement import Measurement, Ran
from isfc.site.seen import SeenInterval, SeenLink, seen_intervals, seen_link
from isfc.site.table import read_json
from scenarios.figures import site_workload
from scenarios.figures.site_compare import figures_beside, likely_reasons
from scenarios.figures.site_exchanges import QuietLink, find_ran
from scenarios.figures.site_workload import Derived, derive
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import Result
from scenarios.runs.run import run
from scenarios.runs.workload import CONVERSATIONS, SUITES, open_load
from tests.isfc.site.site import site_of

pytestmark = pytest.mark.at_length


LAYOUT = load_layout("atlanta-boston")
PUBLISHED = Path(__file__).parents[3] / "docs" / "measured"


def emulated(
    layout: Layout = LAYOUT, pairs: int = 20, suite: str = "HL"
) -> tuple[Measurement, Result]:
    """A run as a site would hand it over, without a word of what ran."""
    result = run(Experiment.of(layout, SUITES[suite], pairs, 0.5, 0.2)).result
    return handed_over(result, suite, pairs), result


def handed_over(result: Result, suite: str = "HL", pairs: int = 1) -> Measurement:
    """A result as a file of it is read."""
    record = {"workload": suite, "pairs": pairs, "client": "ATLANTA", **asdict(result)}
    (one,) = read_json(json.dumps(record), "run.json", Reading())
    return one


def interval(*ends: Measurement) -> SeenInterval:
    """The measurements as one interval of the layout."""
    (found,) = seen_intervals(LAYOUT, ends)
    return found


def test_a_run_of_our_own_is_compared_without_an_error() -> None:
    one, result = emulated()
    assert all(
        figure.error_percent in (None, pytest.approx(0, abs=1e-9))
        for figure in figures_beside(seen_link(LAYOUT, one), result)
    )


@pytest.mark.slow
def test_what_ran_is_inferred_from_link_activity() -> None:
    one, result = emulated()
    found = derive(LAYOUT, interval(replace(one, ran=None, clients=None)), 0.3)
    assert found.client == "ATLANTA"
    assert found.workload == SUITES["HL"]
    assert found.offered_per_s == result.messages_per_s_out
    assert "lengths spread as those of HL, whose means they have" in found.uncertain
    again = run(found.experiment(LAYOUT, 0.5, 0.2))
    assert again.mb_per_s == pytest.approx(result.mb_per_s, rel=0.06)


@pytest.mark.slow
def test_lengths_that_no_published_workload_has_are_taken_as_their_means() -> None:
    load = find_ran("40000:60000:50/1000")
    result = run(Experiment.of(LAYOUT, load, 10, 0.5, 0.2)).result
    found = derive(LAYOUT, interval(replace(handed_over(result), ran=None)), 0.3)
    assert found.workload.max_length == pytest.approx(50_000, rel=0.03)
    assert found.workload.min_length == found.workload.max_length
    assert found.workload.reply_length == pytest.approx(1_000, rel=0.01)
    assert any("mean length" in line for line in found.uncertain)


@pytest.mark.slow
def test_pairs_are_found_though_the_site_is_slower() -> None:
    # as many as reach the rate on the unfitted model were 7 where 50 ran
    one, _ = emulated(site_of(LAYOUT, transfer=1.3, receive=1.5), 50)
    found = derive(LAYOUT, interval(replace(one, ran=None, clients=None)), 0.3)
    assert 40 <= found.pairs <= 128  # from 40 on more pairs only wait
    assert not found.doubts


def test_pairs_that_explain_the_rate_come_before_those_nearest_in_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 72 pairs were taken, which carry 1177 MB/s, where 556 were measured and 2 pairs carry 530
    one, result = emulated(pairs=2)

    def run_of(asked: Experiment) -> Any:
        pairs = asked.pairs
        rate = result.mb_per_s * min(2.1, 0.5 + 0.23 * pairs)
        fuller = result.messages_per_package_out * (1.0 if pairs > 50 else 0.5)
        return SimpleNamespace(
            result=replace(result, mb_per_s=rate, messages_per_package_out=fuller)
        )

    monkeypatch.setattr(site_workload, "run", run_of)
    found = derive(LAYOUT, interval(replace(one, ran=None, clients=None)))
    assert found.pairs <= 4
    assert any("pairs do as well, at other speeds of the link" in e for e in found.uncertain)


@pytest.mark.slow
def test_a_load_below_what_one_pair_does_is_emulated_at_its_rate() -> None:
    light = open_load(SUITES["HL"], 300.0)
    result = run(Experiment.of(LAYOUT, light, CONVERSATIONS, 2.0, 0.2)).result
    found = derive(LAYOUT, interval(replace(handed_over(result), ran=None)), 0.3)
    assert found.is_light
    assert any("a light load" in line for line in found.uncertain)
    again = run(found.experiment(LAYOUT, 2.0, 0.2)).result
    assert again.messages_per_s_out == pytest.approx(result.messages_per_s_out, rel=0.1)


def test_a_workload_with_other_lengths_than_link_activity_is_doubted() -> None:
    one, _ = emulated()
    told = derive(LAYOUT, interval(replace(one, ran=Ran("HM", 20))))
    assert any("was it another workload?" in doubt for doubt in told.doubts)
    assert not derive(LAYOUT, interval(replace(one, ran=Ran("HL", 20)))).doubts


def test_clients_that_acknowledge_each_long_reply_send_twice_as_many_messages() -> None:
    one, result = emulated(suite="HY")
    assert result.messages_per_s_out > 1.9 * result.messages_per_s_in
    told = derive(LAYOUT, interval(replace(one, ran=Ran("HY", 20))))
    assert not told.doubts
    assert told.offered_per_s == pytest.approx(result.messages_per_s_in, rel=0.02)
    # a reply that rounding has a few bytes short of half an answer area is acknowledged as well
    (link,) = one.links
    short = replace(link, read=structs.replace(link.read, mb_per_s=0.999 * link.read.mb_per_s))
    for shown in link, short:
        unsaid = interval(replace(one, ran=None, links=(shown,)))
        assert derive(LAYOUT, unsaid, 0.05).workload == SUITES["HY"]


def test_a_light_load_of_which_it_is_said_what_ran_is_emulated_at_its_rate() -> None:
    light = open_load(SUITES["HL"], 200.0)
    result = run(Experiment.of(LAYOUT, light, CONVERSATIONS, 1.0, 0.2)).result
    assert derive(LAYOUT, interval(handed_over(result, pairs=50)), 0.1).is_light


def test_two_loads_of_one_interval_are_refused() -> None:
    one, _ = emulated()
    other = replace(one, system="BOSTON", devices=(), ran=Ran("HM", 20))
    with pytest.raises(ConfigurationError, match="expected one load for an interval"):
        derive(LAYOUT, interval(one, other))


def test_figures_of_a_minute_are_not_taken_for_those_of_a_second() -> None:
    one, _ = emulated()
    (link,) = one.links
    many = structs.replace(link.written, mb_per_s=60 * link.written.mb_per_s)
    with pytest.raises(ConfigurationError, match=r"carry [\d,]+; expected figures of a second"):
        derive(LAYOUT, interval(replace(one, links=(replace(link, written=many),))))


def test_device_rows_alone_do_not_say_what_ran() -> None:
    one, _ = emulated()
    with pytest.raises(ConfigurationError, match="--ran NAME:PAIRS"):
        derive(LAYOUT, interval(replace(one, ran=None, links=())))


def test_a_quiet_link_says_nothing_of_the_model() -> None:
    one, _ = emulated()
    idle = tuple(replace(device, io_per_s=0.0) for device in one.devices)
    with pytest.raises(QuietLink, match="the link was quiet"):
        derive(LAYOUT, interval(replace(one, devices=idle, links=())))


def _reasons(seen: SeenLink, result: Result) -> str:
    return "\n".join(likely_reasons(LAYOUT, seen, result))


def test_a_slower_link_is_named_as_a_likely_reason() -> None:
    one, result = emulated()
    slow = tuple(
        replace(d, conn_ms=2 * (d.conn_ms or 0), serv_ms=None) if d.rdev < 0x6010 else d
        for d in one.devices
    )
    found = _reasons(seen_link(LAYOUT, replace(one, devices=slow)), result)
    assert "Conn is 2.0 times the model's" in found
    assert found.count("its link may run slower") == 1


def test_a_device_that_is_not_in_the_link_is_named() -> None:
    one, result = emulated()
    idle = tuple(replace(d, io_per_s=0.0) if d.rdev == 0x6001 else d for d in one.devices)
    told = _reasons(seen_link(LAYOUT, replace(one, devices=idle)), result)
    assert "6001: no I/O was measured" in told


def test_collisions_the_model_has_not_are_named() -> None:
    one, result = emulated()
    links = (replace(one.links[0], collisions_per_s=400.0),)
    assert "different orders" in _reasons(seen_link(LAYOUT, replace(one, links=links)), result)


def test_what_is_told_is_taken() -> None:
    one, _ = emulated()
    told = replace(one, ran=Ran("512:8192:20/2048", 7), clients=False, links=())
    found = derive(LAYOUT, interval(told))
    assert isinstance(found, Derived)
    assert (found.workload.min_length, found.pairs, found.client) == (512, 7, "BOSTON")
