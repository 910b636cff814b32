"""A full disk leaves no half of a file, and the message names the file that was wanted."""

import os
import resource
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.cli.options.formats import FORMATS, FileFormat
from isfc.cli.output.file import write_file, write_table
from isfc.cli.output.streams import ExitCode
from isfc.reports.figure import Unit
from isfc.reports.report import Grid, Report
from scenarios.search.sweep import RowStore

GRID = Grid("a cell", ["down"], ["across"], [[1]], 1, Unit.PER_S)
PLOT = next(each for each in FORMATS if isinstance(each, FileFormat) and each.of_charts)
DRAWN = Report("a cell", [], charts=[GRID])
ROWS = [{"workload": "HL", "mb_per_s": number} for number in range(10_000)]


@contextmanager
def no_room() -> Iterator[None]:
    """Let no file grow beyond 100 bytes; a full disk fails in the same way, with another name."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("f.html", lambda path: write_file(path, "x" * 200)),
        ("f.csv", lambda path: write_table(path, ROWS)),
        ("f.parquet", lambda path: write_table(path, ROWS)),
        ("f.svg", lambda path: PLOT.write(path, DRAWN)),
        ("f.png", lambda path: PLOT.write(path, DRAWN)),
    ],
)
def test_file_is_written_whole_or_not_at_all(
    name: str, write: Callable[[Path], None], *, is_there: bool, tmp_path: Path
) -> None:
    path = tmp_path / name
    if is_there:
        path.write_text("before")
    with no_room(), pytest.raises(OSError, match="File too large") as raised:
        write(path)
    assert raised.value.filename == str(path)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == (
        {name: "before"} if is_there else {}
    )
    write(path)
    assert [each.name for each in tmp_path.iterdir()] == [name]
    assert path.stat().st_size > 100


@pytest.mark.parametrize(
    "words",
    [
        "run atlanta-boston --workload HL --pairs 1 --seconds 0.01 --warmup 0 --trace",
        "show atlanta-boston -o",
        "export atlanta-boston --as toml -o",
    ],
)
def test_command_names_the_file_that_has_no_room(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suffix = {"run": "json", "show": "svg", "export": "toml"}[words.split()[0]]
    path = tmp_path / f"f.{suffix}"
    with no_room():
        assert run([*words.split(), str(path)]) == ExitCode.FAILED
    assert capsys.readouterr().err == f"isfc: {path}: File too large\n"
    assert [*tmp_path.iterdir()] == []


def test_store_that_has_no_room_is_named_and_loses_no_row_that_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "links.rows"
    store = RowStore(path)
    store.add("first", {})
    with no_room(), pytest.raises(OSError, match="File too large") as raised:
        store.add("second", {"link": {"notes": "x" * 200}})
    assert raised.value.filename == str(path)
    assert [*RowStore(path).finished] == ["first"]


def test_file_keeps_its_mode_and_the_link_that_leads_to_it(tmp_path: Path) -> None:
    path, link = tmp_path / "f.toml", tmp_path / "link.toml"
    path.touch(0o640)
    link.symlink_to(path)
    write_file(link, "new")
    assert link.is_symlink()
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o640)


def test_what_is_no_file_is_written_where_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_file(pipe, "new")
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
