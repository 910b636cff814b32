"""Journalled nodes, and their replay."""

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

import pytest

from ctc.address import ChpidId, Rdev
from ctc.device import Arbitration
from ctc.frame import CommandFrame, DataFrame, Frame
from ctc.subchannel import Command
from isfc.errors import Backpressure, JournalError, LocalProtocolError
from isfc.journal.journal import JournalledNode, MemoryJournal, replay
from isfc.journal.record import FILE_HEADER, Act, JournalReader, Outcome, Record, encode_record
from isfc.link.message import Message
from isfc.link.package import BACKLOG_LENGTH_MAX
from isfc.system.node import Node, NodeDefinition
from isfc.testing.pair import BOTH_FAIL, FIRST_WINS, MS, SECOND_WINS, S, Setup
from tests.properties.test_journal import JournalledPair

DEFINITION = Setup(ctc_count=2).definition(0)
FIRST = Rdev(0x6000)


def records(journal: MemoryJournal) -> list[Record]:
    return list(JournalReader(BytesIO(journal.data).read))


def journalled() -> tuple[JournalledNode, MemoryJournal]:
    journal = MemoryJournal()
    return JournalledNode(DEFINITION, journal), journal


def busy_pair(setup: Setup) -> JournalledPair:
    pair = JournalledPair(setup)
    for _ in range(3):
        for side in pair.sides:
            pair.send(side, *[5_000] * 10)
        pair.run(5 * MS)
    pair.expect_all_arrived()
    return pair


READS = set(
    "busy chpids ctcs is_online link name next_deadline offline_chpids offline_rdevs partner "
    "snapshot".split()
)
COMPOSED = {"operate_like"}
"""What does nothing but call inputs that are recorded."""


def test_every_input_of_a_node_is_journalled() -> None:
    public = {name for name in vars(Node) if not name.startswith("_")}
    assert public - READS - COMPOSED == {
        name for name in vars(JournalledNode) if not name.startswith("_")
    }


@pytest.mark.parametrize("rules", [BOTH_FAIL, FIRST_WINS, SECOND_WINS])
def test_p8_holds_through_collisions_under_either_rule(
    rules: tuple[Arbitration, Arbitration],
) -> None:
    pair = busy_pair(Setup(ctc_count=1, arbitrations=rules))
    assert sum(side.node.link.counters.collision_count for side in pair.sides) >= 3
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
    node, journal = journalled()
    node.connect(FIRST, 1)
    node.deactivate(FIRST, 2)
    node.activate(FIRST, 3)  # which connects it
    assert [record.act for record in records(journal)] == [
        Act.BEGIN, Act.CONNECT, Act.DEACTIVATE, Act.ACTIVATE
    ]  # fmt: skip
    assert records(journal)[3].outcome.frame_count == 1
    assert replay(BytesIO(journal.data).read).difference is None


def test_commands_of_an_operator_are_inputs() -> None:
    pair = JournalledPair(Setup(ctc_count=2))
    node, chpid, now_ns = pair.first.node, ChpidId(0x40), pair.engine.now_ns
    node.vary_rdev(FIRST, now_ns, online=False)
    node.vary_chpid(chpid, now_ns, online=False)
    node.vary_chpid(chpid, now_ns + 1, online=True)
    node.vary_rdev(FIRST, now_ns + 2, online=True)
    with pytest.raises(LocalProtocolError):
        node.vary_chpid(ChpidId(0x99), now_ns + 3, online=True)
    pair.engine.drain()
    pair.run(MS)
    node.vary_rdev(FIRST, pair.engine.now_ns, online=False)
    node.deactivate(Rdev(0x6001), pair.engine.now_ns)
    journal = MemoryJournal()
    fresh = JournalledNode(pair.setup.definition(0), journal)
    fresh.operate_like(node, 5)
    assert [record.act for record in records(journal)] == [
        Act.BEGIN, Act.VARY_RDEV_OFF, Act.DEACTIVATE
    ]  # fmt: skip
    for each in (journal, *pair.journals):
        assert replay(BytesIO(each.data).read).difference is None


def test_it_does_not_matter_when_outputs_are_asked_for() -> None:
    node, journal = journalled()
    node.connect(FIRST, 1)
    node.connect(Rdev(0x6001), 2)
    found = []
    while (departure := node.poll_frame()) is not None:
        found.append(departure[:2])
    assert found == [(1, 0x6000), (2, 0x6001)]
    assert [record.outcome.frame_count for record in records(journal)] == [0, 1, 1]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda node: node.activate(FIRST, 5), LocalProtocolError),
        (lambda node: node.send([Message(0, BACKLOG_LENGTH_MAX + 1)], 5), Backpressure),
        (lambda node: node.receive_frame(Rdev(1), CommandFrame(Command.READ, 1), 5), KeyError),
    ],
)
def test_input_that_raises_is_recorded_and_raises_again(
    wrong: Callable[[Node], None], error: type[Exception]
) -> None:
    node, journal = journalled()
    with pytest.raises(error):
        wrong(node)
    assert records(journal)[-1].outcome.error == error.__name__
    assert replay(BytesIO(journal.data).read).difference is None


def test_fresh_nodes_may_follow_each_other_in_one_journal() -> None:
    node, journal = journalled()
    node.connect(FIRST, 1)
    other = replace(DEFINITION, name=DEFINITION.partner, partner=DEFINITION.name)
    JournalledNode(other, journal).connect(FIRST, 2)
    done = replay(BytesIO(journal.data).read)
    assert (done.node_count, done.input_count, done.difference) == (2, 2, None)
    assert done.definition == other


def test_journal_that_stops_leaves_the_node_as_it_is() -> None:
    node, journal = journalled()
    plain = Node(DEFINITION)
    for each in (node, plain):
        each.connect(FIRST, 1)
    length = len(journal.data)
    journal.recording = False
    for each in (node, plain):
        each.send([Message(0, 5)], 2)
        each.deactivate(FIRST, 3)
        with pytest.raises(LocalProtocolError):
            each.activate(Rdev(0x6001), 4)
    assert len(journal.data) == length
    assert journal.skipped_count == 3
    while True:
        taken = [each.poll_frame() for each in (node, plain)]
        assert (taken[0] is None) == (taken[1] is None)
        if taken[0] is None or taken[1] is None:
            break
        assert taken[0][:2] == taken[1][:2]
    assert type(node.poll_event()) is type(plain.poll_event())


class Buggy(Node):
    """A node with a bug: what kind is drawn by a subclass."""


class Forgetful(Buggy):
    """Loses every fifth package that arrives."""

    count = 0

    def receive_frame(self, rdev: Rdev, frame: Frame, now_ns: int) -> None:
        self.count += isinstance(frame, DataFrame)
        if self.count % 5:
            super().receive_frame(rdev, frame, now_ns)


class Hasty(Buggy):
    """Sends every frame a nanosecond too early."""

    def poll_frame(self) -> tuple[int, Rdev, Frame] | None:
        departure = super().poll_frame()
        return departure and (departure[0] - 1, *departure[1:])


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
    done = replay(BytesIO(journal.data).read, kind)
    assert done.difference is not None
    record, replayed = done.difference.record, done.difference.replayed
    assert record == records(journal)[record.index] or record.act in (Act.SEND, Act.ARRIVE)
    assert record.outcome != replayed
    assert done.input_count == record.index
    if kind is Hasty:
        assert record.outcome.frame_count == replayed.frame_count
        assert record.outcome.frames_digest != replayed.frames_digest
    if kind is Broken:
        assert (record.act, replayed.error) == (Act.DEADLINE, "AssertionError")
    if kind is Sleepy:
        assert replayed.deadline_ns == (record.outcome.deadline_ns or 0) + 1


def test_bug_that_was_recorded_is_seen_again() -> None:
    journal = MemoryJournal()

    class BrokenJournalled(JournalledNode, Broken):
        """Journals its own bug."""

    node = BrokenJournalled(DEFINITION, journal)
    with pytest.raises(AssertionError):
        node.handle_deadline(7)
    assert replay(BytesIO(journal.data).read, Broken).difference is None
    mended = replay(BytesIO(journal.data).read).difference
    assert mended is not None
    assert (mended.record.outcome.error, mended.replayed.error) == ("AssertionError", "")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (FILE_HEADER, "holds nothing"),
        (FILE_HEADER + encode_record(Act.DEADLINE, 1, 0, b"", Outcome()), "before there is a node"),
    ],
)
def test_journal_without_a_node_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(JournalError, match=reason):
        replay(BytesIO(data).read)


def test_definition_that_makes_no_node_is_refused() -> None:
    journal = MemoryJournal()
    JournalledNode(DEFINITION, journal)

    def refuse(_: NodeDefinition) -> Node:
        raise ValueError("no")

    with pytest.raises(JournalError, match="a definition that makes no node: no"):
        replay(BytesIO(journal.data).read, refuse)
