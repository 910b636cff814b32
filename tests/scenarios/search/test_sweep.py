"""Sweeps: every cell once, rows that are kept, and the same figures wherever they are run."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from isfc.answers.sweep import sweep
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES, find_workload, free_workload
from scenarios.search.grid import Cell, parse_grid
from scenarios.search.sweep import (
    Figures,
    RowStore,
    alike_in,
    finish,
    groups,
    key_of,
    measure,
    row_of,
    standings,
    varying_axes,
)
from tests.isfc_process import start
from tests.waiting import PATIENCE_S, ran, wait_for

pytestmark = pytest.mark.at_length


GRID = b"""
seconds = 0.02
warmup = 0.01
[grid]
layout = ["published-1", "published-4"]
workload = ["HS", "HM"]
pairs = [1, 3]
"""
PROJECT = Path(__file__).parents[3]


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "grid.toml"
    path.write_bytes(GRID)
    return path


def here(
    work: Callable[[Experiment], Figures], items: Sequence[Experiment]
) -> Iterator[tuple[int, Figures]]:
    """Do the work in this process, the last item first."""
    for index in reversed(range(len(items))):
        yield index, work(items[index])


def test_row_has_its_place_and_the_figures_of_the_run(spec: Path) -> None:
    cells = parse_grid(GRID, spec.parent)
    rows = [row_of(cell, figures) for cell, figures in finish(cells, RowStore(), here)]
    assert len(rows) == len(cells) == 8
    last = rows[0]  # finished first
    assert {axis: last[axis] for axis in cells[-1].axes} == {
        "layout": "published-4", "lose": "none", "workload": "HM", "pairs": 3, "seed": 1
    }  # fmt: skip
    assert last["mb_per_s"] == run(cells[-1].experiment).mb_per_s


def test_run_that_has_not_come_to_rest_has_a_note() -> None:
    link = load_layout("published-8")
    short = Experiment.of(link, find_workload("HS"), 50, seconds=0.05, warmup=0)
    cell = Cell({}, short)
    row = row_of(cell, measure(short))
    assert row["trend"] == 1
    assert "MB/s had a trend until the end" in row["notes"]
    rest = row_of(cell, {link.name: {**measure(short)[link.name], "trend": 0}})
    assert "trend" not in rest["notes"]


def test_processes_give_the_same_rows_as_one(spec: Path) -> None:
    cells = parse_grid(GRID, spec.parent)
    alone = [row_of(cell, measure(cell.experiment)) for cell in cells]
    order = list(cells[0].axes)
    shared = sweep(spec, jobs=2).rows()
    assert [each | row for each, row in zip(shared, alone, strict=True)] == shared
    assert list(shared[0])[: len(order)] == order


def test_what_is_kept_is_not_run_again(spec: Path) -> None:
    store = spec.with_suffix(".rows")
    sweep(spec, jobs=1, store=store)
    first = RowStore(store).finished

    def nothing(_: object, items: Sequence[Experiment]) -> Iterator[tuple[int, Figures]]:
        assert not items
        return iter(())

    cells = parse_grid(GRID, spec.parent)
    again = {key_of(cell.run): figures for cell, figures in finish(cells, RowStore(store), nothing)}
    assert again == first


def test_half_a_line_does_not_count_and_is_written_over(spec: Path) -> None:
    store = spec.with_suffix(".rows")
    sweep(spec, jobs=1, store=store)
    whole = store.read_bytes()
    lines = whole.splitlines(keepends=True)
    store.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    assert len(RowStore(store).finished) == 3
    sweep(spec, jobs=1, store=store)
    assert sorted(store.read_bytes().splitlines()) == sorted(whole.splitlines())


def wait_for_a_row(process: subprocess.Popen[bytes], store: Path) -> None:
    """Wait until one more row is stored, or the process has ended."""

    def length() -> int:
        return store.stat().st_size if store.exists() else 0

    before = length()
    wait_for(lambda: process.poll() is not None or length() > before, "another row")


@pytest.mark.exhaustive
@pytest.mark.slow
def test_sweep_that_is_killed_again_and_again_goes_on(spec: Path) -> None:
    """SIGKILL at any moment: what is finished stays and is not run again, the rest follows."""
    store, table = spec.with_suffix(".rows"), spec.with_suffix(".csv")
    words = ["sweep", str(spec), "--jobs", "2", "-o", str(table), "--force"]
    kept: dict[str, Figures] = {}
    random = Random(1)
    for _ in range(20):
        process = start(*words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_a_row(process, store)
        time.sleep(random.uniform(0, 0.05))
        process.kill()
        if process.wait(PATIENCE_S) == 0:
            break
        finished = RowStore(store).finished
        assert kept.items() <= finished.items()
        assert len(finished) > len(kept)
        kept = dict(finished)
    else:
        pytest.fail("it never came to its end")
    cells = parse_grid(GRID, spec.parent)
    assert RowStore(store).finished == {key_of(c.experiment): measure(c.experiment) for c in cells}
    assert len(store.read_bytes().splitlines()) == len(cells)
    assert len(table.read_text().splitlines()) == 1 + len(cells)


def test_rows_make_a_data_frame_as_they_are(spec: Path) -> None:
    import pyarrow  # which starts threads, and workers are forked without

    frame = pyarrow.Table.from_pylist(sweep(spec, jobs=1).rows())
    assert frame.num_rows == 8
    assert set(frame["workload"].to_pylist()) == {"HS", "HM"}
    assert frame.schema.field("mb_per_s").type == pyarrow.float64()


@pytest.mark.parametrize("text", ["shopping list\n", "my notes"])
def test_file_of_somebody_else_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=r"notes: holds what no sweep has written"):
        RowStore(path)
    assert path.read_text("utf-8") == text


def counting(counted: list[Experiment]) -> Any:
    """As `here`, noting what is run."""

    def count(
        work: Callable[[Experiment], Figures], items: Sequence[Experiment]
    ) -> Iterator[tuple[int, Figures]]:
        counted.extend(items)
        return here(work, items)

    return count


def test_cells_that_are_alike_are_run_once() -> None:
    cells = parse_grid(GRID.replace(b"[1, 3]", b"[1, 1]"), PROJECT)
    counted: list[Experiment] = []
    assert len(list(finish(cells, RowStore(), counting(counted)))) == 8
    assert len(counted) == 4


TOGETHER = b"""\
seconds = 0.05
warmup = 0.05
[grid]
layout = ["two-cecs"]
workload = ["HL"]
pairs = [2]
lose = ["none", "BETA:40", "cec:EAST"]
"""


def test_all_links_of_a_file_run_together_and_what_is_cut_has_a_row_of_nothing() -> None:
    cells = parse_grid(TOGETHER, PROJECT)
    counted: list[Experiment] = []
    rows = [row_of(*found) for found in finish(cells, RowStore(), counting(counted))]
    assert len(rows) == 3 * 6
    assert len(counted) == 3  # one run for the rows of all links
    known = {(row["lose"], row["link"]): row["mb_per_s"] for row in rows}
    assert {link for (lose, link), rate in known.items() if rate == 0.0} == {
        "ALPHA-BETA", "ALPHA-DELTA", "ALPHA-GAMMA", "BETA-DELTA", "BETA-GAMMA"
    }  # fmt: skip
    assert {lose for (lose, _), rate in known.items() if rate == 0.0} == {"cec:EAST"}
    ((whole),) = (run for run in counted if len(run.loads) == 1)
    assert known["cec:EAST", "DELTA-GAMMA"] == run(whole).mb_per_s


def test_a_piece_of_other_links_takes_nothing_of_this_one() -> None:
    grid = TOGETHER.replace(b"[grid]", b'[grid]\nlink = ["DELTA-GAMMA"]')
    none, lost, _ = parse_grid(grid, PROJECT)
    assert none.experiment == lost.experiment
    assert not lost.is_cut


CASE = """\
[[link]]
nodes = ["A", "B"]
[[link]]
nodes = ["A", "C"]
[fibre.1]
feature = "FICON Express16S"
chpid = { A = "40", B = "41" }
director = "61"
[fibre.2]
feature = "FICON Express16S"
chpid = { A = "40", C = "50" }
director = { A = "61", C = "62" }
[fibre.3]
feature = "FICON Express16S"
chpid = { A = "41", C = "51" }
director = "63"
[[ctc]]
fibre = "1"
rdevs = { A = "6000", B = "6000" }
[[ctc]]
fibre = "2"
rdevs = { A = "6010", C = "6000" }
[[ctc]]
fibre = "3"
rdevs = { A = "6020", C = "6010" }
[cec.X]
systems = ["A", "B"]
[[shared_channel]]
chpid = { A = "40", B = "41" }
"""


@pytest.mark.parametrize("links", ['["A-B", "A-C"]', None])
def test_what_one_link_loses_whole_another_may_lose_in_part_or_not_at_all(
    links: str | None, tmp_path: Path
) -> None:
    (tmp_path / "case.toml").write_text(CASE)
    grid = """\
seconds = 0.05
warmup = 0.05
[grid]
layout = ["case.toml"]
workload = ["HL"]
pairs = [2]
lose = ["none", "director:61", "director:62", "A:40+B:41", "cec:X"]
""" + (f"link = {links}\n" if links else "")
    rows = [row_of(*each) for each in finish(parse_grid(grid.encode(), tmp_path), RowStore(), here)]
    known = {(row["link"], row["lose"]): row["mb_per_s"] for row in rows}
    assert len(known) == len(rows) == 10
    nothing = {key for key, rate in known.items() if rate == 0.0}
    pieces = ("director:61", "A:40+B:41", "cec:X")
    assert nothing == {*(("A-B", piece) for piece in pieces), ("A-C", "cec:X")}
    assert known["A-C", "director:61"] == known["A-C", "A:40+B:41"] == known["A-C", "director:62"]


def test_key_tells_seeds_constants_and_layouts_apart() -> None:
    cells = parse_grid(GRID + b"seed = [1, 2]\n", PROJECT)
    assert len({key_of(cell.experiment) for cell in cells}) == len(cells)


def kill_after_a_row(process: subprocess.Popen[bytes], store: Path) -> None:
    wait_for_a_row(process, store)
    process.send_signal(signal.SIGKILL)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_cluster_that_loses_a_worker_gives_the_same_rows(spec: Path, tmp_path: Path) -> None:
    spec.write_bytes(GRID.replace(b"seconds = 0.02", b"seconds = 0.5"))
    address = tmp_path / "scheduler.json"
    silent = partial(
        subprocess.Popen,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
    )
    meeting = ["--no-dashboard", "--scheduler-file", str(address)]
    scheduler = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    processes = [silent([sys.executable, "-m", *scheduler, *meeting])]
    try:
        wait_for(address.exists, "the scheduler")
        worker = ["distributed.cli.dask_worker", "--no-nanny", "--nthreads", "1"]
        processes += [silent([sys.executable, "-m", *worker, *meeting]) for _ in range(2)]
        store = tmp_path / "kept.rows"
        killer = Thread(target=kill_after_a_row, args=(processes[1], store))
        killer.start()
        found = sweep(spec, cluster=json.loads(address.read_text())["address"], store=store)
        killer.join(PATIENCE_S)
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait(PATIENCE_S)
    cells = parse_grid(spec.read_bytes(), spec.parent)
    alone = [row_of(cell, measure(cell.experiment)) for cell in cells]
    assert [each | row for each, row in zip(found.runs, alone, strict=True)] == [*found.runs]


def test_scheduler_that_does_not_answer_is_named(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scenarios.search.workers.CONNECT_S", 0.2)
    with pytest.raises(ConfigurationError, match=r"^cluster tcp://127\.0\.0\.1:1: no scheduler"):
        sweep(spec, cluster="tcp://127.0.0.1:1")


@pytest.mark.parametrize("address", ["foo", "tcp://", "tcp://127.0.0.1:99999"])
def test_address_that_is_none_is_refused_without_waiting(spec: Path, address: str) -> None:
    with pytest.raises(ConfigurationError, match=r"no scheduler answers .* expected its address"):
        sweep(spec, cluster=address)


SCRIPT = """
import isfc

print(len(isfc.sweep({spec!r}, jobs={jobs}).runs))
"""


def run_script(spec: Path, jobs: int) -> subprocess.CompletedProcess[str]:
    script = spec.with_name("script.py")
    script.write_text(SCRIPT.format(spec=str(spec), jobs=jobs), "utf-8")
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    return ran([sys.executable, str(script)], env=environment, timeout=100)


@pytest.mark.slow
def test_script_without_guard_runs_one_job(spec: Path) -> None:
    done = run_script(spec, jobs=1)
    assert (done.stdout, done.stderr) == ("8\n", "")


@pytest.mark.slow
def test_script_without_guard_is_told_once_how_to_run_several_jobs(spec: Path) -> None:
    done = run_script(spec, jobs=2)
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert "put the call below 'if __name__ == \"__main__\":'" in done.stderr


def record_line(key: str, end: str = "\n") -> str:
    return json.dumps({"key": key, "figures": {"mb_per_s": 1.0}}) + end


def test_whole_last_line_without_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "kept.rows"
    path.write_text(record_line("a") + record_line("b", end=""), "utf-8")
    RowStore(path).add("c", {"mb_per_s": 1.0})
    assert [*RowStore(path).finished] == ["a", "b", "c"]


def test_every_half_written_last_line_is_run_again(tmp_path: Path) -> None:
    path = tmp_path / "kept.rows"
    whole = record_line("b", end="")
    for length in range(1, len(whole)):
        path.write_text(record_line("a") + whole[:length], "utf-8")
        assert [*RowStore(path).finished] == ["a"]


FOUR = Experiment.of(load_layout("published-4"), SUITES["HL"], 5)
AXES = ("layout", "lose", "workload", "pairs", "seed")


def standings_of(*rows: tuple[Any, ...], run: Experiment = FOUR) -> list[str]:
    """What is said of rows, each the values of `AXES` and MB/s."""
    made = [dict(zip((*AXES, "mb_per_s"), row, strict=True)) for row in rows]
    cells = [Cell({axis: row[axis] for axis in AXES}, run) for row in made]
    varying = varying_axes(made, AXES)
    return [*map(str, standings(groups(made, varying), cells, made, varying).values())]


def test_layouts_are_compared_at_the_same_load_and_by_the_mean_over_seeds() -> None:
    slow, first, second, level = standings_of(
        ("A", "none", "HL", 1, 1, 90.0),
        ("A", "none", "HL", 1, 2, 110.0),
        ("A", "none", "HL", 9, 1, 500.0),
        ("B", "none", "HL", 1, 1, 200.0),
        ("B", "none", "HL", 9, 1, 499.0),
    )
    assert (first, second) == ("best", "best")
    assert (slow, level) == ("97 of 100", "51 of 100")


@pytest.mark.parametrize(
    "rows",
    [
        [("A", "none", "HL", 1, 1, 90.0), ("A", "none", "HL", 9, 1, 120.0)],
        [("A", "none", "HL", 1, 1, 90.0), ("A", "none", "HM", 1, 1, 120.0)],
        [("A", "none", "HL", 1, 1, 90.0), ("A", "40", "HL", 1, 1, 0.0)],
    ],
    ids=["pairs", "workloads", "a loss that cuts"],
)
def test_what_varies_alone_is_compared(rows: list[tuple[Any, ...]]) -> None:
    found = standings_of(*rows)
    assert sorted(each == "best" for each in found) == [False, True]
    assert found.count("") == (rows[1][-1] == 0)


def test_messages_that_are_too_far_have_no_odds() -> None:
    far = Experiment.of(FOUR.layout, free_workload("8:8:100", 8), 5)
    rows = [("A", "none", "8", 1, 1, 90.0), ("B", "none", "8", 1, 1, 120.0)]
    assert standings_of(*rows, run=far) == ["", "best"]
    assert standings_of(*rows)[0].endswith("of 100")


def test_one_row_has_no_odds() -> None:
    assert standings_of(("A", "none", "HL", 1, 1, 90.0), ("A", "none", "HL", 1, 2, 91.0)) == []


@pytest.mark.parametrize("axis", ["pairs", "layout", "workload", "lose"])
def test_odds_of_a_sweep_of_one_axis_are_of_the_whole_sweep(axis: str) -> None:
    assert alike_in([axis]) == []
