"""P8: what a node was given, given to a fresh system, leads to the same."""

from dataclasses import dataclass
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.engine.journal import Replay, journalled, replay
from isfc.engine.journal_record import FILE_HEADER, JournalReader
from isfc.errors import JournalError
from isfc.link.events import Sink
from isfc.link.message import Message, Traffic
from isfc.system.link_end import LinkEndDefinition
from isfc.system.system import Send, System
from isfc.testing.pair import MS, Pair, S, Setup
from isfc.testing.steps import Step, Wait
from isfc.testing.strategies import cuts, operations, pauses, sends, setups

pytestmark = pytest.mark.at_length


@dataclass(frozen=True, slots=True)
class RealData:
    """A message with its data, as live."""

    here: int
    data: bytes

    def send(self, pair: Pair) -> None:
        message = Message(99, len(self.data), Traffic.TRANSPORT, self.data)
        pair.sides[self.here].system.apply(Send([message]), pair.engine.now_ns)
        pair.engine.drain()


class MemoryJournal:
    """Keeps a whole journal in ``data``."""

    def __init__(self) -> None:
        self.data = bytearray(FILE_HEADER)
        self.recording = True
        """May be set to False, to stop."""

    def __call__(self, record: bytes) -> None:
        """Keep the record."""
        self.data += record


class JournalledPair(Pair):
    """A pair whose nodes are journalled, each in a journal of its own."""

    def __init__(self, setup: Setup | None = None) -> None:
        setup = setup or Setup()
        self.journals = (MemoryJournal(), MemoryJournal())
        super().__init__(setup)

    def make_system(self, here: int, definition: LinkEndDefinition, trace: Sink) -> System:
        return journalled(definition, self.journals[here], trace)

    def replays(self) -> list[Replay]:
        """Both journals, fed to fresh nodes."""
        return [replay(BytesIO(journal.data).read) for journal in self.journals]


real_data = st.builds(RealData, st.integers(0, 1), st.binary(max_size=100))
overdue = st.just(Wait(20 * S))
steps = st.lists(
    st.one_of(sends, sends, pauses, pauses, cuts, operations, real_data, overdue),
    min_size=1,
    max_size=25,
)
"""What may happen to a pair: traffic, collisions, cables pulled and plugged in, commands."""


def tell(pair: Pair, plan: list[Step | RealData]) -> None:
    """Let a plan happen."""
    for step in plan:
        if isinstance(step, RealData):
            step.send(pair)
        else:
            pair.do(step)


@given(setups(), steps)
def test_p8_replay_of_a_journal_is_identical_at_every_step(
    setup: Setup, plan: list[Step | RealData]
) -> None:
    pair = JournalledPair(setup)
    tell(pair, plan)
    pair.run(MS)
    for side, done in zip(pair.sides, pair.replays(), strict=True):
        assert done.difference is None
        assert done.truncated_length == 0
        assert done.definition == setup.definition(pair.sides.index(side))
        assert done.event_count == len(side.events)
        assert done.input_count >= setup.ctc_count
        assert done.last_ns <= pair.engine.now_ns


@given(setups(), steps)
def test_journalling_changes_nothing(setup: Setup, plan: list[Step | RealData]) -> None:
    traces = []
    for pair in (Pair(setup), JournalledPair(setup)):
        tell(pair, plan)
        traces.append([side.trace.records for side in pair.sides])
    assert traces[0] == traces[1]


def short_journal() -> bytes:
    pair = JournalledPair(Setup(ctc_count=2))
    for side in pair.sides:
        pair.send(side, 100, 300_000, traffic=Traffic.LEGACY)
        side.system.apply(Send([Message(9, 3, Traffic.TRANSPORT, b"abc")]), pair.engine.now_ns)
    pair.engine.drain()
    pair.run(2 * MS)
    pair.unplug(0)
    pair.run(MS)
    return bytes(pair.journals[0].data)


JOURNAL = short_journal()


RECORDS = list(JournalReader(BytesIO(JOURNAL).read))
ENDS = [record.offset for record in RECORDS[1:]] + [len(JOURNAL)]
"""Where each record ends."""


@given(st.one_of(st.integers(0, len(JOURNAL)), st.sampled_from(ENDS)))
def test_journal_that_was_cut_short_replays_up_to_its_last_whole_record(length: int) -> None:
    whole_count = sum(end <= length for end in ENDS)
    if not whole_count:
        with pytest.raises(JournalError):
            replay(BytesIO(JOURNAL[:length]).read)
        return
    done = replay(BytesIO(JOURNAL[:length]).read)
    assert done.difference is None
    assert done.input_count == whole_count - 1  # the first one made the node
    assert done.truncated_length == length - ENDS[whole_count - 1]


@given(st.data())
def test_damaged_journal_is_noticed_and_breaks_nothing(data: st.DataObject) -> None:
    damaged = bytearray(JOURNAL)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    if damaged == JOURNAL:
        return  # what one change did another has undone
    with pytest.raises(JournalError) as caught:
        replay(BytesIO(damaged).read)
    assert 0 <= caught.value.offset <= len(damaged)
