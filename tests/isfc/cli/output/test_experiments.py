"""Many experiments at a time: their order, and Ctrl-C."""

from collections.abc import Iterator
from contextlib import nullcontext

import pytest
import typer

from isfc.cli.output.exits import ExitCode
from isfc.cli.output.progress import run_all
from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import repetitions
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES

ONE = Experiment.of(load_layout("published-1"), SUITES["HS"], pairs=1, seconds=0.01, warmup=0)


def test_outcomes_come_in_the_order_of_the_experiments() -> None:
    experiments = repetitions(ONE, 3)
    assert run_all(run, experiments, 2) == [run(experiment) for experiment in experiments]


def test_interrupt_says_how_many_were_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> Iterator[tuple[int, object]]:
        yield 1, None
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "scenarios.search.workers.staffed", lambda *_, **__: nullcontext(interrupted)
    )
    with pytest.raises(typer.Exit) as ended:
        run_all(run, repetitions(ONE, 3), None)
    assert ended.value.exit_code == ExitCode.INTERRUPTED
    assert capsys.readouterr() == ("", "isfc: interrupted after 1 of 3 runs\n")
