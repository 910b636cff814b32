"""The architecture lint finds nothing here, and each of its rules can fail."""

import ast
import re
from pathlib import Path

import pytest

from tools import PROJECT
from tools.checks import tidy

DOC = '"""A module."""\n'


def findings(root: Path, files: dict[str, str]) -> list[str]:
    """Write ``files`` below ``root`` and return what the lint says about them."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return [*tidy.check(root)]


def function(lines: int) -> str:
    return "\n".join(["def run() -> None:", *["    pass"] * (lines - 1)]) + "\n"


FACE = "isfc.measured"
"""Public as well, beside modules that are not: it names what is above them."""


def test_architecture_page_lists_every_ring_below_those_that_it_imports() -> None:
    page = (PROJECT / "docs" / "architecture.md").read_text("utf-8")
    table = page.partition("## Rings")[2].partition("## ")[0]
    folders = re.findall(r"^\| `([\w/.]+)`", table, re.MULTILINE)
    rows = [folder.removesuffix("/__init__.py").replace("/", ".") for folder in folders]
    faces = {"isfc", "isfc.__main__", "isfc.cli.studio", FACE}
    assert [row for row in rows if row not in faces] == [r for r in tidy.RINGS if r not in faces]
    assert faces - {*rows} == faces - {"isfc"}

    def row_of(name: str) -> int:
        """The row of a module; that of the face for what stands beside it."""
        inside = [row for row in rows if name == row or name.startswith(f"{row}.")]
        return rows.index(max(inside, key=len))

    for path in (path for top in tidy.INSTALLED for path in (PROJECT / top).rglob("*.py")):
        module = ".".join(path.relative_to(PROJECT).with_suffix("").parts)
        if module in {"isfc.__init__", "isfc.__main__", FACE}:
            continue
        text = path.read_text("utf-8")
        for name in re.findall(
            r"^\s*(?:from|import) ((?:ctc|isfc|scenarios)[\w.]*)", text, re.MULTILINE
        ):
            assert row_of(name) <= row_of(module.removesuffix(".__init__")), (module, name)


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("ctc/chpid.py", "from ctc.address import ChpidId"),
        ("ctc/chpid.py", "from collections.abc import Sequence"),
        ("isfc/link/logical_link.py", "from ctc.subchannel import Ssch"),
        ("isfc/link/events.py", "import hashlib"),
        ("isfc/live/engine.py", "import asyncio"),
        ("scenarios/runs/workload.py", "from random import Random\n\nDICE = Random(1)"),
        ("scenarios/runs/run.py", "from isfc.engine.virtual import VirtualEngine"),
        ("isfc/cli/main.py", "import asyncio\n\nimport rich\n\nfrom isfc import Node"),
        ("isfc/cli/run/command.py", "from isfc.cli.capability import command_of"),
    ],
)
def test_allowed(tmp_path: Path, module: str, line: str) -> None:
    assert findings(tmp_path, {module: DOC + f"{line}\n"}) == []


FORBIDDEN = """\
ctc/device.py | import time | OWN must not import time
ctc/device.py | import os.path | OWN must not import os.path
ctc/device.py | from .frame import F | OWN must not import .frame
ctc/device.py | from isfc import link | OWN must not import isfc
isfc/link/lock.py | from ctc import Ctc | OWN must not import ctc
isfc/engine/pump.py | import asyncio | OWN must not import asyncio
isfc/live/engine.py | import isfc.cli.x | OWN must not import isfc.cli.x
scenarios/runs/run.py | import rich | OWN must not import rich
isfc/cli/run/a.py | from isfc.cli.plan.page import x | OWN must not import isfc.cli.plan.page: it
scenarios/runs/a.py | import scenarios.figures.a | OWN must not import scenarios.figures.a: it
isfc/cli/main.py | from tools import tidy | OWN must not import tools
isfc/live/engine.py | from isfc import Node | imports from isfc/__init__.py: name the
isfc/cli/main.py | say = print | print: only isfc.cli.output.streams speaks to people
isfc/link/lock.py | open('x') | open: a node does no I/O and runs no text
scenarios/a.py | import random | import random: write `from random import Random`
scenarios/a.py | from random import choice | random.choice: use a seeded random.Random
scenarios/a.py | dice = Random() | Random() without a seed
"""
"""A module, a line in it, and how what is said of that begins, where OWN is the module's name."""


@pytest.mark.parametrize("row", FORBIDDEN.splitlines())
def test_forbidden(tmp_path: Path, row: str) -> None:
    module, line, message = row.split(" | ")
    message = message.replace("OWN", module.removesuffix(".py").replace("/", "."))
    text = f"if True:\n    {line}\n"  # rings hold inside functions and branches too
    (found,) = findings(tmp_path, {module: DOC + text})
    assert found.startswith(f"{module}:3: {message}")


def test_submodule_taken_from_its_package_is_that_module(tmp_path: Path) -> None:
    link = "from ctc import address\nfrom ctc import device\n"
    files = {"ctc/address.py": DOC, "ctc/device.py": DOC, "isfc/link/logical_link.py": DOC + link}
    assert findings(tmp_path, files) == [
        "isfc/link/logical_link.py:3: isfc.link.logical_link must not import ctc.device"
    ]


@pytest.mark.parametrize(
    ("at_limit", "beyond", "message"),
    [
        (DOC + "\n" * 499, DOC + "\n" * 500, "501: 501 lines: at most 500 in a module"),
        (DOC + function(60), DOC + function(61), "2: run has 61 lines: at most 60"),
        (
            DOC + f"def run({', '.join('abcdefghijklmn')}): ...",
            DOC + f"def run({', '.join('abcdefghijklm')}, *, n, o): ...",
            "2: run has 15 parameters: at most 14; a record holds those that belong together",
        ),
        (DOC, "SIZE = 1\n", "1: has no docstring: say what the module is for"),
    ],
)
def test_limits(tmp_path: Path, at_limit: str, beyond: str, message: str) -> None:
    assert findings(tmp_path, {"tests/test_it.py": at_limit}) == []
    assert findings(tmp_path, {"tests/test_it.py": beyond}) == [f"tests/test_it.py:{message}"]


@pytest.mark.parametrize("name", ["utils", "helpers", "serialization"])
def test_names_that_say_nothing(tmp_path: Path, name: str) -> None:
    message = f"1: the name {name!r} says nothing: name what it holds"
    files = {f"tools/{name}.py": DOC, f"tests/{name}/test_it.py": DOC}
    assert findings(tmp_path, files) == [
        f"tests/{name}/test_it.py:{message}",
        f"tools/{name}.py:{message}",
    ]


LONG = DOC + "x = 1\n" * 400
WHOLE = {
    "circles": {
        "ctc/a.py": "from ctc import b",
        "ctc/b.py": "import ctc.c",
        "ctc/c.py": "import ctc.a",
    },
    "upward": {"ctc/a.py": "import isfc.link.b", "isfc/link/b.py": "import ctc.c", "ctc/c.py": ""},
    "twice": {"ctc/a.py": "class A: ...", "tools/b.py": "class A: ..."},
    "short": {"ctc/a.py": "", "tests/b.py": "", "tools/__init__.py": ""},
    "long": {"ctc/a.py": LONG, "tests/b.py": LONG},
}
FOUND = {
    "circles": ["ctc.a", "ctc.b", "ctc.c"],
    "upward": ["ctc.a -> isfc.link.b"],
    "twice": ["A"],
    "short": ["ctc.a"],
    "long": ["ctc.a"],
}


@pytest.mark.parametrize("kind", WHOLE)
def test_what_is_found_of_the_whole(tmp_path: Path, kind: str) -> None:
    findings(tmp_path, WHOLE[kind])
    assert tidy.whole(tmp_path)[kind] == FOUND[kind]


def test_the_list_of_what_is_left_only_shrinks() -> None:
    none: dict[str, list[str]] = {kind: [] for kind in tidy.WHOLE}
    assert [*tidy.changed(none, none)] == []
    (new,) = tidy.changed(none | {"short": ["ctc.a"]}, none)
    assert new.startswith("ctc.a: has fewer lines than 40")
    (gone,) = tidy.changed(none, none | {"short": ["ctc.a"]})
    assert gone == "left.toml: short: ctc.a is none any more: take it out"


def waits(text: str) -> list[tuple[int, str]]:
    """What is found of waits in a module."""
    return [*tidy.unbounded([*ast.walk(ast.parse(text))])]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("subprocess.run(['true'], check=True)", "subprocess.run"),
        ("process.wait()", "wait"),
        ("threading.Thread(target=print).join()", "join"),
        ("from queue import Queue; Queue().get()", "get"),
        ("threads.submit(print).result()", "result"),
        ("socket.create_connection(address)", "create_connection"),
    ],
)
def test_wait_without_a_bound_is_found(line: str, name: str) -> None:
    assert waits(line) == [(1, f"{name} without a timeout: it may wait for ever")]


@pytest.mark.parametrize(
    "line",
    [
        "subprocess.run(['true'], timeout=60)",
        "subprocess.run(['true'], **options)",
        "process.wait(60)",
        "', '.join(words)",
        "task.result()",
        "threads.submit(print).result(60)",
        "async def main(): await stop.wait()",
        "while text:\n    text = text[1:]",
    ],
)
def test_wait_with_a_bound_or_in_a_loop_is_allowed(line: str) -> None:
    assert waits(line) == []


def test_loop_that_sleeps_is_found() -> None:
    loop = "while not path.exists():\n    time.sleep(0.1)"
    said = "a loop that sleeps: wait with tests/waiting.py, which has a bound"
    assert waits(loop) == [(1, said)]


def test_only_tests_are_looked_at_and_not_where_waiting_is_written(tmp_path: Path) -> None:
    names = ("tests/waiting.py", "tests/test_it.py", "tools/it.py", "scenarios/search/it.py")
    said = "tests/test_it.py:2: join without a timeout: it may wait for ever"
    assert findings(tmp_path, dict.fromkeys(names, DOC + "thread.join()\n")) == [said]
