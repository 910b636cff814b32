"""A command of isfc inside a process of the page: what it prints, and how it ends.

So whatever the page reads, writes and runs this way is what the command makes of it, errors and
all. Its input is in files of the folder of the page's processes, which goes with them.
"""

import io
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing.util import get_temp_dir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct

from isfc.cli.main import run
from isfc.cli.output.progress import progress_told
from isfc.cli.output.streams import ERROR_PREFIX, RUNNING, ExitCode
from isfc.cli.studio.work import Failed, Tell

COLUMNS: Final = "80"


class Printed(Struct, frozen=True):
    """What a command printed on standard output and on standard error."""

    out: str
    err: str


def printed(tell: Tell, words: Sequence[str], files: Mapping[str, bytes]) -> Printed | Failed:
    """Give a command ``files`` by the names that its words have for them.

    ``tell`` is told each time that one more hundredth of it is done, as ``{"share": 0.07}``, and
    what it says that it runs, as ``{"said": "Running a timeline"}``.
    A `Failed` has its error, in which the files have their names, if it was given bad input.
    """
    os.environ["COLUMNS"] = COLUMNS
    out, err = io.StringIO(), _Heard(tell)
    with TemporaryDirectory(dir=get_temp_dir()) as folder:
        held = {
            name: _written(Path(folder, str(number)), name, content)
            for number, (name, content) in enumerate(files.items())
        }
        with redirect_stdout(out), redirect_stderr(err), progress_told(by_hundredths(tell)):
            code = run([_with_paths(word, held) for word in words])
    said = [_with_names(each.getvalue(), held) for each in (out, err)]
    if code == ExitCode.BAD_INPUT:  # what is said is the error alone
        return Failed("\n".join(line.removeprefix(ERROR_PREFIX) for line in said[1].splitlines()))
    return Printed(*said)


class _Heard(io.StringIO):
    """Standard error, of which what is run next is told as it comes."""

    def __init__(self, tell: Tell) -> None:
        super().__init__()
        self._tell = tell

    def write(self, text: str) -> int:
        if text.startswith(RUNNING):
            self._tell({"said": text.strip()})
        return super().write(text)


def by_hundredths(tell: Tell) -> Callable[[float], None]:
    """What a command with progress calls; several bars, one after the other, begin again."""
    last = 0

    def advance(share: float) -> None:
        nonlocal last
        if int(share * 100) != last:
            last = int(share * 100)
            tell({"share": last / 100})

    return advance


def what_runs(tell: Tell) -> Callable[[str], None]:
    """What a capability calls with what it runs next."""
    return lambda what: tell({"said": f"{RUNNING}{what}"})


def _written(folder: Path, name: str, content: bytes) -> str:
    """The path of a file in a new folder; its name is the given one, as far as that is a file's."""
    folder.mkdir()
    path = folder / (re.sub(r"[^\w.-]", "_", name).lstrip(".")[:40] or "text")
    path.write_bytes(content)
    return str(path)


def _with_paths(word: str, held: Mapping[str, str]) -> str:
    """``NODE=name`` or ``name`` with the path of the file."""
    node, equals, name = word.rpartition("=")
    return f"{node}{equals}{held[name]}" if name in held else word


def _with_names(text: str, held: Mapping[str, str]) -> str:
    """Paths become names."""
    for name, path in held.items():
        text = text.replace(path, name)
    return text
