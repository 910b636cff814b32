"""The pages' console blocks: a command after ``$``, and below it what it prints.

``make docs`` runs the commands again and puts what they print into the pages. In what is shown, a
line ``...`` stands for lines left out: as many lines as stand before it and after it are kept. A
block headed ``console once`` shows what differs from time to time, and is left alone; one headed
``console slow`` takes more than a second, and one headed ``console long`` so long that only ``make
test-all`` runs it. In one headed ``console live`` the first command leaves systems running, and the
others look at them.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from isfc.cli.output.progress import SO_FAR
from tools import PROJECT as PROJECT

PAGES: Final = (
    "README.md",
    *(f"docs/{path.name}" for path in sorted((PROJECT / "docs").glob("*.md"))),
)
GAP: Final = "..."
LIVE_S: Final = 5.0
"""Until what goes on in the background has settled."""

_BLOCK: Final = re.compile(r"(?ms)^```console(?P<mark>[^\n]*)\n(?P<body>.*?)^```$")
_STEP: Final = re.compile(r"(?m)^\$ (?P<command>.*)\n(?P<shown>(?:(?!\$ ).*\n)*)")


class ConsoleCommand(Struct, frozen=True):
    """One command of a page, and what the page says it prints; ``mark`` is its block's."""

    page: str
    command: str
    shown: str
    mark: str


def blocks(page: str, text: str) -> Iterator[list[ConsoleCommand]]:
    """The commands of a page, those of each block together: one may need what one before made."""
    for block in _BLOCK.finditer(text):
        yield [
            ConsoleCommand(page, step["command"], step["shown"], block["mark"].strip())
            for step in _STEP.finditer(block["body"])
        ]


def renewed(text: str, run: Callable[[str], str]) -> str:
    """The page with what ``run`` says that its commands print."""

    def renew_step(step: re.Match[str]) -> str:
        return f"$ {step['command']}\n{abridge(run(step['command']), step['shown'])}"

    def renew_block(block: re.Match[str]) -> str:
        body, mark = block["body"], block["mark"].strip()
        if mark == "live":
            first, *_ = _STEP.finditer(body)
            with background(first["command"]) as printed:
                time.sleep(LIVE_S)
                body = f"$ {first['command']}\n{printed}"
                body += _STEP.sub(renew_step, block["body"][first.end() :])
        elif mark != "once":
            body = _STEP.sub(renew_step, body)
        return f"```console{block['mark']}\n{body}```"

    return _BLOCK.sub(renew_block, text)


def abridge(printed: str, shown: str) -> str:
    """``printed`` with lines left out where ``shown`` has them left out."""
    lines, pattern = printed.splitlines(), shown.splitlines()
    if GAP in pattern:
        head = pattern.index(GAP)
        tail = len(pattern) - head - 1
        if len(lines) > len(pattern):
            lines[head : len(lines) - tail] = [GAP]
    return "".join(f"{line}\n" for line in lines)


_RUNTIME: Final = tempfile.TemporaryDirectory(prefix="isfc-console-")
"""Where the pages' live nodes are found: by their commands, and by nobody else's."""


def scratch(page: str = "") -> Path:
    """The folder in which a page's commands run: they may write there, and find the project's."""
    folder = Path(_RUNTIME.name, f"project {page.replace('/', ' ')}")
    if not folder.exists():
        folder.mkdir()
        for name in ("docs", "tests", "tools"):
            (folder / name).symlink_to(PROJECT / name)
    return folder


def run(command: str, page: str = "") -> str:
    """What a command of a page prints, errors included, but for how far it has got meanwhile."""
    process = subprocess.run(
        command,
        shell=True,
        cwd=scratch(page),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if "Traceback (most recent call last)" in process.stdout:
        raise RuntimeError(f"{command}\n{process.stdout}")
    return without_progress(process.stdout)


def without_progress(printed: str) -> str:
    """What was printed, but for how far it had got meanwhile."""
    lines = printed.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(SO_FAR))


@contextmanager
def background(command: str) -> Iterator[str]:
    """Let the systems that a command leaves running go on for as long as the block lasts.

    The block gets what it printed.
    """
    printed = run(command)
    try:
        yield printed
    finally:
        run(f"{command.partition(' --detach')[0]} --end")


def environment() -> dict[str, str]:
    """That of the pages' commands."""
    ours = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    return ours | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "XDG_RUNTIME_DIR": _RUNTIME.name,
    }
