"""``isfc measured compare``: what it prints, its exit code, its picture and its JSON."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.layout.catalogue import load_layout
from isfc.layout.site import CONSTANTS, format_profile
from isfc.site.measurement import COLUMNS
from scenarios.search.site_fit import fit
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded, on_one_line
from tests.isfc.site.site import RUNS
from tools import PROJECT

pytestmark = pytest.mark.at_length


SITE = PROJECT / "docs" / "measured" / "site-1.txt"
PUBLISHED = PROJECT / "docs" / "measured" / "H001709C-fcx108.txt"


RUN = "run atlanta-boston --workload HL --pairs 10 --seconds 0.2 --warmup 0.05 --json".split()
COMPARE = ("measured", "compare", "atlanta-boston")


@pytest.fixture
def own(tmp_path: Path, printed: Printed) -> Path:
    """What a short run of ours prints as JSON."""
    path = tmp_path / "run.json"
    path.write_text(printed(*RUN))
    return path


def drifting(path: Path, own: Path, count: int) -> Path:
    """A table of intervals in which the times of a run's I/Os grow by 5 % each."""
    devices = json.loads(own.read_text())["devices"]
    lines = [",".join(COLUMNS)]
    for minute in range(count):
        for each in devices:
            times = [each[name] * 1.05**minute for name in ("pend_ms", "disc_ms", "conn_ms")]
            cells = dict.fromkeys(COLUMNS, "")
            cells |= {"kind": "device", "system": "ATLANTA", "rdev": each["rdev"]}
            cells |= {"end": f"2026-11-25T10:{minute:02}:00", "workload": "HL", "pairs": "10"}
            cells |= {"clients": "True", "io_per_s": f"{each['io_per_s'] / 1.05**minute:.3f}"}
            cells |= {
                name: f"{value:.3f}"
                for name, value in zip(
                    ("pend_ms", "disc_ms", "conn_ms", "serv_ms"), [*times, sum(times)], strict=True
                )
            }
            cells["busy_percent"] = f"{each['busy_percent']:.1f}"
            lines.append(",".join(cells[name] for name in COLUMNS))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_run_of_our_own_is_within_any_tolerance(
    own: Path, printed: Printed, recorded: Recorded
) -> None:
    page = printed(*COMPARE, own, "--tolerance", "0.1")
    assert "ATLANTA, an interval without a time" in page
    assert "Emulated HL, 10 pairs, clients on ATLANTA" in on_one_line(page)
    (one,) = recorded(*COMPARE, own, "--tolerance", "5")["intervals"]
    assert (one["systems"], one["workload"], one["pairs"]) == (["ATLANTA"], "HL", 10)
    assert one["beyond_tolerance"] == 0


def test_beyond_the_tolerance_it_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*COMPARE, str(SITE), "--tolerance", "10"]) == 1
    out, err = capsys.readouterr()
    said = re.search(r"(\d+) of (\d+) judged figures are further off than 10 %", out)
    assert said is not None
    assert err == f"isfc: {said[1]} figures off by more than 10 %\n"


def test_with_a_profile_the_models_rates_have_the_range_of_the_fit(
    tmp_path: Path, own: Path, printed: Printed, recorded: Recorded
) -> None:
    known = tuple(tuple(0.01 * (row == column) for column in CONSTANTS) for row in CONSTANTS)
    profile = tmp_path / "site.toml"
    blank = fit(load_layout("atlanta-boston"), [], RUNS).profile
    profile.write_text(format_profile(replace(blank, covariance=known)))
    words = (*COMPARE, own, "--profile", profile)
    assert "Range of the model's rates: 0." in printed(*words, "--notes")
    (one,) = recorded(*words)["intervals"]
    assert one["rate_range"]["range"]["likely"][0] < 1 < one["rate_range"]["range"]["likely"][1]
    assert "the fit site" in one["rate_range"]["range"]["basis"]


@pytest.mark.slow
def test_drift_over_many_intervals_is_a_table_and_a_picture(
    tmp_path: Path, own: Path, printed: Printed
) -> None:
    picture = tmp_path / "drift.svg"
    out = printed(*COMPARE, drifting(tmp_path / "day.csv", own, 10), "--plot", picture)
    rows = [line.split() for line in out.splitlines() if line.startswith("2026-11-25T10:")]
    assert [row[0][-8:] for row in rows] == [f"10:{minute:02}:00" for minute in range(10)]
    serv = [float(row[2]) for row in rows]  # MB/s are of link activity, which there is none of
    # what was measured grows by 5 % an interval, so that the model falls behind by that
    assert serv[0] == pytest.approx(0, abs=0.5)
    assert serv[9] == pytest.approx(100 * (1.05**-9 - 1), abs=1)
    drawn = picture.read_text()
    for text in ("emulated against measured, % off", "Serv", "2026-11-25T10:00:00"):
        assert text in drawn


def test_one_interval_is_drawn_device_by_device(
    tmp_path: Path, own: Path, printed: Printed
) -> None:
    picture = tmp_path / "errors.svg"
    printed(*COMPARE, own, "--plot", picture)
    assert ">6000<" in picture.read_text()


def test_both_systems_are_laid_beside_one_run(
    tmp_path: Path, printed: Printed, recorded: Recorded
) -> None:
    files = [tmp_path / f"{node}.json" for node in ("ATLANTA", "BOSTON")]
    for file in files:
        file.write_text(printed(*RUN, "--side", file.stem))
    (one,) = recorded(*COMPARE, *files)["intervals"]
    assert one["systems"] == ["ATLANTA", "BOSTON"]
    assert {figure["node"] for figure in one["figures"]} == {"ATLANTA", "BOSTON"}
    assert all(abs(figure["error_percent"] or 0) < 0.1 for figure in one["figures"])


def test_only_a_quiet_link_is_nothing_to_compare(tmp_path: Path, refusal: Refusal) -> None:
    page = tmp_path / "quiet.txt"
    page.write_text(
        "Addr Type ths I/O Pend Disc Conn Serv Busy\n6000 CTCA 1 .0 ... ... ... ... 0\n"
    )
    said = refusal(*COMPARE, str(page))
    assert f"{page}:1: the link was quiet (0.0 I/O/s)" in said
    assert "the link was quiet in every interval" in said


def test_what_ran_is_said_for_each_file(printed: Printed) -> None:
    pages = SITE, SITE.with_name("site-2.txt")
    told = ("--ran", "site-2.txt=HM:7", "--ran", "HS:3")
    page = on_one_line(printed("measured", "read", *pages, *told))
    assert "ran HS with 3 pairs" in page
    assert "ran HM with 7 pairs" in page
