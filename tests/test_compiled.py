"""The compiled package is the same program: it does, step by step, what the source does."""

import ast
import os
import re
import runpy
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest

from tests.waiting import ran

ROOT = Path(__file__).parents[1]
RINGS = ("link", "system", "engine", "programs")

PROGRAM = """
import pickle
from io import BytesIO

import isfc.link.logical_link
from isfc.engine.virtual import VirtualEngine
from isfc.engine.journal import journalled, replay
from isfc.link.message import Message
from isfc.link.parameters import LinkParameters
from isfc.engine.journal_record import FILE_HEADER, JournalReader
from isfc.link.events import DigestSink
from isfc.layout.catalogue import load_layout
from isfc.layout.definition import define_link_end
from isfc.system.system import Send
from scenarios.runs.result import constants_digest
from scenarios.runs.run import Experiment, run
from scenarios.runs.workload import find_workload


class Silent:
    def start(self, now_ns):
        return ()

    def receive(self, event, now_ns):
        return ()


class MemoryJournal:
    def __init__(self):
        self.data, self.recording = bytearray(FILE_HEADER), True

    def __call__(self, record):
        self.data += record


print(isfc.link.logical_link.__file__.endswith(".py"))
for layout, name, pairs in (("published-1", "HM", 5), ("published-8", "HY", 100),
                            ("published-16", "HS", 50), ("published-12", "CDU:1000000", 5)):
    sink = DigestSink()
    run(Experiment.of(load_layout(layout), find_workload(name), pairs, 0.1, 0.05), trace=sink)
    print(sink.hexdigest())
experiment = Experiment.of(load_layout("published-12"), find_workload("HL"), 5)
print(constants_digest(experiment.link, experiment.guests))
print(pickle.loads(pickle.dumps(experiment)) == experiment)

journals = MemoryJournal(), MemoryJournal()
layout = load_layout("atlanta-boston")
systems = [
    journalled(define_link_end(layout, name, LinkParameters()), journal)
    for name, journal in zip(layout.nodes, journals)
]
engine = VirtualEngine(systems, [Silent(), Silent()])
for system in systems:
    system.apply(Send([Message(0, 500_000, data=bytes(500_000)), Message(1, 5)]), 0)
engine.drain()
engine.run(30_000_000)
for journal in journals:
    for record in JournalReader(BytesIO(journal.data).read):
        print(record.act.name, record.now_ns, record.number, record.outcome)
    done = replay(BytesIO(journal.data).read)
    print(done.difference, done.input_count > 40)
"""


Translate = Callable[..., list[SimpleNamespace]]


def translate(paths: list[str], group_name: str, **levels: str) -> list[SimpleNamespace]:
    """In place of mypyc, whose levels are gcc's, and whose extensions share one list of flags."""
    assert levels == {"opt_level": "3", "debug_level": "0"}
    flags = ["-O3"]
    return [
        SimpleNamespace(paths=paths, optional=False, extra_compile_args=flags, name=name)
        for name in (group_name, "shim")
    ]


def without_mypy(paths: list[str], group_name: str, **_: str) -> NoReturn:
    raise ModuleNotFoundError(f"No module 'mypyc' to translate {len(paths)} files of {group_name}")


def refused(paths: list[str], group_name: str, **_: str) -> NoReturn:
    """What mypyc does if mypy finds fault."""
    sys.exit(f"{paths[0]}:1: error: there is some in {group_name}")


def asked_to_compile(
    patch: pytest.MonkeyPatch, command: str, mypycify: Translate = translate
) -> list[SimpleNamespace]:
    """The extension modules that setup.py asks for when setuptools runs it for ``command``."""
    asked: dict[str, list[SimpleNamespace]] = {}
    patch.setattr("setuptools.setup", asked.update)
    patch.setattr("mypyc.build.mypycify", mypycify)
    patch.setattr(sys, "argv", ["setup.py", command])
    patch.delenv("ISFC_OPT_LEVEL", raising=False)
    patch.chdir(ROOT)
    runpy.run_path("setup.py")
    return asked["ext_modules"]


@pytest.mark.parametrize(
    ("asked", "compiler", "is_compiled"),
    [
        (None, sys.executable, True),
        (None, "no-such-compiler", False),
        ("1", "no-such-compiler", True),  # and fails
        ("0", sys.executable, False),
    ],
)
def test_wheel_is_compiled_where_it_can_be_unless_declined(
    monkeypatch: pytest.MonkeyPatch, asked: str | None, compiler: str, is_compiled: bool
) -> None:
    monkeypatch.delenv("ISFC_COMPILE", raising=False)
    if asked is not None:
        monkeypatch.setenv("ISFC_COMPILE", asked)
    monkeypatch.setenv("CC", compiler)
    found = asked_to_compile(monkeypatch, "bdist_wheel")
    assert bool(found) == is_compiled
    assert {extension.optional for extension in found} <= {asked is None}


@pytest.mark.skipif(sys.platform == "win32", reason="gcc's flags")
@pytest.mark.parametrize("command", ["bdist_wheel", "build"])
def test_each_module_has_each_flag_once(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("ISFC_COMPILE", "1")
    found = asked_to_compile(monkeypatch, command)
    for extension in found:
        flags = extension.extra_compile_args
        assert {"-O3", "-fvisibility=hidden"} < set(flags)
        assert len(flags) == len(set(flags))
    assert len(found) == 2


@pytest.mark.parametrize("mypycify", [without_mypy, refused])
def test_wheel_holds_the_source_where_mypyc_fails_unless_insisted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], mypycify: Translate
) -> None:
    monkeypatch.delenv("ISFC_COMPILE", raising=False)
    monkeypatch.setenv("CC", sys.executable)
    assert asked_to_compile(monkeypatch, "bdist_wheel", mypycify) == []
    assert "cannot be compiled: " in capsys.readouterr().err
    monkeypatch.setenv("ISFC_COMPILE", "1")
    with pytest.raises((ImportError, SystemExit)):
        asked_to_compile(monkeypatch, "bdist_wheel", mypycify)


@pytest.mark.parametrize("command", ["editable_wheel", "egg_info", "sdist"])
def test_nothing_else_is_compiled_whoever_insists(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("ISFC_COMPILE", "1")
    assert asked_to_compile(monkeypatch, command) == []


def test_every_module_of_a_pure_folder_is_compiled_or_has_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ISFC_COMPILE", "1")
    extension, *_ = asked_to_compile(monkeypatch, "bdist_wheel")
    interpreted = set(runpy.run_path(str(ROOT / "setup.py"))["INTERPRETED"])
    how, *chosen = extension.paths
    assert (ROOT / how.removeprefix("--config-file=")).is_file()
    assert len(chosen) == len(set(chosen))
    pure = {
        path.relative_to(ROOT).as_posix()
        for folder in ("ctc", *(f"isfc/{ring}" for ring in RINGS))
        for path in (ROOT / folder).glob("*.py")
        if path.name != "__init__.py"
    }
    assert interpreted < pure
    assert pure - interpreted <= set(chosen)
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    there = {"ctc", "isfc", "scenarios", *(re.split("[<>=]", each)[0] for each in build)}
    for path in chosen:  # `pip install .` compiles where nothing else is
        assert set(imported(path)) <= {*sys.stdlib_module_names, *there}, path


def test_every_frozen_record_that_is_compiled_can_be_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a frozen one inherits of Python alone sets its fields, which compiled it refuses."""
    monkeypatch.setenv("ISFC_COMPILE", "1")
    extension, *_ = asked_to_compile(monkeypatch, "bdist_wheel")
    classes = [
        (path, node, [ast.unparse(base) for base in node.bases])
        for path in extension.paths[1:]
        for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    frozen = [
        (path, node.name, bases)
        for path, node, bases in classes
        if any("frozen=True" in ast.unparse(each) for each in node.decorator_list)
    ]
    assert len(frozen) > 15
    assert [each for each in frozen if each[2] != ["Record"]] == []
    assert [(path, node.name) for path, node, bases in classes if "Struct" in bases] == []


def imported(path: str) -> Iterator[str]:
    """The first names of all modules that a file imports."""
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def traces(*folders: Path) -> list[str]:
    path = os.pathsep.join(map(str, folders))
    environment = os.environ | {"PYTHONSAFEPATH": "1", "PYTHONPATH": path}
    done = ran([sys.executable, "-c", PROGRAM], env=environment, cwd=ROOT, check=True, timeout=100)
    return done.stdout.splitlines()


@pytest.mark.at_length
@pytest.mark.slow
def test_compiled_package_leaves_the_same_trace(compiled: Path | None) -> None:
    if compiled is None:
        pytest.skip("there is no C compiler")
    interpreted, *expected = traces(ROOT)
    native, *found = traces(compiled)
    assert (interpreted, native) == ("True", "False")
    assert found == expected
    assert found.count("None True") == 2  # journals, replayed
