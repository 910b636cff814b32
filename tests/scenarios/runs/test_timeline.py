"""Timelines: every I/O is there once, and their sums are what the run measured."""

from itertools import pairwise

import pytest

from ctc.subchannel import Command
from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import Result
from scenarios.runs.run import run
from scenarios.runs.timeline import Timeline, record_timelines
from scenarios.runs.workload import SUITES

pytestmark = pytest.mark.at_length


SECONDS = 0.05


def experiment(layout: str, suite: str = "HL") -> Experiment:
    return Experiment.of(load_layout(layout), SUITES[suite], pairs=5, seconds=SECONDS, warmup=0.02)


def record_timeline(experiment: Experiment) -> tuple[Timeline, Result]:
    (timeline,), outcome = record_timelines(experiment)
    return timeline, outcome.result


@pytest.mark.parametrize("layout", ["published-1", "published-12"])
def test_recording_changes_nothing(layout: str) -> None:
    _, result = record_timeline(experiment(layout))
    assert result == run(experiment(layout)).result


@pytest.mark.parametrize(("layout", "suite"), [("published-1", "HM"), ("published-12", "HL")])
def test_sums_are_what_the_run_measured(layout: str, suite: str) -> None:
    timeline, result = record_timeline(experiment(layout, suite))
    client = timeline.layout.nodes[0]
    seen = [io for io in timeline.ios if io.node == client and io.seen_ns <= timeline.end_ns]
    for device in result.devices:
        count = sum(f"{io.rdev:04X}" == device.rdev for io in seen)
        assert count == round(device.io_per_s * SECONDS)
    written = [io for io in seen if io.command is Command.WRITE and io.outcome == "ended"]
    per_s = result.bytes_per_package_out * result.packages_per_s_out
    assert sum(io.length for io in written) == round(per_s * SECONDS)
    messages = sum(io.message_count for io in written)
    assert messages == round(result.messages_per_s_out * SECONDS)


def test_ios_of_a_device_follow_each_other() -> None:
    timeline, _ = record_timeline(experiment("published-4"))
    for end, node in enumerate(timeline.layout.nodes):
        for ctc in timeline.layout.ctcs:
            ios = timeline.of(node, ctc.rdevs[end])
            assert ios
            for before, after in pairwise(ios):
                assert before.begin_ns <= before.end_ns <= before.seen_ns <= after.begin_ns
            for io in ios:
                phases = list(io.phases())
                assert sum(end - begin for _, begin, end in phases) == io.end_ns - io.begin_ns


def test_every_collision_has_two_ends() -> None:
    timeline, result = record_timeline(experiment("published-1", "HM"))
    pairs = timeline.collisions()
    assert abs(len(pairs) - result.collisions_per_s * SECONDS) <= 1
    assert pairs
    for first, second in pairs:
        assert first.node != second.node
        assert first.outcome == second.outcome == "collided"
        assert abs(first.end_ns - second.end_ns) < 1_000_000
    assert record_timeline(experiment("published-4"))[0].collisions() == []


@pytest.mark.parametrize("bin_ns", [1_000_000, 7_777_777])
def test_fibre_rates_add_up_to_what_was_written(bin_ns: int) -> None:
    timeline, _ = record_timeline(experiment("published-12"))
    for node in timeline.layout.nodes:
        for end, fibre in [(timeline.layout.nodes.index(node), f) for f in timeline.layout.fibres]:
            rates = timeline.rates(node, fibre, bin_ns)
            rdevs = {ctc.rdevs[end] for ctc in timeline.layout.ctcs if ctc.fibre == fibre}
            whole = [
                io.length
                for io in timeline.ios
                if io.node == node
                and io.rdev in rdevs
                and io.command is Command.WRITE
                and io.outcome == "ended"
                and io.begin_ns >= timeline.begin_ns
                and io.end_ns <= timeline.end_ns
            ]
            edges = 2 * len(rdevs) * 900_000  # a package cut by the window at either end
            assert sum(whole) - 1 <= sum(rates) * bin_ns / 1e9 <= sum(whole) + edges


def test_backlog_is_that_of_the_link() -> None:
    timeline, result = record_timeline(experiment("published-12"))
    client = [b for b in timeline.backlogs if b.node == timeline.layout.nodes[0]]
    assert client[-1].message_count == result.tx_pend_count
    assert (client[0].at_ns, client[-1].at_ns) == (timeline.begin_ns, timeline.end_ns)
