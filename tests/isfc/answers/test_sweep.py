"""``isfc sweep``: its page and JSON, files, the picture, and a sweep that was broken off."""

import csv
import tomllib
from pathlib import Path

import pytest

from isfc.answers.sweep import sweep
from isfc.cli.main import run
from tests.isfc.printed import Printed, Recorded

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


def test_the_best_of_each_load_is_said_first_then_a_line_for_each_place(
    spec: str, printed: Printed
) -> None:
    title, _, *answer, note = printed("sweep", spec, "--jobs", "1").rstrip().splitlines()
    assert title == "8 runs over layout and pairs"
    assert answer[0].startswith("Best of pairs 1  layout published-4: ")
    assert answer[1].startswith("Best of pairs 3  layout published-4: ")
    lines = [line for line in answer if line.startswith("published-")]
    assert [line.split()[:2] for line in lines] == [
        [layout, pairs] for layout in ("published-1", "published-4") for pairs in ("1", "3")
    ]
    assert [("best" in line, " of 100" in line) for line in lines] == [
        *[(False, True)] * 2,
        *[(True, False)] * 2,
    ]
    assert note.endswith("--notes.")
    assert Path("grid.rows").is_file()


def test_json_has_the_mean_over_seeds_of_each_place_and_every_run(
    spec: str, recorded: Recorded
) -> None:
    found = recorded("sweep", spec, "--jobs", "1")
    assert (found["seeds"], found["varying"], found["alike"]) == (2, ["layout", "pairs"], ["pairs"])
    for place in found["places"]:
        rows = [row for row in found["runs"] if place["place"].items() <= row.items()]
        rates = [row["mb_per_s"] for row in rows]
        assert len(rows) == 2
        assert place["mb_per_s"]["value"] == pytest.approx(sum(rates) / 2)
        assert place["mb_per_s"]["range"]["likely"][0] == pytest.approx(
            sum(row["mb_per_s_likely_low"] for row in rows) / 2
        )
        assert place["mb_per_s"]["load"] is None
        assert place["is_best"] == (place["place"]["layout"] == "published-4")


def test_a_text_and_a_dict_are_swept_as_the_file_is_and_nothing_is_kept(spec: str) -> None:
    one = GRID.replace("seed = [1, 2]", "").replace("[1, 3]", "[1]")
    of_text = sweep(one, jobs=1)
    assert of_text == sweep(tomllib.loads(one), jobs=1)
    assert not list(Path().glob("*.rows"))
    Path(spec).write_text(one)
    assert of_text == sweep(spec, jobs=1)


def test_a_link_that_is_cut_has_a_row_without_ranges(spec: str) -> None:
    Path(spec).write_text(GRID.replace("pairs = [1, 3]", 'pairs = [1]\nlose = ["none", "40"]'))
    found = sweep(spec, jobs=1)
    rows = {(row["layout"], row["lose"]): row for row in found.runs}
    assert rows["published-1", "40"]["mb_per_s"] == 0.0
    assert rows["published-1", "40"]["mb_per_s_likely_low"] is None
    assert len({tuple(row) for row in found.runs}) == 1
    assert not found.places[1].is_best
    assert found.places[1].mb_per_s.no_range


def test_rows_are_written_as_csv_and_parquet_alike(
    spec: str, recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    from pyarrow import parquet  # which starts threads, and workers are forked without

    rows = recorded("sweep", spec, "-o", "a.csv", "--jobs", "1")["runs"]
    assert run(["sweep", spec, "-o", "a.parquet", "--csv"]) == 0
    text = capsys.readouterr().out
    assert Path("a.csv").read_text() == text
    carried = [float(row["mb_per_s"]) for row in csv.DictReader(text.splitlines())]
    assert carried == [row["mb_per_s"] for row in rows]
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
    def interrupted(*_: object, **__: object) -> object:
        yield 0, {"CLIENT-SERVER": {"mb_per_s": 1.0}}
        raise KeyboardInterrupt

    monkeypatch.setattr("scenarios.search.sweep.execute", interrupted)
    assert run(["sweep", spec]) == 130
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "interrupted after 1 of 8 runs; they are kept in grid.rows" in err
    assert len(Path("grid.rows").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["-o", "a.xls"], "-o a.xls: "),
        (["--plot", "a.svg", "--x", "speed"], "--x 'speed': did you mean seed"),
        (["--plot", "a.gif"], "--plot a.gif: "),
        (["--csv", "--json"], "--json and --csv: "),
        (["--jobs", "0"], "--jobs 0: expected 1 to 1024"),
        (["--force"], "--force: of a file; "),
    ],
)
def test_bad_options_are_refused_before_anything_runs(
    spec: str, options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sweep", spec, *options]) == 2
    assert capsys.readouterr().err.startswith(f"isfc: {complaint}")
    assert not Path("grid.rows").exists()
