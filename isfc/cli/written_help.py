"""Help that is printed as it was written down, without the parser: it takes most of the time.

``python -m tools.pages.written_help`` writes ``isfc/cli/help``, a file for each command, by the
parser; a test compares them. For a narrow terminal the parser makes its own.
"""

import os
from collections.abc import Sequence
from typing import Final

FOLDER: Final = os.path.join(os.path.dirname(__file__), "help")  # noqa: PTH118, PTH120
"""Not by pathlib, which is slow to load."""
COMPLETING: Final = "_ISFC_COMPLETE"
"""Set in the environment by a shell that asks how a command line may go on: that is no help."""
OPTIONS: Final = ("-h", "--help")
COLUMNS: Final = 80
"""From this width on, the parser writes the same help."""


def written_help(arguments: Sequence[str]) -> str | None:
    """The help that a command line asks for; None if another module has to answer it."""
    *words, last = arguments or [""]
    if last not in OPTIONS or not all(map(str.isalpha, words)) or _columns() < COLUMNS:
        return None
    try:
        path = os.path.join(FOLDER, help_file(words))  # noqa: PTH118
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            return file.read()
    except OSError:  # no such command: the parser knows what to say
        return None


def help_file(words: Sequence[str]) -> str:
    """The name of the file that has the help of a command, such as of ``["io", "plan"]``."""
    return "-".join(["isfc", *words]) + ".txt"


def _columns() -> int:
    """How wide the parser would take the terminal to be: as `shutil.get_terminal_size` says."""
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size().columns
        except OSError:
            columns = 0
    return columns if columns > 0 else COLUMNS
