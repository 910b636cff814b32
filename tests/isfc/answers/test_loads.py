"""``isfc loads``: intervals by the time of day, against what the layout carries."""

import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import isfc
from isfc import measured
from isfc.layout.build import new
from isfc.layout.capacity import COMMAND_MODE_MB_PER_S
from isfc.layout.catalogue import given_collection
from isfc.site.intervals import PERIODS, SLOT_S, Slot
from scenarios.figures.rates import carried, carry
from scenarios.moves.evacuation import move
from scenarios.moves.guest import GuestMemory, GuestPlan
from scenarios.runs.result import MIB
from scenarios.runs.steady import steady_ends
from scenarios.search.windows import Beside, Leaving, guest_rate
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded, on_one_line
from tools import PROJECT

pytestmark = pytest.mark.at_length


BEGIN = "begin,CLIENT,SERVER\n"
BOTH = "begin,end,CLIENT,SERVER\n"
DAY = BEGIN + "".join(
    f"{hour:02}:00,{100 if 8 <= hour < 18 else 20},{10 + hour}\n" for hour in range(24)
)

ALIKE = f"{BOTH}00:00,23:59,100,0\n"
"""A day that is the same all day long."""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A day in which the client sends 100 MB/s from 8 to 18 o'clock, and 20 before and after."""
    path = tmp_path / "day.csv"
    path.write_text(DAY)
    return path


Loads = Callable[..., dict[str, Any]]
RUN = cache(steady_ends)
MOVED = cache(guest_rate)


@pytest.fixture(autouse=True)
def each_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The layout is the same in most tests, and so is what it carries."""
    monkeypatch.setattr("isfc.answers.loads.carry", partial(carry, look=RUN))
    monkeypatch.setattr("isfc.answers.loads.guest_rate", MOVED)


@pytest.fixture
def loads(table: Path, recorded: Recorded) -> Loads:
    """What ``--json`` prints of that day, or of a file, with some options; nothing is lost."""

    def found(
        *options: object, file: Path = table, lost: str | None = "none", code: int = 0
    ) -> dict[str, Any]:
        words = ("loads", "published-4", file, "--jobs", "1", *(("--lost", lost) if lost else ()))
        return recorded(*words, *options, code=code)

    return found


def test_the_percentile_is_of_time(loads: Loads) -> None:
    """Ten of 24 hours are busy: 58 % of the time are not."""
    for percentile, mb_per_s in ((58, 20), (59, 100)):
        found = loads("--percentile", percentile)
        assert found["ways"][0]["percentile_mb_per_s"] == mb_per_s
    assert found["ways"][0]["mean_mb_per_s"] == pytest.approx((10 * 100 + 14 * 20) / 24)
    assert (found["ways"][1]["busiest_mb_per_s"], found["ways"][1]["busiest"]) == (33, "23:00")


def test_a_table_comes_through_a_pipe_too(loads: Loads) -> None:
    """It was read once to see what it is, and could not be read again."""
    reader, writer = os.pipe()
    os.write(writer, DAY.encode())
    os.close(writer)
    found = loads(file=Path(f"/dev/fd/{reader}"))
    os.close(reader)
    assert found["intervals"] == 24


def test_headroom_is_of_what_the_model_carries(loads: Loads) -> None:
    found = loads("--growth", "10", "--months", "24")
    way = found["ways"][0]
    (rate,) = carried("published-4", "CLIENT")
    assert way["whole"]["rate"]["value"] == pytest.approx(rate.saturated.value)
    by_month = [rate.saturated.value / (100 * 1.1**month) - 1 for month in range(25)]
    assert way["headroom"] == pytest.approx(by_month)
    beyond = next(month for month, headroom in enumerate(by_month) if headroom < 0)
    assert way["months_left"] == beyond
    low, high = way["months_left_likely"]
    assert low <= beyond <= high
    assert all(
        low < at < high for at, (low, high) in zip(by_month, way["headroom_likely"], strict=True)
    )


def test_both_ways_have_what_is_stated_of_their_chpids_together(tmp_path: Path) -> None:
    # each was held to all of it, and 300 MB/s both ways at the same time were carried
    link, stated = new("A,B", "40:50", ctcs=4, feature="FICON Express16SA"), 572.2
    table = tmp_path / "both.csv"
    table.write_text("begin,end,A,B\n08:00,09:00,350,250\n")
    found = measured.loads(link, [table], lost="none")
    assert [way.headroom[0] for way in found.ways] == pytest.approx(
        [stated / 600 - 1] * 2, abs=0.001
    )
    assert found.ways[0].whole.rate.value == pytest.approx(350 / 600 * stated, abs=0.1)
    assert found.ways[0].whole.rate.modelled > stated
    table.write_text("begin,end,A,B\n08:00,09:00,350,.001\n")
    little = measured.loads(link, [table], lost="none").ways[1].whole.rate
    assert little.value == pytest.approx(stated, abs=0.1)  # not .002


def test_a_lost_chpid_takes_a_link_of_one(loads: Loads) -> None:
    found = loads(lost=None, code=1)
    assert [way["left"]["rate"]["value"] for way in found["ways"]] == [0, 0]
    assert found["ways"][0]["headroom"][0] == -1


def test_guests_leave_soonest_while_little_is_sent(loads: Loads, tmp_path: Path) -> None:
    """As an evacuation beside that load takes: what it loses is the load's."""
    found = loads("--move", "8G")
    carries = found["ways"][0]["whole"]["rate"]["value"]
    best, worst = found["windows"][0], found["windows"][-1]
    assert 0.8 < best["seconds"] / (8192 / (carries - 20)) < 1.2
    assert 8 <= int(worst["label"][:2]) < 18
    assert 0 <= best["less_mb_per_s"] < 20
    assert 0 <= worst["less_mb_per_s"] < 100
    low, high = best["likely_s"]
    assert low < best["seconds"] < high
    assert (len(found["windows"]), best["stays"]) == (PERIODS["day"] // 900, [])
    guests = tmp_path / "guests.csv"
    guests.write_text("name,memory,change_rate,max_quiesce\nONE,4G,20M,\nFAST,4G,1G,1\n")
    table = tmp_path / "alike.csv"
    table.write_text(ALIKE)
    words = ("--guests", str(guests), "--together", "2")
    found = loads(*words, "--from", "SERVER", file=table)
    leaving = found["leaving"]
    assert [each["name"] for each in leaving["guests"]] == ["ONE", "FAST"]
    assert (leaving["source"], leaving["together"]) == ("SERVER", 2)
    assert {tuple(window["stays"]) for window in found["windows"]} == {("FAST",)}
    guests.write_text(
        "name,memory,change_rate,max_quiesce,from\nONE,4G,20M,,server\nFAST,4G,1G,1,SERVER\n"
        "OTHER,4G,20M,,VMC\n"
    )
    assert loads(*words, file=table)["leaving"] == leaving  # as isfc report has the file


@pytest.mark.slow
def test_a_window_takes_what_an_evacuation_beside_that_load_takes(
    loads: Loads, tmp_path: Path, recorded: Recorded
) -> None:
    """The rules over many quarters of an hour, held against every message of one."""
    guests, load, table, file = (
        tmp_path / name for name in ("guests.csv", "load.toml", "alike.csv", "link.toml")
    )
    guests.write_text("name,memory,change_rate\nONE,1G,20M\nTWO,1G,40M\n")
    table.write_text(ALIKE)
    load.write_text(
        'name = "load"\nreply = 64\nmessages = { 122880 = 100 }\n'
        f"per_s = {100 * 2**20 / 122_880}\n"
    )
    file.write_text(
        isfc.format_collection(given_collection("published-4"))
        + '\n[[traffic]]\nfrom = "CLIENT"\nto = "SERVER"\n'
        + f'workload = "{load}"\npairs = 100\n'
    )
    found = loads("--guests", str(guests), file=table)
    leaving = recorded("evacuate", file, "CLIENT", "--guests", guests)
    assert found["windows"][0]["seconds"] == pytest.approx(leaving["seconds"]["value"], rel=0.05)


def test_guests_and_loads_have_what_is_to_be_counted_on_together() -> None:
    # of a load each way only that of the guests' way was counted, and it lost nothing to them
    link = new("A,B", "40:50", ctcs=4, feature="FICON Express16SA")
    plan = GuestPlan("GUEST", GuestMemory(size=1024 * MIB, touched=1024 * MIB))
    slots = [Slot(number * SLOT_S, "", (300.0, 150.0), (300.0, 150.0)) for number in range(96)]
    beside = Beside(link, slots, "day", Leaving(link.nodes[0], (plan,)))
    ((load, run),) = beside.runs().items()
    rate = guest_rate(run)
    share, (other,) = rate.mb_per_s / rate.modelled, move(run).meanwhile
    together = rate.mb_per_s + other.rate.mb_per_s
    assert together == pytest.approx(COMMAND_MODE_MB_PER_S * 1e6 / MIB, rel=0.02)
    window, *_ = beside.windows({load: rate}, mb_per_s=572.0)
    assert 1024 / window.seconds == pytest.approx(rate.mb_per_s, rel=0.02)
    assert window.less_mb_per_s == pytest.approx(300 * (1 - share), rel=0.05)
    fastest, slowest = window.likely_s
    assert fastest < window.seconds <= slowest


def test_a_move_that_runs_into_the_unknown_is_not_shown(loads: Loads, tmp_path: Path) -> None:
    part = tmp_path / "part.csv"
    part.write_text(f"{BOTH}08:00,08:15,20,1\n08:15,08:30,20,1\n")
    assert [each["label"] for each in loads("--move", "1G", file=part)["windows"]]
    assert loads("--move", "10T", file=part)["windows"] == []


def test_a_week_keeps_its_days_apart(loads: Loads, tmp_path: Path) -> None:
    week = tmp_path / "week.csv"
    week.write_text("begin;end;SERVER;CLIENT\nMon 23:30;Tue 00:30;1,5;2\nSun 09:00;Sun 10:00;3;4\n")
    found = loads("--period", "week", "--decimal-comma", file=week)
    assert [slot["label"] for slot in found["slots"]] == [
        *("Mon 23:30", "Mon 23:45", "Tue 00:00", "Tue 00:15"),
        *(f"Sun 09:{minute}" for minute in ("00", "15", "30", "45")),
    ]
    assert found["slots"][0]["mean_mb_per_s"] == [2, 1.5]
    # a Monday was told as 1970-01-05
    assert (found["begin"], found["end"]) == ("Mon 23:30", "Sun 10:00")
    assert [way["busiest"] for way in found["ways"]] == ["Sun 09:00", "Sun 09:00"]
    assert found["gaps"] == ["Tue 00:30 to Sun 09:00"]


def test_times_without_figures_are_said(table: Path, loads: Loads, printed: Printed) -> None:
    assert loads()["gaps"] == []
    table.write_text(DAY.replace("08:00,100,18\n", "").replace("12:00,", "12:10,"))
    assert loads()["gaps"] == ["08:00 to 09:00", "12:00 to 12:10"]
    page = on_one_line(printed("loads", "published-4", table, "--lost", "none", "--jobs", "1"))
    assert "no figures from 08:00 to 09:00, nor at 1 more time: all that is said is of" in page


def test_link_activity_is_read_as_tables_are(loads: Loads) -> None:
    """Pages of one end and a table give the same; the end that is read is the one that is said."""
    pages = PROJECT / "docs/measured/H001709C-link.txt"
    found = loads("--system", "SERVER", file=pages, code=1)
    first, second = found["ways"]
    assert second["mean_mb_per_s"] == pytest.approx((657.3 + 661 + 659.6) / 3, rel=0.002)
    assert first["mean_mb_per_s"] == pytest.approx(46.3, rel=0.01)
    assert (found["begin"], found["intervals"]) == ("2011-10-14 04:52:43", 3)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (f"{BEGIN}08:00,1,2\n", "", "day.csv:2: an interval whose length nobody says"),
        (f"{BEGIN}08:00,1,2\n08:30,-1,2\n", "", "day.csv:3: MB/s of CLIENT and"),
        (f"{BOTH}Mon 08:00,09:00,1,2\n", "", "one of begin and end has a day; expected it in both"),
        (f"{BEGIN}Mon 08:00,1,2\n09:00,1,2\n", "", "day.csv:3: of it and "),
        (f"{BEGIN}08:00,1,2.\n", "", "'1 or 2.' ends with a point; expected its decimals"),
        (f"{BEGIN}Monn 08:00,1,2\n", "", "'Monn 08:00' is no time; expected"),
        (f"{BEGIN}noon,1,2\n", "", "'noon' is no time; expected"),
        (f"{BOTH}08:00,09:00,1\n", "", "day.csv:2: 3 cells; expected 4"),
        (
            *(f"{BOTH}08:00,09:00,1,2\n08:30,09:30,1,2\n", ""),
            "day.csv:3: from 08:30, before the interval of",
        ),
        (DAY, "--period week", "--period week: some times have no day"),
        (DAY, "--lost director", "--lost director: the layout names no director"),
        (DAY, "--from CLIENT", "--from: expected who leaves it as well, as with --guests FILE.csv"),
        (DAY, "--move 1G --guests nowhere.csv", "--move and --guests: expected one of them"),
        (DAY, "--move 1G --from NOWHERE", "--from NOWHERE: not a node of this layout"),
    ],
)
def test_what_is_wrong_is_named(
    text: str, options: str, said: str, table: Path, refusal: Refusal
) -> None:
    table.write_text(text)
    assert said in refusal("loads", "published-4", str(table), *options.split())


def test_usable_leaves_bad_rows_out(loads: Loads, table: Path) -> None:
    table.write_text(DAY.replace("08:00,100", "08:00,many"))
    found = loads("--usable")
    assert found["intervals"] == 23
    (left_out,) = found["left_out"]
    assert "day.csv:10" in left_out


def test_the_page_and_its_picture(table: Path, tmp_path: Path, printed: Printed) -> None:
    drawn = tmp_path / "day.svg"
    words = ("loads", "published-4", table, "--lost", "none", "--plot", drawn)
    page = on_one_line(printed(*words, "--growth", "5", "--move", "4G", "--jobs", "1"))
    for said in (
        "Carried the layout carries what both send for 95 % of the time",
        "Too much with 5 % more each month CLIENT's after ",
        "emptying CLIENT of one guest, 4 GiB, takes",
    ):
        assert said in page
    assert "CLIENT can send, whole" in drawn.read_text()


def test_the_function_finds_what_the_command_shows(loads: Loads, table: Path) -> None:
    found = isfc.measured.loads(
        "published-4", [table], lost="none", guests=isfc.GuestMemory(size=2**30, touched=2**30)
    )
    shown = loads("--move", "1G")
    assert [way.percentile_mb_per_s for way in found.ways] == [
        way["percentile_mb_per_s"] for way in shown["ways"]
    ]
    assert [window.seconds for window in found.windows] == [
        window["seconds"] for window in shown["windows"]
    ]
    assert found.rows()[32] == {
        "begin": "08:00",
        "begin_s": 28800,
        "CLIENT_mean_mb_per_s": 100,
        "SERVER_mean_mb_per_s": 18,
        "CLIENT_mb_per_s": 100,
        "SERVER_mb_per_s": 18,
    }
    with pytest.raises(isfc.ConfigurationError, match="lost 'all': expected"):
        isfc.measured.loads("published-4", [table], lost="all")
