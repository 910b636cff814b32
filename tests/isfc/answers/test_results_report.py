"""``isfc compare``: what two commands printed, side by side."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from isfc.answers.results import ComparedResults, ResultFigure, Setting
from isfc.answers.results_report import results_report
from isfc.cli.main import run
from isfc.cli.output.streams import show
from isfc.reports.terminal import page
from scenarios.runs.result import MEASURES
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded

RUN = "run published-4 --workload HL --pairs 5 --seconds 0.05 --warmup 0.01 --json".split()


@pytest.fixture
def files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """The same run with two seeds."""
    paths = tmp_path / "a.json", tmp_path / "b.json"
    for path, seed in zip(paths, "12", strict=True):
        assert run([*RUN, "--seed", seed]) == 0
        path.write_text(capsys.readouterr().out)
    return str(paths[0]), str(paths[1])


def test_page(files: tuple[str, str], capsys: pytest.CaptureFixture[str], printed: Printed) -> None:
    assert run(["compare", *files]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert out.startswith("A: ")
    assert "seed   1 2" in lines
    assert any(line.startswith("MB/s together ") for line in lines)
    rows = printed("compare", *files, "--csv", "--table", "devices").splitlines()
    assert [row.split(",")[0] for row in rows] == ["rdev", "6000", "6001", "6002", "6003"]


def test_record(files: tuple[str, str], recorded: Recorded) -> None:
    record = recorded("compare", *files)
    likely = [each["mb_per_s"]["likely"] for each in record["ranges"]]
    assert [low < high for low, high in likely] == [True, True]
    assert record["odds"] is None  # they differ in their seeds alone
    assert (record["kind"], record["a"], record["b"]) == ("run", *files)
    assert record["settings"] == [{"name": "seed", "a": 1, "b": 2}]
    (figure,) = (f for f in record["figures"] if (f["key"], f["measure"]) == ("link", "mb_per_s"))
    before, after = (json.loads(Path(file).read_text())["mb_per_s"] for file in files)
    assert (figure["a"], figure["b"], figure["difference"]) == (before, after, after - before)
    assert figure["percent"] == pytest.approx((after / before - 1) * 100)


def test_odds_are_told_where_one_thing_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], printed: Printed
) -> None:
    paths = []
    for pairs in ("1", "20"):
        assert run([*RUN, "--pairs", pairs]) == 0
        paths.append(tmp_path / f"{pairs}.json")
        paths[-1].write_text(capsys.readouterr().out)
    out = printed("compare", *map(str, paths))
    lead = " ".join(out.partition("\n\n")[2].partition("\n\n")[0].split())
    assert re.search(r"A [\d.]+ \([\d.]+-[\d.]+\), B [\d.]+ \([\d.]+-[\d.]+\)", lead)
    assert lead.endswith("Ahead B: odds 97 of 100")
    for path in paths:
        record = json.loads(path.read_text())
        record["figures"]["mb_per_s"]["range"] = None
        path.write_text(json.dumps(record))
    assert "\nAhead" not in printed("compare", *map(str, paths))


def test_equal_results_end_with_0_too(files: tuple[str, str], recorded: Recorded) -> None:
    record = recorded("compare", files[0], files[0])
    assert record["settings"] == []
    assert {figure["difference"] for figure in record["figures"]} == {0}


@pytest.mark.at_length
@pytest.mark.slow
def test_replays_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], printed: Printed
) -> None:
    run("replay --suite HL --rdevs 4 --pairs 5 --seconds 0.02 --json".split())
    path = tmp_path / "r.json"
    path.write_text(capsys.readouterr().out)
    assert "4 are in both, 4 of them the same; 0 in A only" in printed(
        "compare", str(path), str(path)
    )


def test_bad_file_is_refused(files: tuple[str, str], refusal: Refusal) -> None:
    assert refusal("compare", files[0], "none.json").startswith("none.json: cannot be read ")


def figure(key: str, measure: str, a: float | None, b: float | None, **known: Any) -> ResultFigure:
    return ResultFigure("transport", key, measure, known.pop("ibm", None), a, b, **known)


def link(a: float, b: float, **known: Any) -> tuple[ResultFigure, ...]:
    return tuple(figure("link", measure, a, b, **known) for measure in MEASURES)


def page_of(
    capsys: pytest.CaptureFixture[str],
    figures: tuple[ResultFigure, ...],
    kind: str = "run",
    settings: tuple[Setting, ...] = (),
    **more: Any,
) -> str:
    pair = ComparedResults(kind, "a.json", "b.json", settings, figures, **more)
    show(page(results_report(pair), notes=True))
    return capsys.readouterr().out


def test_a_small_difference_does_not_look_like_none(capsys: pytest.CaptureFixture[str]) -> None:
    out = page_of(capsys, link(7.012, 7.00924))
    assert "+0" not in out
    assert re.search(r"-0\.00276 +-0\.039$", out, re.MULTILINE)


def test_noise_changes_of_the_layout_and_settings_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = (Setting("pairs", 5, 50), Setting("seeds", None, 2))
    figures = link(100.0, 101.0, noise=True)
    moved = ("fibre 1: new", "CTC 2: gone", "CTC 3: gone")
    out = page_of(
        capsys, figures, settings=settings, moved=moved, layout_changes=("- old", "+ new")
    )
    assert "MB/s both ways  A 100, B 101: +1 %, which may be noise" in out
    assert "Layout          fibre 1: new; CTC 2: gone and 1 more" in out
    assert "pairs  5 50\nseeds  - 2\n" in out
    assert "- old\n+ new\n" in out
    assert len(re.findall("noise$", out, re.MULTILINE)) == len(MEASURES) + 1


def test_devices_that_only_one_has_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    devices = [figure("6000", "io_per_s", 5.125, 7.0), figure("6001", "serv_ms", None, 7.0)]
    out = page_of(capsys, (*link(1.0, 2.0), *devices))
    assert re.search(r"^6000 +5.125 +7$", out, re.MULTILINE)
    assert re.search(r"^6001 +7$", out, re.MULTILINE)


REPLAYED = (
    figure("HL/4/1", "mb_per_s", 120.0, 96.0, ibm=100.0, a_within=False, b_within=True),
    figure("HL/4/5", "mb_per_s", 110.0, 120.0, ibm=100.0),
    figure("HL/4/10", "mb_per_s", 90.0, 90.0, ibm=100.0),
    figure("HL/4/10", "collisions_per_s", 0.0, 3.0, ibm=0.0),
    figure("HL/4/20", "mb_per_s", 99.0, 100.0, ibm=100.0, noise=True),
    figure("HL/4/50", "mb_per_s", 110.0, None, ibm=100.0),
    figure("HL/4/100", "cpu_percent_per_msg", None, 0.25, ibm=0.5),
)


def test_page_of_two_replays(capsys: pytest.CaptureFixture[str]) -> None:
    out = page_of(capsys, REPLAYED, "replay")
    answer = " ".join(out.partition("Each measure")[0].split())
    assert answer.endswith(
        "Nearer to IBM 2 figures of B; farther 2 Figures 5 are in both, 1 of them the same, 1 "
        "within the spread of the seeds; 1 in A only, 1 in B only"
    )
    rows = [line.split() for line in out.splitlines()]
    assert "MB/s both ways transport 4 10 7 1 0 2 1".split() in rows
    assert "collisions/s transport 1 0 0 0 1".split() in rows
    assert "HL/4/1 MB/s both ways 100 120 !+20 96 -4 -20".split() in rows
    assert "HL/4/10 collisions/s 0 0 - 3 -".split() in rows


def test_replays_that_have_nothing_in_common(capsys: pytest.CaptureFixture[str]) -> None:
    out = page_of(capsys, (figure("HL/4/1", "mb_per_s", 120.0, None, ibm=100.0),), "replay")
    assert "0 are in both, 0 of them the same; 1 in A only, 0 in B only" in out


def test_a_layout_of_another_version_has_neither_words_nor_odds(
    files: tuple[str, str], printed: Printed
) -> None:
    """Odds are read off the ratio's range, which depends on the layouts."""
    record = json.loads(Path(files[1]).read_text())
    record["seed"], record["pairs"] = 1, record["pairs"] + 1
    lines = []
    for text in (record["provenance"]["layout_toml"], "unknown"):
        record["provenance"]["layout_toml"] = text
        Path(files[1]).write_text(json.dumps(record))
        lines.append(" ".join(printed("compare", *files).split()))
    here, other = lines
    assert "Ahead " in here
    assert "Ahead " not in other
    assert "+ unknown" in printed("compare", *files, "--notes").splitlines()
