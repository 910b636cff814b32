"""The trace keeps to the Chrome trace event format, and shows what the timeline has."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from isfc.cli.main import run
from isfc.cli.output.trace_events import Event
from isfc.cli.run.trace import trace_events, write_trace
from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.timeline import Timeline, record_timelines
from scenarios.runs.workload import SUITES

RUN = "run published-1 --workload HM --pairs 2 --warmup 0.01 --seconds 0.02".split()
# "Trace Event Format": which keys an event has besides ph, pid and tid, by its phase
REQUIRED = {
    "M": {"args", "name"},
    "B": {"ts", "cat", "name"},
    "E": {"ts", "cat", "name"},
    "i": {"ts", "s", "cat", "name"},
    "s": {"ts", "id", "cat", "name"},
    "f": {"ts", "id", "cat", "name", "bp"},
    "C": {"ts", "args", "name"},
}
METADATA = {
    "process_name": "name",
    "process_sort_index": "sort_index",
    "thread_name": "name",
    "thread_sort_index": "sort_index",
}


@pytest.fixture(scope="module", params=["published-1", "published-12"])
def timeline(request: pytest.FixtureRequest) -> Timeline:
    experiment = Experiment.of(
        load_layout(request.param), SUITES["HM"], pairs=5, seconds=0.02, warmup=0.01
    )
    return record_timelines(experiment)[0][0]


def by_phase(events: list[Event]) -> dict[str, list[Event]]:
    found = defaultdict(list)
    for event in events:
        found[event["ph"]].append(event)
    return found


def test_every_event_has_what_its_phase_requires(timeline: Timeline) -> None:
    for event in trace_events(timeline):
        assert REQUIRED[event["ph"]] | {"pid", "tid"} <= event.keys()
        assert isinstance(event.get("name", ""), str)
        assert all(isinstance(event[key], int) for key in ("pid", "tid"))
        if event["ph"] != "M":
            assert isinstance(event["ts"], int | float)
            assert event["ts"] >= 0
        if event["ph"] == "i":
            assert event["s"] == "t"  # g, p and t are the scopes there are
        if event["ph"] == "f":
            assert event["bp"] == "e"
        if event["ph"] == "C":
            assert all(isinstance(value, int | float) for value in event["args"].values())
        if event["ph"] == "M":
            assert METADATA[event["name"]] in event["args"]


def test_every_track_is_named(timeline: Timeline) -> None:
    events = by_phase(list(trace_events(timeline)))
    named = {(e["pid"], e["tid"]) for e in events["M"] if e["name"] == "thread_name"}
    processes = [e["args"]["name"] for e in events["M"] if e["name"] == "process_name"]
    assert processes == list(timeline.layout.nodes)
    assert len(named) == 2 * len(timeline.layout.ctcs)
    tids = [tid for _, tid in named]
    assert len(set(tids)) == len(tids)
    assert not set(tids) & {0, *(pid for pid, _ in named)}
    for phase in "BEisf":
        assert {(e["pid"], e["tid"]) for e in events[phase]} <= named


def slices(timeline: Timeline) -> list[tuple[Event, float, int]]:
    """Each slice with its end and its depth; begins and ends must pair up, in order of time."""
    found: list[tuple[Event, float, int]] = []
    tracks: dict[tuple[int, int], list[Event]] = defaultdict(list)
    last: dict[tuple[int, int], float] = defaultdict(float)
    for event in trace_events(timeline):
        if event["ph"] not in "BE":
            continue
        track = event["pid"], event["tid"]
        assert event["ts"] >= last[track]
        last[track] = event["ts"]
        if event["ph"] == "B":
            tracks[track].append(event)
        else:
            begin = tracks[track].pop()
            assert (begin["name"], begin.get("args")) == (event["name"], event.get("args"))
            found.append((begin, event["ts"], len(tracks[track])))
    assert not any(tracks.values())
    return found


def test_phases_fill_their_io(timeline: Timeline) -> None:
    found = slices(timeline)
    ios = [(begin, end) for begin, end, depth in found if depth == 0]
    phases = [(begin, end) for begin, end, depth in found if depth == 1]
    assert len(ios) + len(phases) == len(found)
    assert {begin["cat"] for begin, _ in ios} == {"io"}
    assert {begin["name"] for begin, _ in phases} == {"PEND", "DISC", "CONN"}
    whole, parts = (sum(end - begin["ts"] for begin, end in each) for each in (ios, phases))
    assert whole == pytest.approx(parts)
    assert len(ios) == len(timeline.ios)
    for io, _ in ios:
        if io["name"] in ("READ", "WRITE") and io["args"]["outcome"] == "ended":
            assert {"package", "messages", "bytes"} <= io["args"].keys()


def test_arrows_join_the_two_ends_of_a_collision(timeline: Timeline) -> None:
    events = by_phase(list(trace_events(timeline)))
    ours = slices(timeline)
    collisions = len(timeline.collisions())
    assert (collisions > 0) == (len(timeline.layout.ctcs) == 1)
    assert len(events["i"]) == 2 * collisions
    begins, ends = ({e["id"]: e for e in events[phase]} for phase in "sf")
    assert begins.keys() == ends.keys()
    assert len(begins) == collisions
    for number, begin in begins.items():
        end = ends[number]
        assert (begin["name"], begin["cat"]) == (end["name"], end["cat"])
        assert begin["pid"] != end["pid"]
        for arrow in (begin, end):
            assert any(holds(begin, end, arrow) for begin, end, _ in ours)


def holds(begin: Event, end: float, arrow: Event) -> bool:
    same = (begin["pid"], begin["tid"]) == (arrow["pid"], arrow["tid"])
    return bool(same and begin["ts"] < arrow["ts"] < end)


def test_counters_are_of_backlog_and_of_each_fibre(timeline: Timeline) -> None:
    counters = by_phase(list(trace_events(timeline)))["C"]
    fibres = {f"fibre {fibre.name} MB/s out" for fibre in timeline.layout.fibres}
    assert {e["name"] for e in counters} == {"backlog messages", "backlog KB", *fibres}
    assert {e["pid"] for e in counters} == {1, 2}
    assert max(e["args"].get("MB/s", 0) for e in counters) > 1
    for name in {e["name"] for e in counters}:  # a track for each process, in order of time
        for pid in (1, 2):
            times = [e["ts"] for e in counters if (e["name"], e["pid"]) == (name, pid)]
            assert times == sorted(times)


def test_file_is_one_json_object(timeline: Timeline, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    write_trace(path, timeline)
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    assert document["displayTimeUnit"] == "ms"
    assert document["traceEvents"] == list(trace_events(timeline))


@pytest.mark.at_length
@pytest.mark.slow
def test_arrow_of_a_collision_lies_in_both_writes_and_never_leads_back_in_time() -> None:
    # seed 1: the write that failed first is the one whose middle came later
    busy = Experiment.of(
        load_layout("published-4"), SUITES["HY"], pairs=100, seconds=0.2, warmup=1.0, seed=1
    )
    timeline = record_timelines(busy)[0][0]
    assert timeline.collisions()
    events = by_phase(list(trace_events(timeline)))
    writes = [(begin, end) for begin, end, depth in slices(timeline) if depth == 0]
    assert len(events["s"]) == len(events["f"]) == len(timeline.collisions())
    for start, finish in zip(events["s"], events["f"], strict=True):
        assert start["id"] == finish["id"]
        assert start["ts"] <= finish["ts"]
        for tip in (start, finish):
            assert any(
                begin["name"] == "WRITE" and begin["ts"] <= tip["ts"] <= end
                for begin, end in writes
                if (begin["pid"], begin["tid"]) == (tip["pid"], tip["tid"])
            )


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_trace_leaves_the_results_as_they_are(
    form: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*RUN, *form]) == 0
    without = capsys.readouterr().out
    trace = tmp_path / "link.json"
    assert run([*RUN, *form, "--trace", str(trace)]) == 0
    assert capsys.readouterr().out == without
    assert json.loads(trace.read_text())["traceEvents"]


def test_same_run_gives_the_same_trace(tmp_path: Path) -> None:
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in paths:
        run([*RUN, "--trace", str(path)])
    assert paths[0].read_bytes() == paths[1].read_bytes()
