"""Help without the parser: it is what the parser would print, and loads next to nothing."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from isfc.cli import __path__ as cli
from isfc.cli.main import COMMANDS, run
from isfc.cli.written_help import written_help
from tools.pages.commands import texts, write

ROOT = Path(cli[0]).parents[1]
SCRIPT = "import sys; from isfc.cli.script import main; sys.exit(main())"
LOADED_MAX: Final = 45
"""Ours are ten, `typing` and `signal` bring some thirty along; the parser would be eighty more."""


def ask(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        env=os.environ | {"COLUMNS": "100"} | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The help, newly built."""
    folder = tmp_path_factory.mktemp("help")
    (folder / "isfc-gone.txt").touch()
    write(folder, texts())
    return str(folder)


@pytest.mark.parametrize("words", [(), ("plan",), ("io",), ("io", "plan"), ("measured", "fit")])
def test_help_is_what_the_parser_prints(
    words: tuple[str, ...],
    folder: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([*words, "--help"]) == 0
    assert written_help([*words, "-h"], folder) == capsys.readouterr().out


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("plan", "--help")])
def test_version_and_help_load_little_more_than_an_empty_python(
    arguments: tuple[str, ...], folder: str
) -> None:
    code = (
        "import sys\n"
        "empty = set(sys.modules)\n"
        "from isfc.cli.written_help import written_help\n"
        "written_help.__defaults__ = (sys.argv[1],)\n"
        "del sys.argv[1]\n"
        f"try: {SCRIPT}\n"
        "except SystemExit: pass\n"
        "print(*sorted(set(sys.modules) - empty))\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, folder, *arguments],
        env=os.environ | {"COLUMNS": "100"}, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    loaded = said.stdout.splitlines()[-1].split()
    assert not {"typer", "rich", "json", "csv", "pathlib", "shutil"} & set(loaded)
    assert len(loaded) <= LOADED_MAX


def test_every_command_has_its_help_written_down(folder: str) -> None:
    for name in COMMANDS:
        said = written_help([name, "--help"], folder) or ""
        assert said.startswith(f"Usage: isfc {name} ")


def test_help_of_a_command_that_is_gone_is_removed(folder: str) -> None:
    assert written_help(["gone", "--help"], folder) is None


def test_help_that_is_not_built_or_older_than_the_source_is_left_to_the_parser(
    tmp_path: Path,
) -> None:
    assert written_help(["plan", "--help"], str(tmp_path)) is None
    written = tmp_path / "isfc-plan.txt"
    written.write_text("Usage: ...")
    assert written_help(["plan", "--help"], str(tmp_path)) == "Usage: ..."
    source = (ROOT / "scenarios" / "runs" / "workload.py").stat()
    os.utime(written, ns=(source.st_atime_ns, source.st_mtime_ns - 1))
    assert written_help(["plan", "--help"], str(tmp_path)) is None


def test_what_is_installed_is_never_older_than_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "isfc-plan.txt"
    written.write_text("Usage: ...")
    os.utime(written, (0, 0))
    installed = tmp_path / "isfc" / "cli" / "written_help.py"
    monkeypatch.setattr("isfc.cli.written_help.__file__", str(installed))
    assert written_help(["plan", "--help"], str(tmp_path)) == "Usage: ..."


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["plann", "--help"], "No such command 'plann'"),
        (["plan", "--fast", "--help"], "No such option: --fast"),
        (["plan", "published-1", "--help"], "Usage: isfc plan"),
        (["io-plan", "--help"], "No such command 'io-plan'"),
        (["../help/isfc", "--help"], "No such command '../help/isfc'"),
    ],
)
def test_what_is_not_plainly_a_command_is_for_the_parser(
    arguments: list[str], wanted: str, folder: str
) -> None:
    assert written_help(arguments, folder) is None
    said = ask(*arguments)
    assert wanted in said.stdout + said.stderr


def test_narrow_terminal_gets_help_that_fits(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = ask("plan", "--help", COLUMNS="60")
    assert max(map(len, said.stdout.splitlines())) <= 60
    monkeypatch.setenv("COLUMNS", "79")
    assert written_help(["plan", "--help"], folder) is None
    monkeypatch.setenv("COLUMNS", "wide")
    assert written_help(["plan", "--help"], folder)


def test_shell_that_completes_is_answered_by_the_parser() -> None:
    said = ask("--help", _ISFC_COMPLETE="source_bash")
    assert "Usage" not in said.stdout
    assert "complete" in said.stdout
