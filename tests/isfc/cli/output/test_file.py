"""Output files are checked before any work is done for them."""

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import pytest

from isfc.cli.main import run
from isfc.cli.output.file import check_file, check_kept, write_file
from isfc.cli.output.streams import ExitCode
from isfc.errors import ConfigurationError
from tests.isfc.cli.conftest import every_command, options_of


def test_file_that_is_there_or_may_be_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "page.HTML"
    for _ in range(2):
        check_file("-o", path, (".html",), force=False)
        path.touch()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("page.txt", r"-o \S+page.txt: expected a file that ends with .html or .svg"),
        ("none/page.html", "-o .*: there is no folder .*none"),
        ("folder.html", "-o .*folder.html: is a folder; expected a file"),
    ],
)
def test_file_that_cannot_be_is_refused(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(ConfigurationError, match=message):
        check_file("-o", tmp_path / name, (".html", ".svg"), force=False)


@pytest.mark.parametrize("is_there", [False, True])
def test_file_that_may_not_be_written_is_refused(
    *, is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html"
    if is_there:
        path.touch()
    guarded = path if is_there else tmp_path
    monkeypatch.setattr(os, "access", lambda what, _: what != guarded)  # modes do not stop root
    with pytest.raises(ConfigurationError, match=r"page\.html: may not be written"):
        check_file("-o", path, (".html",), force=False)


WRITING: Final = """
report atlanta-boston -o f.html
show atlanta-boston -o f.svg
check atlanta-boston --html f.html
size --mb-per-s 100 -o f.toml
change published-4 published-8 --try . --no-rates
optimise atlanta-boston -o f.toml
optimise atlanta-boston --objective forward --objective reverse --plot f.svg
sweep grid.toml -o f.csv
sweep grid.toml --plot f.svg
run atlanta-boston --workload HL --pairs 9 --trace f.json
run atlanta-boston --workload HL --pairs 9 --html f.html
run atlanta-boston --workload HL --pairs 9 --plot f.svg
relocate atlanta-boston --like java --html f.html
evacuate atlanta-boston ATLANTA --guests guests.csv --html f.html
replay transport --plot f.svg
measured read lines.txt -o f.csv
measured compare atlanta-boston lines.txt --plot f.svg
measured fit atlanta-boston lines.txt -o f.toml
loads atlanta-boston lines.txt --plot f.svg
io size mix.toml -o f.toml
io chart response --plot f.svg
ctce atlanta-boston --timeline f.json
"""
"""The commands that do work, each with the options that name a file to write."""

WRITE: Final = frozenset(["--output", "--plot", "--trace", "--timeline", "--try", "--html"])
"""Options that do, where they name a path: `--journal` and `--store` keep what is there."""


@pytest.mark.parametrize("line", [line for line in WRITING.splitlines() if line])
def test_nothing_is_run_whose_result_could_not_be_kept(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grid.toml").write_text(
        "[grid]\nlayout = ['published-4']\nworkload = ['HS']\npairs = [1]\n"
    )
    name = "change.toml" if line.startswith("change") else line.split()[-1]
    (tmp_path / name).mkdir()
    assert run(line.split()) == ExitCode.BAD_INPUT
    assert f"{name}: is a folder; expected a file\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("report LICENSE -o f.html", ExitCode.FAILED),
        ("show atlanta-boston -o f.svg", ExitCode.GOOD),
        ("check atlanta-boston --html f.html", ExitCode.GOOD),
        ("change published-4 published-8 --try . --no-rates", ExitCode.GOOD),
        ("io chart response --plot f.svg", ExitCode.GOOD),
        ("export atlanta-boston --as toml -o f.toml", ExitCode.GOOD),
    ],
)
def test_what_a_file_has_stays_unless_it_is_the_same(
    line: str,
    code: ExitCode,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A page that was made again was refused, though it was the same."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "LICENSE").write_text("A text of no kind.")
    name = "change.toml" if line.startswith("change") else line.split()[-1]
    (tmp_path / name).write_text("ours")
    assert run(line.split()) == ExitCode.BAD_INPUT
    assert f"{name}: is there and has something else; " in capsys.readouterr().err
    assert (tmp_path / name).read_text() == "ours"
    assert run([*line.split(), "--force"]) == code
    assert run(line.split()) == code
    made = tmp_path / name.replace(".", ".1.")
    assert made.exists() != line.startswith("export")  # which takes no work to make again
    if made.exists():
        assert made.read_bytes() == (tmp_path / name).read_bytes()


def test_what_is_there_stays_in_a_folder_that_takes_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_text("ours")
    monkeypatch.setattr(os, "access", lambda what, _: what != tmp_path)
    for force in (False, True):
        check_file("-o", path, (), force=force)
        with nullcontext() if force else pytest.raises(ConfigurationError, match="expected --forc"):
            write_file(path, "theirs")
        assert path.read_text() == ("theirs" if force else "ours")


def test_file_is_written_over_if_that_is_asked_and_where_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("ours")
    check_file("-o", path, (), force=True)
    check_kept(path, "ours", force=False)
    with pytest.raises(ConfigurationError, match="--force to write over it"):
        check_kept(path, "theirs", force=False)


def test_every_command_that_answers_has_each_output() -> None:
    """Those without are streams, or make a file or a page; findings and a drawing have no chart."""
    outputs = {"json", "csv", "html", "plot", "markdown"}
    none = "import export new change report studio node cp up ctce journal"
    for name in every_command():
        lacks = {"plot"} if name in ("check", "show") else set[str]()
        if name.split()[0] not in none.split():
            assert outputs - options_of(name) == lacks, name


def test_commands_that_write_a_file_and_no_others_take_force() -> None:
    named = {line.split()[0] for line in WRITING.splitlines() if line}
    for name, command in every_command().items():
        kinds = {option: each.type.name for each in command.params for option in each.opts}
        writes = any(kinds.get(option) in ("path", "file") for option in WRITE)
        assert writes == ("--force" in kinds), name
        is_made = "--table" in kinds  # by one action, which one of them tries
        assert not writes or is_made or name.split()[0] in {*named, "export", "import", "new"}, name
