"""What is done to nodes during a run, what is heard of it, and CP commands in a file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.link.events import DeviceChanged, DigestSink, LinkEvent
from isfc.link.name import NodeName
from isfc.link.state import DeviceState
from isfc.system.cp.messages import LINK_ACTIVATED, LINK_DEACTIVATED, LINK_DOWN, LINK_UP, OPERATOR
from isfc.system.link_end import LinkEnd
from isfc.system.system import Deactivate, System
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import TimedCommand, Transcript, read_script, read_time_ns
from scenarios.runs.run import Intervention, Operation, run
from scenarios.runs.workload import find_workload

MS = 1_000_000
ATLANTA, BOSTON = NodeName("ATLANTA"), NodeName("BOSTON")


def experiment(client: NodeName | None = None) -> Experiment:
    layout = load_layout("atlanta-boston")
    return Experiment.of(
        layout, find_workload("HL"), pairs=20, seconds=0.04, warmup=0.01, client=client
    )


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


@pytest.fixture(name="script")
def make_script(tmp_path: Path) -> Path:
    return tmp_path / "commands.cp"


def test_lines_say_when_where_and_what(script: Path) -> None:
    script.write_text(
        "* comments\n"
        "  # of both kinds\n"
        "\n"
        "at 0.025s Q ISLINK\n"
        "AT 0.05 S boston:deact islink 7003  \n"
        "  at 20ms BOSTON: Query ISLINK 7003\n"
        "at 1us Q CHPID 40\r\n"
        "at 0s ATLANTA : q islink\n"
    )
    assert read_script(str(script), experiment()) == [
        TimedCommand(25_000_000, ATLANTA, "Q ISLINK"),
        TimedCommand(50_000_000, BOSTON, "deact islink 7003"),
        TimedCommand(20_000_000, BOSTON, "Query ISLINK 7003"),
        TimedCommand(1_000, ATLANTA, "Q CHPID 40"),
        TimedCommand(0, ATLANTA, "q islink"),
    ]


def test_node_of_the_clients_is_meant_where_none_is_named_and_times_are_exact(script: Path) -> None:
    script.write_text("at 0.000000001s a\nat 0.010000003s b")
    found = read_script(str(script), experiment(BOSTON))
    assert [(timed.node, timed.at_ns) for timed in found] == [(BOSTON, 1), (BOSTON, 10_000_003)]


EXPECTED = "expected 'at 2.5s COMMAND' or 'at 2.5s NODE: COMMAND'"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("Q ISLINK", f"'Q ISLINK': {EXPECTED}"),
        ("at 2 Q ISLINK", f"'at 2 Q ISLINK': {EXPECTED}"),
        ("at -1s Q ISLINK", f"'at -1s Q ISLINK': {EXPECTED}"),
        ("at 0.01s", f"'at 0.01s': {EXPECTED}"),
        ("at 0.01sQ ISLINK", f"'at 0.01sQ ISLINK': {EXPECTED}"),
        ("at 1e3s Q", f"'at 1e3s Q': {EXPECTED}"),
        ("at 0.01s BOSTON:", f"'at 0.01s BOSTON:': {EXPECTED}"),
        ("at 0.051s Q", "at 0.051s: expected a time of the run, which ends at 0.05 s"),
        ("at 999999999s Q", "at 999999999s: expected a time of the run, which ends at 0.05 s"),
        ("at 0.01s AKRON: Q", "node AKRON: not a node of this layout; expected ATLANTA or BOSTON"),
        ("x" * 100, f"'{'x' * 40}': {EXPECTED}"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(script: Path, line: str, complaint: str) -> None:
    script.write_text(f"at 0s q islink\n{line}\n")
    with pytest.raises(ConfigurationError) as refused:
        read_script(str(script), experiment())
    assert str(refused.value) == f"{script}:2: {complaint}"


def test_file_that_cannot_be_read_is_named(script: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be read \(No such file"):
        read_script(str(script), experiment())
    script.write_bytes(b"at 0s \xff")
    with pytest.raises(
        ConfigurationError, match=r"is not UTF-8 text \(at byte 6\); expected CP commands"
    ):
        read_script(str(script), experiment())


@given(st.text(max_size=40))
def test_any_line_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, line: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.cp"
    path.write_text(line, "utf-8", errors="replace")
    try:
        commands = read_script(str(path), experiment())
    except ConfigurationError as error:
        assert str(error).startswith(f"{path}:")  # noqa: PT017  # either way is good
    else:
        assert len(commands) <= len(line.splitlines())


def transcript(script: Path, text: str) -> Transcript:
    script.write_text(text)
    kept = Transcript(read_script(str(script), experiment()))
    run(experiment(), operation=kept.operation)
    return kept


def test_responses_and_what_comes_unasked_stand_in_the_order_of_time(script: Path) -> None:
    kept = transcript(
        script,
        "at 30ms act islink 6003\nat 20ms deact islink 6003\nat 25ms BOSTON: q islink 7003\n",
    )
    assert [(entry.node, entry.command, entry.return_code) for entry in kept.entries] == [
        (ATLANTA, "deact islink 6003", 0),
        (ATLANTA, None, None),
        (ATLANTA, None, None),
        (BOSTON, None, None),
        (BOSTON, "q islink 7003", 0),
        (ATLANTA, "act islink 6003", 0),
        (ATLANTA, None, None),
        (BOSTON, None, None),
        (ATLANTA, None, None),
    ]
    unasked = [entry.lines for entry in kept.entries if entry.command is None]
    assert unasked == [
        (LINK_DEACTIVATED("6003", OPERATOR),),
        (LINK_DOWN("6003"),),
        (LINK_DOWN("7003"),),
        (LINK_ACTIVATED("6003", OPERATOR),),
        (LINK_UP("7003"),),
        (LINK_UP("6003"),),
    ]
    times = [entry.at_s for entry in kept.entries]
    assert times == sorted(times)
    assert times[0] == 0.02
    assert kept.entries[4].lines[3].startswith("State:       Down ")


def test_refusals_are_found(script: Path) -> None:
    kept = transcript(script, "at 20ms foo\nat 21ms help\nat 22ms vary on 6000")
    refused = [entry for entry in kept.entries if entry.return_code]
    assert [entry.command for entry in refused] == ["foo", "vary on 6000"]
