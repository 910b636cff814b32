"""The ``isfc`` command as a process; ``python -m isfc`` is that of the Python which is meant."""

import sys
from contextlib import suppress

from isfc import __version__
from isfc.cli.interrupt import interrupts_ignored, interrupts_quit
from isfc.cli.render.output import show_lines
from isfc.cli.standard_files import open_closed_files


def main() -> int:
    """Run the command line of the process; return its exit code."""
    interrupts_quit()
    open_closed_files()
    if sys.argv[1:] == ["--version"]:  # scripts ask often, and the parser takes most of the time
        with suppress(OSError):  # `run` says what is wrong with stdout
            show_lines([f"isfc {__version__}"])
            return 0
    from isfc.cli.main import run  # it loads much, and Ctrl-C may come meanwhile

    code = run()
    interrupts_ignored()
    return code


if __name__ == "__main__":
    raise SystemExit(main())
