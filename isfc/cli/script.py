"""The ``isfc`` command as a process: Ctrl-C ends it in silence from its first line on."""

import _signal  # type: ignore[import-not-found]  # what `signal` is made of; it loads nothing

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

# Ctrl-C may come while these load
import gc
import os
import sys
from contextlib import suppress

from isfc import __version__
from isfc.cli.output.streams import (
    COMPLETING,
    escape_what_cannot_be_encoded,
    interrupts_ignored,
    interrupts_quit,
    open_closed_files,
    show_lines,
)
from isfc.cli.written_help import written_help


def main() -> int:
    """Run the command line of the process; return its exit code."""
    interrupts_quit()
    open_closed_files()
    escape_what_cannot_be_encoded()
    if (said := _said_without_parser(sys.argv[1:])) is not None:
        with suppress(OSError):  # `run` says what is wrong with stdout
            show_lines(said)
            return 0
    gc.disable()  # nothing that is loaded is garbage
    from isfc.cli.main import run  # it loads much, and Ctrl-C may come meanwhile

    code = run()
    interrupts_ignored()
    return code


def _said_without_parser(arguments: list[str]) -> list[str] | None:
    """What answers a command line; None for most, which take the parser, slow to load as it is."""
    if COMPLETING in os.environ:
        return None
    if arguments == ["--version"]:
        return [f"isfc {__version__}"]
    text = written_help(arguments)
    return None if text is None else text.splitlines()
