"""Commands whose standard files are closed when they are started."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copyfile

import pytest

from tests.isfc_process import isfc
from tests.lengthy import few_in_every_run

UP = "up atlanta-boston --plain --workload HS --pairs 1 --seconds 0.2 --warmup 0.1"
NODE = "node ATLANTA atlanta-boston --listen unix:link --lifeline"
LAYOUT = Path(__file__).parents[4] / "isfc" / "layout" / "shipped" / "published-1.toml"
NO_OUTPUT = "isfc: standard output: Bad file descriptor\n"


def started(folder: Path, words: str, closed: str) -> subprocess.CompletedProcess[str]:
    """A command, started by a shell that has closed some of its standard files."""
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m isfc {words} {closed}', sys.executable],
        cwd=folder,
        env=os.environ | {"XDG_RUNTIME_DIR": str(folder), "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize(
    "words", ["--version", "plan atlanta-boston", "plan atlanta-boston --json"]
)
def test_output_that_cannot_be_written_is_an_error(tmp_path: Path, words: str) -> None:
    done = started(tmp_path, words, ">&-")
    assert (done.returncode, done.stderr) == (1, NO_OUTPUT)


def test_input_that_is_closed_is_at_its_end(tmp_path: Path) -> None:
    done = started(tmp_path, "plan -", "<&-")
    assert done.returncode == 2
    assert done.stderr.startswith("isfc: standard input: ")


def test_errors_that_cannot_be_written_end_with_their_code(tmp_path: Path) -> None:
    assert started(tmp_path, "plan nothing", "2>&-").returncode == 2
    assert started(tmp_path, "plan nothing", "<&- >&- 2>&-").returncode == 2


def test_output_takes_names_that_are_no_utf_8(tmp_path: Path) -> None:
    name = os.fsdecode(b"a\xff.toml")
    copyfile(LAYOUT, tmp_path / name)
    for locale in ("utf-8:strict", "ascii:strict", "utf-8:surrogateescape"):
        coding = {"PYTHONIOENCODING": locale}
        done = isfc("check", name, environment=coding, cwd=tmp_path, text=False)
        assert done.stdout.startswith(b"a\\udcff.toml\n\nFound    2 warnings\n")
        assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("words", "closed", "code"),
    few_in_every_run(
        [
            (UP, "<&- >&- 2>&-", 1),
            (NODE, "<&-", 0),
            (UP, "<&-", 0),
            (UP, "2>&-", 0),
            (UP, ">&-", 1),
        ],
        count=2,
    ),
)
def test_live_commands_need_no_standard_files(
    tmp_path: Path, words: str, closed: str, code: int
) -> None:
    done = started(tmp_path, words, closed)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_operators_need_no_standard_files(tmp_path: Path) -> None:
    try:
        assert started(tmp_path, "up query-islink --detach", "<&-").returncode == 0
        assert started(tmp_path, "cp 1STI", "<&-").returncode == 0
        for words in ("cp 1STI QUERY ISLINK", "cp 1STI QUERY ISLINK --json"):
            done = started(tmp_path, words, ">&-")
            assert (done.returncode, done.stderr) == (1, NO_OUTPUT)
    finally:
        assert started(tmp_path, "up query-islink --end", "").returncode == 0
