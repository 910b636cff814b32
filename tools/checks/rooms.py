"""Code lines of every room, which grow only where somebody says so.

``python -m tools.checks.rooms`` holds each room to its number in ``rooms.toml``, and ends with 1
where one has more, or more than `SLACK` fewer. With ``--write`` it writes the numbers of today: a
commit that raises one does only that, and says why. Lines count without docstrings, comments and
blanks.
"""

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tools import PROJECT
from tools.checks import say
from tools.checks.tidy import FOLDERS

NUMBERS: Final = Path(__file__).with_name("rooms.toml")
SLACK: Final = 100
"""So many lines fewer than its number a room may have before the number has to follow (chosen)."""


def code_lines(text: str) -> int:
    """How many lines of a module are code."""
    lines = [line.strip() for line in text.splitlines()]
    code = {number for number, line in enumerate(lines, 1) if line and not line.startswith("#")}
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                code -= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return len(code)


def counted(root: Path) -> dict[str, int]:
    """Code lines by room: a folder of the top level, and each folder inside."""
    found: Counter[str] = Counter()
    for folder in FOLDERS:
        for path in (root / folder).rglob("*.py"):
            room = "/".join(path.relative_to(root).parts[:-1][:2])
            found[room] += code_lines(path.read_text("utf-8"))
    return dict(sorted(found.items()))


def outgrown(now: Mapping[str, int], numbers: Mapping[str, int]) -> Iterator[str]:
    """What is to be said of rooms that have other numbers of lines than are written down."""
    for room in sorted({*now, *numbers}):
        lines, number = now.get(room, 0), numbers.get(room, 0)
        if lines > number:
            more = f"{room}: {lines} code lines, {number} are written down: take out as many"
            yield f"{more}, or raise the number in a commit of its own that says why"
        elif lines < number - SLACK:
            yield f"{room}: {lines} code lines, {number} are written down: make them follow"


def main(arguments: list[str]) -> int:
    """Check the rooms of this project, or write their numbers; return the exit status."""
    now = counted(PROJECT)
    if arguments == ["--write"]:
        rows = "".join(f'"{room}" = {lines}\n' for room, lines in now.items())
        NUMBERS.write_text(f"# Code lines of each room: tools/checks/rooms.py\n{rows}", "utf-8")
        return 0
    return say(outgrown(now, tomllib.loads(NUMBERS.read_text("utf-8"))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
