"""`simulate`: the figures of ``isfc run``, as records."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from isfc.answers.simulation import OWN_RULES, Simulation, simulate
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.link.parameters import LinkParameters, LinkRules
from isfc.link.scan import LinkDevice
from isfc.link.schedule import WriteScheduler
from isfc.reports.text import encoded
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import find_workload

LAYOUT = load_layout("published-4")


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return simulate(LAYOUT, "HS", pairs=3, seconds=0.05, warmup=0.01, interval=0.02)


def test_figures_are_those_of_a_run(simulation: Simulation) -> None:
    experiment = Experiment.of(LAYOUT, find_workload("HS"), 3, seconds=0.05, warmup=0.01)
    assert simulation.recording == run(experiment, 0.02).link()


def test_layout_and_workload_may_be_given_by_name_path_or_record(
    simulation: Simulation, tmp_path: Path
) -> None:
    file = tmp_path / "link.toml"
    file.write_text(
        '[fibre.1]\nfeature = "FICON Express2"\nchpid = { A = "40", B = "50" }\n'
        '[[ctc]]\nfibre = "1"\nrdevs = { A = "6000", B = "7000" }\n'
    )
    named = simulate("published-4", "HS", pairs=3, seconds=0.05, warmup=0.01, interval=0.02)
    assert named == simulation
    read = simulate(load_layout(file), find_workload("HS"), pairs=1, seconds=0.01, warmup=0)
    assert read.answer.nodes == ("A", "B")
    for path in (file, str(file)):
        same = simulate(path, "HS", pairs=1, seconds=0.01, warmup=0, client="a")
        assert same.client == read.client


def test_rows_have_an_interval_and_a_system_each(simulation: Simulation) -> None:
    first, second = LAYOUT.nodes
    ends = [(row["until_s"], row["node"]) for row in simulation.rows()]
    assert ends == [(until, node) for until in (0.03, 0.05, 0.06) for node in (first, second)]
    devices = simulation.device_rows()
    assert len(devices) == 3 * 2 * 4
    assert {"until_s", "node", "rdev", "pend_ms", "busy_percent"} <= {*devices[0]}
    assert not any(
        isinstance(value, list | tuple | dict) for row in devices for value in row.values()
    )


def test_intervals_add_up_to_the_whole(simulation: Simulation) -> None:
    lengths = (0.02, 0.02, 0.01)
    parts = [part.result.messages_per_s for part in simulation.client.parts]
    sent = sum(rate * length for rate, length in zip(parts, lengths, strict=True))
    assert sent == pytest.approx(simulation.result.messages_per_s * 0.05)


def test_its_answer_is_the_record_that_the_command_prints(simulation: Simulation) -> None:
    answer = json.loads(json.dumps(encoded(simulation.answer)))
    assert (answer["workload"], answer["pairs"], answer["seed"]) == ("HS", 3, 1)
    assert answer["mb_per_s"] == simulation.mb_per_s
    known = json.loads(json.dumps(encoded(simulation.figures["mb_per_s"])))
    assert answer["figures"]["mb_per_s"] == known


def test_it_shows_itself_in_a_line_and_in_a_notebook(simulation: Simulation) -> None:
    first, second = LAYOUT.nodes
    assert repr(simulation).startswith(f"<Simulation {first} - {second}: 3 pairs of HS, ")
    assert "The run by intervals" in simulation._repr_html_()


def test_a_trace_keeps_every_io_and_changes_nothing(simulation: Simulation) -> None:
    traced = simulate(LAYOUT, "HS", pairs=3, seconds=0.05, warmup=0.01, interval=0.02, trace=True)
    assert traced.recording == simulation.recording
    assert traced.timeline is not None
    rows = traced.timeline.rows()
    written = [row for row in rows if row["command"] == "WRITE" and row["node"] == LAYOUT.nodes[0]]
    moved = sum(row["message_count"] for row in written if row["outcome"] == "ended")
    assert moved == pytest.approx(simulation.result.messages_per_s_out * 0.05, abs=2)
    used = {row["rdev"] for row in traced.device_rows() if row["io_per_s"]}
    assert {row["rdev"] for row in rows} == used


def test_rules_of_ones_own_are_run_and_have_no_ranges(simulation: Simulation) -> None:
    def upward(devices: Sequence[LinkDevice], _: bool, of: LinkParameters) -> WriteScheduler:
        scan = sorted(device.rdev for device in devices)
        return WriteScheduler(scan, of.opening_rule, opens_further=lambda *_: True)

    how: Any = {"pairs": 3, "seconds": 0.05, "warmup": 0.01, "interval": 0.02}
    theirs = simulate(LAYOUT, "HM", **how, rules=LinkRules(scheduler=upward))
    assert theirs.collisions_per_s > 100
    for figures in (theirs.figures, theirs.answer.figures):
        assert [each.no_range for each in figures.values()] == ["its rules are of one's own"] * 4
    assert OWN_RULES in theirs.notes
    assert OWN_RULES in theirs.answer.notes
    assert simulate(LAYOUT, "HS", **how, rules=LinkRules()).client == simulation.client


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pairs": 0}, "pairs 0: expected 1 to"),
        ({"pairs": 1, "seconds": 61.0, "trace": True}, "trace with 61 s: expected seconds 60 or"),
        ({"pairs": 1, "interval": 0}, "interval 0: expected 0.001 to"),
        ({"pairs": 1, "client": "NOBODY"}, "client NOBODY: "),
        ({"pairs": 1, "client": "nobody!"}, "'NOBODY!' is not a node name"),
    ],
)
def test_what_cannot_run_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        simulate(LAYOUT, "HS", **arguments)  # type: ignore[arg-type]
