"""Journalled nodes, and their replay."""

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

import pytest

from ctc.address import ChpidId, Rdev
from ctc.device import Arbitration
from ctc.frame import CommandFrame, DataFrame, Departure
from ctc.subchannel import Command
from isfc.engine.journal import JournalRecorder, journalled, replay
from isfc.engine.journal_record import (
    FILE_HEADER,
    InputKind,
    InputOutcome,
    JournalReader,
    JournalRecord,
    decode_input,
    encode_input,
    encode_record,
)
from isfc.errors import Backpressure, JournalError, LocalProtocolError
from isfc.link.message import Message
from isfc.link.package import BACKLOG_LENGTH_MAX
from isfc.system.link_end import LinkEndDefinition
from isfc.system.system import (
    DEADLINE,
    Activate,
    Arrive,
    Connect,
    Deactivate,
    DeviceInput,
    Disconnect,
    Input,
    Send,
    System,
    VaryChpid,
    VaryDevice,
    operated_like,
)
from isfc.testing.pair import BOTH_FAIL, FIRST_WINS, MS, SECOND_WINS, S, Setup
from tests.properties.test_journal import JournalledPair, MemoryJournal

DEFINITION = Setup(ctc_count=2).definition(0)
FIRST = Rdev(0x6000)


def records(journal: MemoryJournal) -> list[JournalRecord]:
    return list(JournalReader(BytesIO(journal.data).read))


def recorded() -> tuple[System, MemoryJournal]:
    journal = MemoryJournal()
    return journalled(DEFINITION, journal), journal


def busy_pair(setup: Setup) -> JournalledPair:
    pair = JournalledPair(setup)
    for _ in range(3):
        for side in pair.sides:
            pair.send(side, *[5_000] * 10)
        pair.run(5 * MS)
    pair.expect_all_arrived()
    return pair


def kinds(base: type[Input]) -> set[type[Input]]:
    """Every input there is, but for what engines make of them."""
    own = (kind for kind in base.__subclasses__() if kind.__module__ == "isfc.system.system")
    return {base}.union(*map(kinds, own))


def test_every_input_has_an_act_and_every_act_is_an_input_again() -> None:
    online = (True, False)
    inputs: list[Input] = [
        Send([Message(0, 5)], beside=FIRST), Arrive(FIRST, CommandFrame(Command.READ, 1)), DEADLINE,
        Connect(FIRST), Disconnect(FIRST), Activate(FIRST), Deactivate(FIRST),
        *(VaryDevice(FIRST, online=on) for on in online),
        *(VaryChpid(ChpidId(0x40), online=on) for on in online),
    ]  # fmt: skip
    assert {type(given) for given in inputs} == kinds(Input) - {Input, DeviceInput}
    acts = [encode_input(given)[0] for given in inputs]
    assert {InputKind.BEGIN, *acts} == set(InputKind)
    assert len(acts) == len(set(acts))
    for given, act in zip(inputs, acts, strict=True):
        number = encode_input(given)[1]
        record = JournalRecord(
            0, 0, act, 5, number, getattr(given, "messages", None), InputOutcome()
        )
        again = decode_input(record)
        assert type(again) is type(given)
        assert getattr(again, "online", None) == getattr(given, "online", None)
        assert getattr(again, "rdev", None) == getattr(given, "rdev", None)
        assert getattr(again, "beside", None) == getattr(given, "beside", None)


@pytest.mark.parametrize("rules", [BOTH_FAIL, FIRST_WINS, SECOND_WINS])
def test_p8_holds_through_collisions_by_any_rule(rules: tuple[Arbitration, Arbitration]) -> None:
    pair = busy_pair(Setup(ctc_count=1, arbitrations=rules))
    assert sum(side.end.link.counters.collision_count for side in pair.sides) >= 3
    for done in pair.replays():
        assert done.difference is None
        assert done.input_count > 100
        assert done.frame_count >= 50


def test_p8_holds_when_an_interrupt_is_missing() -> None:
    pair = JournalledPair(Setup(ctc_count=2))
    pair.send(pair.first, 100)
    pair.until(lambda: bool(pair.first.verbs("WRITE")), limit_ns=MS, step_ns=1_000)
    pair.engine.unplug(FIRST)
    pair.run(20 * S)
    assert [done.difference for done in pair.replays()] == [None, None]


def test_what_the_node_does_of_itself_is_no_input() -> None:
    system, journal = recorded()
    system.apply(Connect(FIRST), 1)
    system.apply(Deactivate(FIRST), 2)
    system.apply(Activate(FIRST), 3)  # which connects it
    assert [record.act for record in records(journal)] == [
        InputKind.BEGIN, InputKind.CONNECT, InputKind.DEACTIVATE, InputKind.ACTIVATE
    ]  # fmt: skip
    assert records(journal)[3].outcome.frame_count == 1
    assert replay(BytesIO(journal.data).read).difference is None


def test_commands_of_an_operator_are_inputs() -> None:
    pair = JournalledPair(Setup(ctc_count=2))
    system, chpid, now_ns = pair.first.system, ChpidId(0x40), pair.engine.now_ns
    system.apply(VaryDevice(FIRST, online=False), now_ns)
    system.apply(VaryChpid(chpid, online=False), now_ns)
    system.apply(VaryChpid(chpid, online=True), now_ns + 1)
    system.apply(VaryDevice(FIRST, online=True), now_ns + 2)
    with pytest.raises(LocalProtocolError):
        system.apply(VaryChpid(ChpidId(0x99), online=True), now_ns + 3)
    pair.engine.drain()
    pair.run(MS)
    system.apply(VaryDevice(FIRST, online=False), pair.engine.now_ns)
    system.apply(Deactivate(Rdev(0x6001)), pair.engine.now_ns)
    journal = MemoryJournal()
    fresh = journalled(pair.setup.definition(0), journal)
    for given in operated_like(system):
        fresh.apply(given, 5)
    assert [record.act for record in records(journal)] == [
        InputKind.BEGIN, InputKind.VARY_RDEV_OFF, InputKind.DEACTIVATE
    ]  # fmt: skip
    for each in (journal, *pair.journals):
        assert replay(BytesIO(each.data).read).difference is None


def test_it_does_not_matter_when_outputs_are_asked_for() -> None:
    system, journal = recorded()
    system.apply(Connect(FIRST), 1)
    system.apply(Connect(Rdev(0x6001)), 2)
    found = []
    while (departure := system.ends[0].poll_frame()) is not None:
        found.append((departure.at_ns, departure.rdev))
    assert found == [(1, 0x6000), (2, 0x6001)]
    assert [record.outcome.frame_count for record in records(journal)] == [0, 1, 1]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda system: system.apply(Activate(FIRST), 5), LocalProtocolError),
        (lambda system: system.apply(Send([Message(0, BACKLOG_LENGTH_MAX + 1)]), 5), Backpressure),
        (
            lambda system: system.apply(Arrive(Rdev(1), CommandFrame(Command.READ, 1)), 5),
            LocalProtocolError,
        ),
    ],
)
def test_input_that_raises_is_recorded_and_raises_again(
    wrong: Callable[[System], None], error: type[Exception]
) -> None:
    system, journal = recorded()
    with pytest.raises(error):
        wrong(system)
    assert records(journal)[-1].outcome.error == error.__name__
    assert replay(BytesIO(journal.data).read).difference is None


def test_fresh_nodes_may_follow_each_other_in_one_journal() -> None:
    system, journal = recorded()
    system.apply(Connect(FIRST), 1)
    other = replace(DEFINITION, name=DEFINITION.partner, partner=DEFINITION.name)
    journalled(other, journal).apply(Connect(FIRST), 2)
    done = replay(BytesIO(journal.data).read)
    assert (done.node_count, done.input_count, done.difference) == (2, 2, None)
    assert done.definition == other


def test_journal_that_stops_leaves_the_node_as_it_is() -> None:
    system, journal = recorded()
    plain = System([DEFINITION])
    for each in (system, plain):
        each.apply(Connect(FIRST), 1)
    length = len(journal.data)
    journal.recording = False
    for each in (system, plain):
        each.apply(Send([Message(0, 5)]), 2)
        each.apply(Deactivate(FIRST), 3)
        with pytest.raises(LocalProtocolError):
            each.apply(Activate(Rdev(0x6001)), 4)
    assert len(journal.data) == length
    while True:
        taken = [each.ends[0].poll_frame() for each in (system, plain)]
        assert (taken[0] is None) == (taken[1] is None)
        if taken[0] is None or taken[1] is None:
            break
        assert (taken[0].at_ns, taken[0].rdev) == (taken[1].at_ns, taken[1].rdev)
    assert type(system.ends[0].poll_event()) is type(plain.ends[0].poll_event())


class Buggy(System):
    """A node with a bug: what kind is drawn by a subclass."""


class Forgetful(Buggy):
    """Loses every fifth package that arrives."""

    count = 0

    def apply(self, given: Input, now_ns: int) -> None:
        self.count += isinstance(given, Arrive) and isinstance(given.frame, DataFrame)
        if self.count % 5:
            super().apply(given, now_ns)


class Hasty(Buggy):
    """Sends every frame a nanosecond too early."""

    def apply(self, given: Input, now_ns: int) -> None:
        super().apply(given, now_ns)
        frames = self.ends[0].frames
        for _ in range(len(frames)):
            departure = frames.pop()
            frames.add(Departure(departure.at_ns - 1, departure.rdev, departure.frame))


class Broken(Buggy):
    """Has a bug that is noticed."""

    def handle_deadline(self, now_ns: int) -> None:
        raise AssertionError("a bug")


class Sleepy(Buggy):
    """Wants to be woken later."""

    def next_deadline(self) -> int | None:
        deadline_ns = super().next_deadline()
        return None if deadline_ns is None else deadline_ns + 1


@pytest.mark.parametrize("kind", [Forgetful, Hasty, Broken, Sleepy])
def test_node_that_does_something_else_is_caught_at_once(kind: type[Buggy]) -> None:
    journal = busy_pair(Setup(ctc_count=2)).journals[0]
    done = replay(BytesIO(journal.data).read, lambda given: kind([given]))
    assert done.difference is not None
    record, replayed = done.difference.record, done.difference.replayed
    assert record == records(journal)[record.index] or record.act in (
        InputKind.SEND,
        InputKind.ARRIVE,
    )
    assert record.outcome != replayed
    assert done.input_count == record.index
    if kind is Hasty:
        assert record.outcome.frame_count == replayed.frame_count
        assert record.outcome.frames_digest != replayed.frames_digest
    if kind is Broken:
        assert (record.act, replayed.error) == (InputKind.DEADLINE, "AssertionError")
    if kind is Sleepy:
        assert replayed.deadline_ns == (record.outcome.deadline_ns or 0) + 1


def test_bug_that_was_recorded_is_seen_again() -> None:
    journal = MemoryJournal()
    recorder = JournalRecorder(journal)
    recorder.begin(DEFINITION)
    system = Broken([DEFINITION], recorder=recorder)
    with pytest.raises(AssertionError):
        system.apply(DEADLINE, 7)
    assert replay(BytesIO(journal.data).read, lambda given: Broken([given])).difference is None
    fixed = replay(BytesIO(journal.data).read).difference
    assert fixed is not None
    assert (fixed.record.outcome.error, fixed.replayed.error) == ("AssertionError", "")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (FILE_HEADER, "holds nothing"),
        (
            FILE_HEADER + encode_record(InputKind.DEADLINE, 1, 0, b"", InputOutcome()),
            "before there is a system",
        ),
    ],
)
def test_journal_without_a_node_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(JournalError, match=reason):
        replay(BytesIO(data).read)


def test_definition_that_makes_no_node_is_refused() -> None:
    journal = MemoryJournal()
    journalled(DEFINITION, journal)

    def refuse(_: LinkEndDefinition) -> System:
        raise ValueError("no")

    with pytest.raises(JournalError, match="a definition that makes no system: no"):
        replay(BytesIO(journal.data).read, refuse)
