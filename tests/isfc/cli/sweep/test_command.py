"""``isfc sweep``: the table, the files, the picture, and a sweep that was broken off."""

import csv
import json
from pathlib import Path

import pytest

from isfc.cli.main import run

GRID = """
seconds = 0.02
warmup = 0.01
[grid]
layout = ["published-1", "published-4"]
workload = ["HS"]
pairs = [1, 3]
seed = [1, 2]
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("grid.toml").write_text(GRID)
    return "grid.toml"


def test_table_has_a_line_for_each_place_with_the_mean_over_seeds(
    spec: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sweep", spec, "--jobs", "1"]) == 0
    best, more, _, heading, *lines = capsys.readouterr().out.splitlines()
    assert best.startswith("Best of pairs 1: layout published-4; ")
    assert more.startswith("Best of pairs 3: layout published-4; ")
    assert heading.startswith("MB/s (2^20) and messages both ways together")
    heads = "layout pairs MB/s range best is ahead msgs/s util % coll/s spread"
    assert lines[0].split() == heads.split()
    assert [("best" in line, " of " in line) for line in lines[1:5]] == [
        *[(False, True)] * 2,
        *[(True, False)] * 2,
    ]
    assert lines[6].startswith("range: of MB/s, ")
    assert "of the same pairs" in " ".join(lines)
    assert any(line.startswith("Each run is of ") for line in lines)
    assert [line.split()[:2] for line in lines[1:5]] == [
        [layout, pairs] for layout in ("published-1", "published-4") for pairs in ("1", "3")
    ]
    assert Path("grid.rows").is_file()


def test_rows_are_written_as_csv_and_parquet_alike(
    spec: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from pyarrow import parquet  # which starts threads, and workers are forked without

    assert run(["sweep", spec, "-o", "a.csv", "--jobs", "1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert run(["sweep", spec, "-o", "a.parquet", "--csv"]) == 0
    printed = capsys.readouterr().out
    assert Path("a.csv").read_text() == printed
    assert [float(row["mb_per_s"]) for row in csv.DictReader(printed.splitlines())] == [
        row["mb_per_s"] for row in rows
    ]
    assert parquet.read_table("a.parquet").to_pylist() == rows


@pytest.mark.at_length
@pytest.mark.slow
def test_any_column_is_drawn_over_any_other(spec: str) -> None:
    assert run(["sweep", spec, "--plot", "a.svg", "--x", "pairs", "--y", "rdev_util_percent"]) == 0
    picture = Path("a.svg").read_text()
    assert {">pairs<", ">rdev_util_percent; bars: four of five cases<", ">published-4<"} <= {
        f">{text}<" for text in picture.replace("<", ">").split(">")
    }


def test_interrupt_keeps_what_is_finished_and_says_how_to_go_on(
    spec: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> object:
        yield 0, {"CLIENT-SERVER": {"mb_per_s": 1.0}}
        raise KeyboardInterrupt

    monkeypatch.setattr("isfc.cli.sweep.command.execute", interrupted)
    assert run(["sweep", spec]) == 130
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "interrupted after 1 of 8 runs; they are kept in grid.rows" in err
    assert len(Path("grid.rows").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["-o", "a.xls"], "--output a.xls: "),
        (["--plot", "a.svg", "--x", "speed"], "--x 'speed': not a column; did you mean seed"),
        (["--plot", "a.gif"], "--plot a.gif: "),
        (["--csv", "--json"], "--csv and --json: "),
    ],
)
def test_bad_options_are_refused_before_anything_runs(
    spec: str, options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sweep", spec, *options]) == 2
    assert capsys.readouterr().err.startswith(f"isfc: {complaint}")
    assert not Path("grid.rows").exists()
