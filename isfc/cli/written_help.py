"""Help that is printed as it was written down, without the parser: it takes most of the time.

``python -m tools.pages.commands`` writes ``isfc/cli/help``, a file for each command, by the
parser: the build of a wheel does, and in a checkout ``make``. Where there is no file, where it is
older than the source of a checkout, and for a narrow terminal the parser makes its own.
"""

import os
from collections.abc import Iterator, Sequence
from typing import Final

# os.path and not pathlib, here and below: loading that takes longer than printing the help
FOLDER: Final = os.path.join(os.path.dirname(__file__), "help")  # noqa: PTH118, PTH120
"""Not by pathlib, which is slow to load."""
OPTIONS: Final = ("-h", "--help")
COLUMNS: Final = 80
"""From this width on, the parser writes the same help."""
SOURCES: Final = ("ctc", "isfc", "scenarios")
"""The packages that a help may be taken from."""


def written_help(arguments: Sequence[str], folder: str = FOLDER) -> str | None:
    """The help that a command line asks for; None if another module has to answer it."""
    *words, last = arguments or [""]
    if last not in OPTIONS or not all(map(str.isalpha, words)) or _columns() < COLUMNS:
        return None
    try:
        path = os.path.join(folder, help_file(words))  # noqa: PTH118
        if _is_outdated(os.stat(path).st_mtime_ns):  # noqa: PTH116
            return None
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            return file.read()
    except OSError:  # not built, or no such command: the parser knows what to say
        return None


def help_file(words: Sequence[str]) -> str:
    """The name of the file that has the help of a command, such as of ``["io", "plan"]``."""
    return "-".join(["isfc", *words]) + ".txt"


def _is_outdated(made_ns: int) -> bool:
    """Whether some source is newer, in a checkout; what is installed does not change."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120
    if not os.path.exists(os.path.join(root, "setup.py")):  # noqa: PTH110, PTH118
        return False
    return any(
        changed_ns > made_ns
        for name in SOURCES
        for changed_ns in _changed_ns(os.path.join(root, name))  # noqa: PTH118
    )


def _changed_ns(folder: str) -> Iterator[int]:
    """The time of the last change of each file that makes the code."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__" and entry.path != FOLDER:
                    yield from _changed_ns(entry.path)
            else:
                yield entry.stat().st_mtime_ns


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
