"""What is done to nodes during a run, and what is heard of it."""

import pytest

from ctc.address import Rdev
from isfc.layout.catalogue import load_layout
from isfc.link.events import DeviceChanged, DigestSink, LinkEvent
from isfc.link.name import NodeName
from isfc.link.state import DeviceState
from isfc.system.inputs import Deactivate
from isfc.system.link_end import LinkEnd
from isfc.system.system import System
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import read_time_ns
from scenarios.runs.run import Intervention, Operation, run
from scenarios.runs.workload import find_workload

MS = 1_000_000
ATLANTA, BOSTON = NodeName("ATLANTA"), NodeName("BOSTON")


def experiment() -> Experiment:
    layout = load_layout("atlanta-boston")
    return Experiment.of(layout, find_workload("HL"), pairs=20, seconds=0.04, warmup=0.01)


class Log:
    """Notes what is done and heard."""

    def __init__(self) -> None:
        self.done: list[tuple[str, int, str]] = []
        self.heard: list[tuple[int, str, LinkEvent]] = []

    def act(self, at_ms: int, system: NodeName, name: str = "") -> Intervention:
        def do(system: System, now_ns: int) -> None:
            self.done.append((name, now_ns, system.name))

        return Intervention(at_ms * MS, system, do)

    def hear(self, end: LinkEnd, event: LinkEvent, now_ns: int) -> None:
        self.heard.append((now_ns, end.name, event))


def deactivate(rdev: int) -> Intervention:
    return Intervention(
        20 * MS, ATLANTA, lambda system, now_ns: system.apply(Deactivate(Rdev(rdev)), now_ns)
    )


def test_acts_are_done_at_their_times_in_their_order() -> None:
    log = Log()
    acts = [
        log.act(30, BOSTON, "late"),
        log.act(0, ATLANTA, "first"),
        log.act(12, ATLANTA, "one"),
        log.act(12, BOSTON, "two"),
        log.act(12, ATLANTA, "three"),
        log.act(50, ATLANTA, "last"),
    ]
    run(experiment(), operation=Operation(acts, log.hear))
    assert log.done == [
        ("first", 0, ATLANTA),
        ("one", 12 * MS, ATLANTA),
        ("two", 12 * MS, BOSTON),
        ("three", 12 * MS, ATLANTA),
        ("late", 30 * MS, BOSTON),
        ("last", 50 * MS, ATLANTA),
    ]


def test_looking_and_hearing_change_nothing() -> None:
    log = Log()
    plain, watched = DigestSink(), DigestSink()
    run(experiment(), trace=plain)
    acts = [log.act(at_ms, system) for at_ms in range(0, 50, 3) for system in (ATLANTA, BOSTON)]
    run(experiment(), trace=watched, operation=Operation(acts, log.hear))
    assert len(log.done) == 34
    assert plain.hexdigest() == watched.hexdigest()


def test_watching_progress_changes_no_act() -> None:
    logs = Log(), Log()
    for log, progress in zip(logs, (None, lambda _: None), strict=True):
        operation = Operation([deactivate(0x6000), log.act(25, BOSTON)], log.hear)
        run(experiment(), progress=progress, operation=operation)
    first, second = logs
    assert first.done == second.done
    assert [entry[:2] for entry in first.heard] == [entry[:2] for entry in second.heard]


def test_what_is_done_is_carried_on_and_heard_at_both_ends() -> None:
    log = Log()
    run(experiment(), operation=Operation([deactivate(0x6001)], log.hear))
    changes = [
        (now_ns >= 20 * MS, system, f"{event.rdev:04X}")
        for now_ns, system, event in log.heard
        if isinstance(event, DeviceChanged) and not event.usable
    ]
    assert changes == [(True, ATLANTA, "6001"), (True, BOSTON, "7001")]


def test_samples_show_what_an_act_did() -> None:
    log = Log()
    acts = [deactivate(rdev) for rdev in (0x6000, 0x6001, 0x6002, 0x6003)]
    seen = run(experiment(), 0.01, operation=Operation(acts, log.hear)).link().client
    rates = [part.result.devices[0].io_per_s for part in seen.parts]
    assert rates[0] > 0
    assert rates[2] == rates[3] == 0


def test_act_sees_the_node_as_it_is_then() -> None:
    states: list[DeviceState] = []

    def look(system: System, _now_ns: int) -> None:
        states.append(system.ends[0].link.ctcs[Rdev(0x6000)].state)

    log = Log()
    acts = [Intervention(at_ms * MS, ATLANTA, look) for at_ms in (19, 21)]
    run(experiment(), operation=Operation([deactivate(0x6000), *acts], log.hear))
    assert [state is DeviceState.INACTIVE for state in states] == [False, True]


@pytest.mark.parametrize(
    ("text", "time_ns"),
    [
        *(("5ms", 5_000_000), ("800us", 800_000), ("1.5s", 1_500_000_000), ("0.000000001s", 1)),
        ("123456789.123456789s", 123_456_789_123_456_789),  # keeps its nanoseconds
        *((text, None) for text in ("", "5", "5 ms", "-1s", "1e3s", "٣ms", "1.s", "0000000001s")),
    ],
)
def test_a_time_is_read_in_its_unit(text: str, time_ns: int | None) -> None:
    assert read_time_ns(text) == time_ns
