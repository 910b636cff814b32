"""How far a long command has got: a bar on stderr if that is a terminal, and else lines."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final, TypeVar

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from isfc.cli.output.streams import ExitCode, show_error, show_log
from isfc.reports.figure import Unit
from isfc.reports.terminal import open_console
from isfc.reports.units import shown

_Experiment = TypeVar("_Experiment")
_Outcome = TypeVar("_Outcome")

SAID_EVERY_S: Final = 10.0
"""How often stderr is told where it is no terminal, in seconds: a short command says nothing."""

SO_FAR: Final = "So far "
"""How such a line begins."""

BAR_FROM_COLUMNS: Final = 60
"""On a narrower terminal there is room for the words only."""

_watchers: list[Callable[[float], None]] = []
"""Who is told, beside the terminal, what share of a command is done."""


@contextmanager
def progress_told(tell: Callable[[float], None]) -> Iterator[None]:
    """While the body runs, ``tell`` is told what share is done, from 0 to 1, by every bar."""
    _watchers.append(tell)
    try:
        yield
    finally:
        _watchers.remove(tell)


@contextmanager
def runs_told(tell: Callable[[float], None]) -> Iterator[None]:
    """The same, and what is to be run is shared out among all processors."""
    from scenarios.search.workers import running_by  # processes, which most commands do without

    with progress_told(tell), running_by(run_all):
        yield


@contextmanager
def progress_bar(
    total: float,
    unit: str,
    interrupted: Callable[[float], str] | None = None,
    *,
    is_said: bool = False,
) -> Iterator[Callable[[float], None]]:
    """Show a bar while the body runs, which says how much of ``total`` is done.

    The bar leaves no trace, so that a screen holds the results only. Without a terminal there is a
    line each `SAID_EVERY_S` if it ``is_said``, also while one of few runs goes on. After Ctrl-C the
    command ends with what ``interrupted`` says of how much was done.
    """
    done: float = 0
    begun_s = said_s = time.monotonic()
    console = open_console(stderr=True)
    wide = console.width >= BAR_FROM_COLUMNS
    columns = (
        *([BarColumn()] if wide else []),
        TextColumn(f"{{task.completed:.4g}} of {{task.total:.4g}} {unit}"),
        *([TimeElapsedColumn()] if wide else []),
        TimeRemainingColumn(compact=True),
    )
    progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = progress.add_task("", total=total)
    unseen = is_said and not console.is_terminal and not _watchers

    def say(more: str = "") -> None:
        nonlocal said_s
        said_s = time.monotonic()
        show_log(f"{SO_FAR}{shown(done, Unit.ANY)} of {shown(total, Unit.ANY)} {unit}{more}")

    def advance(amount: float) -> None:
        nonlocal done
        done = amount
        if unseen and time.monotonic() - said_s >= SAID_EVERY_S:
            say()
        progress.update(task, completed=min(done, total))
        for tell in _watchers:
            tell(min(1.0, done / total) if total else 1.0)

    def remind() -> None:
        while not over.wait(SAID_EVERY_S):
            now_s = time.monotonic()
            if now_s - said_s >= SAID_EVERY_S:
                say(f", after {round(now_s - begun_s)} s")

    over = Event()
    if unseen:
        Thread(target=remind, daemon=True).start()
    try:
        with progress:
            yield advance
    except KeyboardInterrupt:
        if interrupted is None:
            raise
        show_error(interrupted(done))
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    finally:
        over.set()


def run_all(
    work: Callable[[_Experiment], _Outcome],
    experiments: Sequence[_Experiment],
    jobs: int | None = None,
    *,
    is_said: bool = False,
) -> list[_Outcome]:
    """What ``work`` makes of every experiment, in their order; ``jobs`` of them at a time.

    ``work`` is a function of a module, which workers can find; ``is_said`` is as for
    `progress_bar`. After Ctrl-C the command ends
    and says how many were done.
    """
    from scenarios.search.workers import staffed  # processes, which most commands do without

    outcomes: dict[int, _Outcome] = {}
    jobs, count = jobs or os.cpu_count() or 1, len(experiments)
    with (
        staffed(work, jobs, copies=count) as each,  # before the bar has a thread
        progress_bar(
            count, "runs", lambda done: f"interrupted after {done} of {count} runs", is_said=is_said
        ) as advance,
    ):
        for index, outcome in each(experiments):
            outcomes[index] = outcome
            advance(len(outcomes))
    return [outcomes[index] for index in range(len(experiments))]
