"""Workloads of one's own: sizes, replies, think times, arrivals, both ways; from code and files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isfc
from isfc.cli.main import run as run_command
from scenarios.runs.notes import run_notes

LAYOUT = isfc.load_layout("published-4")
SIZES = (10_000, 20_000, 30_000, 40_000)
HS = {512: 20.0, 8192: 80.0}
any_workload: Any = isfc.Workload


def ran(workload: isfc.Workload | str, pairs: int, seconds: float = 0.1) -> isfc.Simulation:
    return isfc.simulate(LAYOUT, workload, pairs=pairs, seconds=seconds, warmup=0.05)


@pytest.mark.at_length
def test_sizes_of_a_published_workload_are_that_workload() -> None:
    own = isfc.Workload.own("mine", HS, 2048)
    assert ran(own, 5).rows() == ran("HS", 5).rows()
    assert own.mean_length == pytest.approx(0.2 * 512 + 0.8 * 8192)


def test_any_number_of_sizes_and_replies_by_size() -> None:
    own = isfc.Workload.own("four", dict.fromkeys(SIZES, 25), 5_000, replies={SIZES[-1]: 20_000})
    seen = ran(own, 10).client.whole.result
    assert seen.bytes_per_package_out / seen.messages_per_package_out == pytest.approx(
        25_000, rel=0.1
    )
    mean = seen.bytes_per_package_in / seen.messages_per_package_in
    assert mean == pytest.approx((3 * 5_000 + 20_000) / 4, rel=0.1)


def test_guests_that_think_send_less() -> None:
    thinks = isfc.Workload.own("slow", HS, 2048, think_s=0.01, window=1, gaps="constant")
    seen = ran(thinks, 10).client.whole.result.messages_per_s_out
    assert 0.8 * 10 / 0.01 < seen < 10 / 0.01
    drawn = isfc.Workload.own("slow", HS, 2048, think_s=0.01, window=1)
    assert ran(drawn, 10).messages_per_s / 2 == pytest.approx(seen, rel=0.3)


def test_messages_come_at_their_rate_whatever_is_under_way() -> None:
    own = isfc.Workload.own("open", HS, 2048, per_s=500, gaps="constant")
    run = ran(own, 32, 0.2)
    assert run.client.whole.result.messages_per_s_out == pytest.approx(500, abs=5)
    assert run.mb_per_s == pytest.approx(own.offered_mb_per_s, rel=0.1)


def test_trace_comes_over_and_over() -> None:
    own = isfc.Workload.own("trace", {}, 10, trace=[(5.0, 1000), (5.001, 3000), (5.01, 1000)])
    seen = ran(own, 8, 0.5).client.whole.result
    assert seen.messages_per_s_out == pytest.approx(3 / 0.015, rel=0.1)
    assert seen.bytes_per_package_out / seen.messages_per_package_out == pytest.approx(
        5000 / 3, 0.1
    )


@pytest.mark.at_length
def test_half_of_the_pairs_may_go_the_other_way() -> None:
    one, both = (
        ran(isfc.Workload.own("x", {30_000: 100}, 10, both_ways=each), 10) for each in (False, True)
    )
    assert one.mb_per_s_out > 50 * one.client.whole.result.mb_per_s_in
    assert both.mb_per_s_out == pytest.approx(both.client.whole.result.mb_per_s_in, rel=0.1)
    assert both.rows() == ran(isfc.Workload.own("x", {30_000: 100}, 10, both_ways=True), 10).rows()


@pytest.mark.at_length
def test_file_has_what_the_function_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trace.csv").write_text("seconds,bytes\n0,512\n0.002,8192\n0.01,512\n")
    file = tmp_path / "mine.toml"
    file.write_text('name = "batch"\nreply = 2048\ntrace = "trace.csv"\nreplies = { 512 = 9 }\n')
    own = isfc.Workload.own(
        "batch", {}, 2048, replies={512: 9}, trace=[(0, 512), (0.002, 8192), (0.01, 512)]
    )
    assert ran(str(file), 3).rows() == ran(own, 3).rows()
    words = ["run", "published-4", "--workload", str(file), "--pairs", "3", "--seconds", "0.1"]
    assert run_command([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["workload"] == "batch"
    assert run_command([*words, "--notes"]) == 0
    assert "batch: messages of 3,072 bytes in the mean" in capsys.readouterr().out
    grid = tmp_path / "grid.toml"
    grid.write_text(
        f'seconds = 0.1\n[grid]\nlayout = ["published-4"]\nworkload = ["{file}"]\npairs = [3]\n'
    )
    (row,) = isfc.sweep(grid, jobs=1, store=tmp_path / "rows").rows()
    assert row["mb_per_s"] == pytest.approx(shown["mb_per_s"], rel=0.5)
    stored = (tmp_path / "rows").read_text()
    assert isfc.sweep(grid, jobs=1, store=tmp_path / "rows").rows() == [row]
    assert (tmp_path / "rows").read_text() == stored


def test_what_is_offered_and_not_carried_is_said() -> None:
    layout = isfc.load_layout("published-1")
    own = isfc.Workload.own("much", {100_000: 100}, 10, per_s=10_000)
    run = isfc.simulate(layout, own, pairs=8, seconds=0.05, warmup=0.05)
    kinds = {str(note.kind): note.text for note in run_notes(layout, own, 8, run.mb_per_s)}
    assert kinds["offered"].startswith("953.8 MB/s are offered and ")
    assert "workload of one's own" in kinds["extrapolated"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda own: own("x", {}, 1), "^messages and trace: expected one"),
        (lambda own: own("x", {1: 50}, 1), "^messages: 50 % in all"),
        (lambda own: own("x", {0: 100}, 1), "^workload x: message 0:0 bytes"),
        (lambda own: own("x", {1: 100}, 0), "^replies: expected 1 to"),
        (lambda own: own("x", {1: 100}, 1, replies={2: 1}), "^replies: 2: no message"),
        (lambda own: own("x", {1: 100}, 1, per_s=0), "^per_s 0: expected more"),
        (lambda own: own("x", {1: 100}, 1, per_s=1, think_s=1), "^think_s: of guests that"),
        (lambda own: own("x", {1: 100}, 1, gaps="even"), r"^own\(gaps='even'\): expected one of"),
        (lambda own: own("x", {}, 1, trace=[(1, 1), (0, 1)]), "^trace: expected seconds in"),
        (lambda own: own("x", {}, 1, trace=[(1, 1)]), "^trace: 1 messages; expected 2"),
        (lambda own: own("x", {"1": 100}, 1), r"^own\(messages=\{'1': 100\}\): expected"),
    ],
)
def test_what_cannot_be_run_is_refused(make: Callable[[Any], object], message: str) -> None:
    with pytest.raises(isfc.ConfigurationError, match=message):
        make(any_workload.own)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "x"\nreply = 1\nmessages = { a = 100 }\n', "messages 'a': expected a number of"),
        ('name = "x"\nreply = 1\nmesages = { 1 = 100 }\n', "mesages: no such key"),
        ('name = "x"\nreply = 1\ntrace = "none.csv"\n', "none.csv: cannot be read"),
        ('name = "x"\nreply = 1\nmessages = { 1 = 100 }\ntraffic = "y"\n', "traffic: expected one"),
        # these were called arguments of a function: own(think_s=nan)
        ('name = "x"\nreply = 1\nmessages = { 1 = nan }\n', "messages: nan % in all; expected 100"),
        (
            'name = "x"\nreply = 1\nmessages = { 1 = 100 }\nthink_s = nan\n',
            "think_s nan: expected 0",
        ),
    ],
)
def test_file_is_refused_by_its_key(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(isfc.ConfigurationError, match=f"^{file}: .*{message}"):
        ran(str(file), 1)
