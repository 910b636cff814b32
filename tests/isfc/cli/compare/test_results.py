"""``isfc compare``: what two commands printed, side by side."""

import json
import re
from pathlib import Path

import pytest
from isfc.cli.compare.results import compare_page
from scenarios.figures.compare import ResultFigure, ResultPair, Setting

from isfc.cli.main import run
from isfc.cli.output.streams import show
from isfc.layout.catalogue import load_collection
from scenarios.runs.repeat import MEASURES
from tests.isfc.cli.conftest import Refusal

RUN = "run published-4 --workload HL --pairs 5 --seconds 0.05 --warmup 0.01 --json".split()


@pytest.fixture
def files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """The same run with two seeds."""
    paths = tmp_path / "a.json", tmp_path / "b.json"
    for path, seed in zip(paths, "12", strict=True):
        assert run([*RUN, "--seed", seed]) == 0
        path.write_text(capsys.readouterr().out)
    return str(paths[0]), str(paths[1])


def test_page(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *files]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0].startswith("A: ")
    assert "seed    1  2" in lines
    assert any(line.startswith("MB/s together ") for line in lines)
    assert [line.split()[0] for line in lines[-6:-2]] == ["6000", "6001", "6002", "6003"]


def test_record(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *files, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    keys = ["kind", "a", "b", "settings", "layout_changes", "ranges", "odds", "figures"]
    assert list(record) == keys
    assert [each["MB/s"]["likely"][0] < each["MB/s"]["likely"][1] for each in record["ranges"]]
    assert record["odds"] is None  # they differ in their seeds alone
    assert (record["kind"], record["a"], record["b"]) == ("run", *files)
    assert record["settings"] == [{"name": "seed", "a": 1, "b": 2}]
    (figure,) = (f for f in record["figures"] if (f["key"], f["measure"]) == ("link", "mb_per_s"))
    before, after = (json.loads(Path(file).read_text())["mb_per_s"] for file in files)
    assert (figure["a"], figure["b"], figure["difference"]) == (before, after, after - before)
    assert figure["percent"] == pytest.approx((after / before - 1) * 100)


def test_odds_are_told_where_one_thing_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for pairs in ("1", "20"):
        assert run([*RUN, "--pairs", pairs]) == 0
        paths.append(tmp_path / f"{pairs}.json")
        paths[-1].write_text(capsys.readouterr().out)
    assert run(["compare", *map(str, paths)]) == 0
    out = capsys.readouterr().out
    lead = out.partition("\n\n")[2].partition("\n\n")[0].replace("\n", " ")
    assert re.search(r"A [\d.]+ \([\d.]+-[\d.]+\), B [\d.]+ \([\d.]+-[\d.]+\)", lead)
    assert re.search(r"; odds that B is ahead: 97 of 100\)\.$", lead)


def test_equal_results_end_with_0_too(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", files[0], files[0], "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["settings"] == []
    assert {figure["difference"] for figure in record["figures"]} == {0}


@pytest.mark.at_length
@pytest.mark.slow
def test_replays_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("replay --suite HL --rdevs 4 --pairs 5 --seconds 0.02 --json".split())
    path = tmp_path / "r.json"
    path.write_text(capsys.readouterr().out)
    assert run(["compare", str(path), str(path)]) == 0
    assert "4 figures are in both, 4 of them the same; 0 are in A only" in capsys.readouterr().out


def test_bad_file_is_refused(files: tuple[str, str], refusal: Refusal) -> None:
    assert refusal("compare", files[0], "none.json").startswith("none.json: cannot be read ")


def page_of(pair: ResultPair, capsys: pytest.CaptureFixture[str]) -> list[str]:
    show(compare_page(pair, "a.json", "b.json"))
    return capsys.readouterr().out.splitlines()


def test_page_of_two_runs(capsys: pytest.CaptureFixture[str]) -> None:
    link = [ResultFigure("run", "link", measure, None, 200.0, 210.0) for measure in MEASURES]
    link[0] = ResultFigure("run", "link", MEASURES[0], None, 0.0, 123_456.78)
    link[-1] = ResultFigure("run", "link", MEASURES[-1], None, 12.5, 12.5)
    devices = [
        ResultFigure("run", rdev, measure, None, a, 7.0)
        for rdev, a in (("6000", 5.125), ("6001", None))
        for measure in ("io_per_s", "pend_ms", "serv_ms", "busy_percent")
    ]
    settings = (Setting("pairs", 5, 50), Setting("seeds", None, 2))
    page = page_of(ResultPair("run", settings, (*link, *devices)), capsys)
    assert page[:12] == [
        "A: a.json",
        "B: b.json",
        "",
        "MB/s both ways: A 0, B 123456.8.",
        "",
        "set up  A   B",
        "pairs   5  50",
        "seeds   -   2",
        "",
        "                               A         B      B - A     %",
        "MB/s sent                  200.0     210.0        +10  +5.0",
        "MB/s received              200.0     210.0        +10  +5.0",
    ]
    assert page[12] == "MB/s together                  0  123456.8  +123456.8     -"
    assert page[-7:-2] == [
        "TXPENDCT                    12.5      12.5          0  +0.0",
        "",
        "Addr  I/O/s A  I/O/s B  Serv A  Serv B  Busy % A  Busy % B",
        "6000     5.12     7.00    5.12    7.00      5.12      7.00",
        "6001        -     7.00       -    7.00         -      7.00",
    ]
    assert len(page[10:-6]) == len(MEASURES)


def test_page_of_two_replays(capsys: pytest.CaptureFixture[str]) -> None:
    def figure(key: str, measure: str, published: float, *sides: float | None) -> ResultFigure:
        a, b = sides
        return ResultFigure(
            "transport", key, measure, published, a, b, a_within=a != 120, b_within=True
        )

    figures = (
        figure("HL/4/1", "mb_per_s", 100.0, 120.0, 96.0),
        figure("HL/4/5", "mb_per_s", 100.0, 110.0, 120.0),
        figure("HL/4/10", "mb_per_s", 100.0, 90.0, 90.0),
        figure("HL/4/10", "collisions_per_s", 0.0, 0.0, 3.0),
        figure("HL/4/50", "mb_per_s", 100.0, 110.0, None),
        figure("HL/4/100", "cpu_percent_per_msg", 0.5, None, 0.25),
    )
    assert page_of(ResultPair("replay", (), figures), capsys) == [
        "A: a.json",
        "B: b.json",
        "",
        "run      measure           IBM      A  err%      B  err%  B - A %",
        "HL/4/1   MB/s both ways  100.0  120.0  !+20     96    -4    -20.0",
        "HL/4/5   MB/s both ways  100.0  110.0   +10  120.0   +20     +9.1",
        "HL/4/10  collisions/s        0      0     -      3     -        -",
        "",
        "4 figures are in both, 1 of them the same; 1 are in A only, 1 in B only.",
        "",
        "size of error   table      rows  median A       B  out A  B  nearer  farther",
        "MB/s both ways  transport     3    10.0 %  10.0 %      1  0       1        1",
        "collisions/s    transport     1         -       -      0  0       0        1",
        "",
        "! marks what leaves its declared tolerance; nearer means nearer to IBM.",
    ]


def test_replays_that_have_nothing_in_common(capsys: pytest.CaptureFixture[str]) -> None:
    alone = ResultFigure("transport", "HL/4/1", "mb_per_s", 100.0, 120.0, None)
    assert page_of(ResultPair("replay", (), (alone,)), capsys)[3:] == [
        "0 figures are in both, 0 of them the same; 1 are in A only, 0 in B only."
    ]


def test_small_difference_does_not_look_like_none(capsys: pytest.CaptureFixture[str]) -> None:
    link = [ResultFigure("run", "link", measure, None, 7.012, 7.00924) for measure in MEASURES]
    page = page_of(ResultPair("run", (), tuple(link)), capsys)
    assert not any("+0.0" in line or "-0.0 " in line for line in page)
    assert any(re.search(r"-0\.00276 +-0\.04$", line) for line in page)


def test_noise_and_changes_of_the_layout_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    link = [ResultFigure("run", "link", name, None, 100.0, 101.0, noise=True) for name in MEASURES]
    page = page_of(ResultPair("run", (), tuple(link), ("- old", "+ new")), capsys)
    assert page[3:7] == ["MB/s both ways: A 100.0, B 101.0 (+1.0 %, noise).", "", "- old", "+ new"]
    assert sum(line.endswith("noise") for line in page) == len(MEASURES)


def test_layouts_that_differ_are_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    link = [ResultFigure("run", "link", name, None, 100.0, 101.0) for name in MEASURES]
    layouts = load_collection("published-4"), load_collection("published-8")
    pair = ResultPair("run", (), tuple(link), ("+ marked",), layouts)
    page = page_of(pair, capsys)
    assert page[5:7] == [
        "fibre 41-51: new, Express2 2 Gb/s",
        "CTC CLIENT 6020 - SERVER 6020: new, on chpids 41-51",
    ]
    assert "+ marked" in page


def test_a_layout_of_another_version_has_neither_words_nor_odds(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Odds are read off the ratio's range, which depends on the layouts."""
    record = json.loads(Path(files[1]).read_text())
    record["seed"], record["pairs"] = 1, record["pairs"] + 1
    lines = []
    for text in (record["provenance"]["layout_toml"], "unknown"):
        record["provenance"]["layout_toml"] = text
        Path(files[1]).write_text(json.dumps(record))
        assert run(["compare", *files]) == 0
        lines.append(capsys.readouterr().out.splitlines())
    here, other = lines
    assert "odds that " in " ".join(here)
    assert "odds that " not in " ".join(other)
    assert "+ unknown" in other


def test_replays_leave_noise_out(capsys: pytest.CaptureFixture[str]) -> None:
    figure = ResultFigure(
        "transport", "HL/4/1", "mb_per_s", 100.0, 99.0, 100.0, True, True, noise=True
    )
    page = page_of(ResultPair("replay", (), (figure,)), capsys)
    assert "1 figures are in both, 0 of them the same, 1 within the spread of the" in page[3]
