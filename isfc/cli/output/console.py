"""rich's console as every command uses it. Loading rich takes longer than many commands run."""

import sys

from rich.console import Console

PIPED_WIDTH = 80
"""Columns of an output that is no terminal, whatever the shell says its window has."""


class _OutputConsole(Console):
    """A console that leaves a broken pipe to its caller."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def open_console(*, stderr: bool = False) -> Console:
    """A console on stdout, or on stderr, as they are now.

    Text is shown as it is: square brackets, colons and numbers in it mean nothing special.
    """
    stream = sys.stderr if stderr else sys.stdout
    is_terminal = stream is not None and stream.isatty()
    return _OutputConsole(
        stderr=stderr,
        width=None if is_terminal else PIPED_WIDTH,
        markup=False,
        emoji=False,
        highlight=False,
    )
