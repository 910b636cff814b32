"""The bar: only where somebody looks at it, and gone afterwards; else lines; and many runs."""

from collections.abc import Iterator
from contextlib import nullcontext
from threading import Event

import pytest
import typer

from isfc.cli.output.progress import progress_bar, run_all
from isfc.cli.output.streams import ExitCode
from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import repetitions
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES
from tests.isfc.cli.conftest import Terminal
from tests.waiting import PATIENCE_S


def test_nothing_is_shown_of_what_is_short_where_nobody_looks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress_bar(10, "runs") as advance:
        advance(5)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("columns", [40, 80])
def test_terminal_shows_how_much_is_done(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    with progress_bar(140, "replays of the tables") as advance:
        advance(139)
    assert "139 of 140 replays of the tables" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is wiped
    assert capsys.readouterr().out == ""


def test_a_command_that_lasts_says_how_far_it_has_got(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = 0.0
    monkeypatch.setattr("isfc.cli.output.progress.time.monotonic", lambda: now_s)
    with progress_bar(12, "guests", is_said=True) as advance:
        for done in range(12):
            now_s += 4
            advance(done)
    assert capsys.readouterr().err.splitlines() == [
        "So far 2 of 12 guests",
        "So far 5 of 12 guests",
        "So far 8 of 12 guests",
        "So far 11 of 12 guests",
    ]


def test_a_single_run_that_lasts_says_so_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("isfc.cli.output.progress.SAID_EVERY_S", 0.01)
    said = Event()
    monkeypatch.setattr("isfc.cli.output.progress.show_log", lambda _: said.set())
    with progress_bar(1, "runs", is_said=True):
        assert said.wait(PATIENCE_S)


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
