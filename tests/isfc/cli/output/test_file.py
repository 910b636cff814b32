"""Output files are checked before any work is done for them."""

import os
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import check_file
from isfc.errors import ConfigurationError


def test_file_that_is_there_or_may_be_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "page.HTML"
    for _ in range(2):
        assert check_file("-o", str(path), (".html",)) == path
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
        check_file("-o", str(tmp_path / name), (".html", ".svg"))


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
        check_file("-o", str(path), (".html",))


@pytest.mark.parametrize(
    "words",
    [
        ["report", "atlanta-boston", "-o", "f.html"],
        ["optimise", "atlanta-boston", "-o", "f.toml"],
        ["run", "atlanta-boston", "--workload", "HL", "--pairs", "9", "--trace", "f.json"],
        ["relocate", "atlanta-boston", "--like", "java", "--plot", "f.svg"],
        ["replay", "transport", "--plot", "f.svg"],
    ],
)
def test_nothing_is_run_whose_result_could_not_be_kept(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / words[-1]).mkdir()
    assert run(words) == ExitCode.BAD_INPUT
    assert (
        capsys.readouterr().err == f"isfc: {words[-2]} {words[-1]}: is a folder; expected a file\n"
    )
