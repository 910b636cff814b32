"""P8: what a node was given, given to a fresh node, leads to the same."""

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import JournalError
from isfc.journal.journal import JournalledNode, MemoryJournal, Replay, replay
from isfc.journal.record import JournalReader
from isfc.link.message import Message, Traffic
from isfc.link.state import DeviceState
from isfc.link.trace import ListSink
from tests.pair import MS, Lose, Pair, S, Setup, Side
from tests.strategies import conversations, lengths, setups, traffics


class JournalledPair(Pair):
    """A pair whose nodes are journalled, each in a journal of its own."""

    def __init__(self, setup: Setup | None = None) -> None:
        self.journals = (MemoryJournal(), MemoryJournal())
        super().__init__(setup)

    def _side(self, here: int, lose: Lose) -> Side:
        trace = ListSink()
        return Side(JournalledNode(self.setup.definition(here), self.journals[here], trace), trace)

    def replays(self) -> list[Replay]:
        """Both journals, fed to fresh nodes."""
        return [replay(BytesIO(journal.data).read) for journal in self.journals]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("run"), st.integers(1, 20 * MS)),
        st.tuples(st.just("mih"), st.just(0)),
        st.tuples(
            st.just("send"),
            st.integers(0, 1),
            st.lists(lengths, min_size=1, max_size=5),
            conversations,
            traffics,
        ),
        st.tuples(st.just("collide"), lengths),
        st.tuples(st.just("cable"), st.integers(0, 15)),
        st.tuples(st.just("islink"), st.integers(0, 1), st.integers(0, 15)),
        st.tuples(st.just("vary"), st.integers(0, 1), st.integers(0, 15), st.booleans()),
        st.tuples(st.just("data"), st.integers(0, 1), st.binary(max_size=100)),
    ),
    min_size=1,
    max_size=25,
)
"""What may happen to a pair: traffic, collisions, cables pulled and plugged in, commands."""


class Story:
    """Lets steps happen to a pair."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.unplugged: set[int] = set()

    def tell(self, name: str, *rest: object) -> None:
        getattr(self, name)(*rest)

    def run(self, duration_ns: int) -> None:
        self.pair.run(duration_ns)

    def mih(self, _: int) -> None:
        self.pair.run(20 * S)

    def send(self, here: int, sizes: list[int], conversation: int, traffic: Traffic) -> None:
        side = self.pair.sides[here]
        self.pair.send(side, *sizes, conversation=2 * conversation + traffic, traffic=traffic)

    def collide(self, length: int) -> None:
        for side in self.pair.sides:
            self.pair.send(side, length)

    def cable(self, index: int) -> None:
        index %= self.pair.setup.ctc_count
        if index in self.unplugged:
            self.pair.plug(index)
        else:
            self.pair.unplug(index)
        self.unplugged ^= {index}

    def islink(self, here: int, index: int) -> None:
        side = self.pair.sides[here]
        index %= self.pair.setup.ctc_count
        if side.node.link.ctcs[side.rdevs[index]].state is DeviceState.INACTIVE:
            self.pair.activate(side, index)
        else:
            self.pair.deactivate(side, index)

    def vary(self, here: int, index: int, chpid: bool) -> None:
        node, now_ns = self.pair.sides[here].node, self.pair.engine.now_ns
        rdev = self.pair.sides[here].rdevs[index % self.pair.setup.ctc_count]
        if chpid:
            number = node.chpids[rdev]
            node.vary_chpid(number, now_ns, online=number in node.offline_chpids)
        else:
            node.vary_rdev(rdev, now_ns, online=rdev in node.offline_rdevs)
        self.pair.engine.drain()

    def data(self, here: int, data: bytes) -> None:
        node = self.pair.sides[here].node
        node.send([Message(99, len(data), Traffic.TRANSPORT, data)], self.pair.engine.now_ns)
        self.pair.engine.drain()


@given(setups(), steps)
def test_p8_replay_of_a_journal_is_identical_at_every_step(
    setup: Setup, plan: list[tuple[object, ...]]
) -> None:
    pair = JournalledPair(setup)
    story = Story(pair)
    for name, *rest in plan:
        story.tell(str(name), *rest)
    pair.run(MS)
    for side, done in zip(pair.sides, pair.replays(), strict=True):
        assert done.difference is None
        assert done.truncated_length == 0
        assert done.definition == setup.definition(pair.sides.index(side))
        assert done.event_count == len(side.events)
        assert done.input_count >= setup.ctc_count
        assert done.last_ns <= pair.engine.now_ns


@given(setups(), steps)
def test_journalling_changes_nothing(setup: Setup, plan: list[tuple[object, ...]]) -> None:
    traces = []
    for pair in (Pair(setup), JournalledPair(setup)):
        story = Story(pair)
        for name, *rest in plan:
            story.tell(str(name), *rest)
        traces.append([side.trace.records for side in pair.sides])
    assert traces[0] == traces[1]


def short_journal() -> bytes:
    pair = JournalledPair(Setup(ctc_count=2))
    for side in pair.sides:
        pair.send(side, 100, 300_000, traffic=Traffic.LEGACY)
        side.node.send([Message(9, 3, Traffic.TRANSPORT, b"abc")], pair.engine.now_ns)
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
