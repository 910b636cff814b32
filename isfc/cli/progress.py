"""How far a long command has got: a bar on stderr, when that is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from isfc.cli.render.console import open_console


@contextmanager
def progress_bar(total: float, unit: str) -> Iterator[Callable[[float], None]]:
    """Show a bar while the body runs, which says how much of ``total`` is done.

    The bar leaves no trace, so that a screen holds the results only.
    """
    console = open_console(stderr=True)
    columns = (
        BarColumn(),
        TextColumn(f"{{task.completed:.4g}} of {{task.total:.4g}} {unit}"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=total)
        yield lambda done: progress.update(task, completed=done)
