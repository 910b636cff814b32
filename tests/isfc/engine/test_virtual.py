"""Virtual time: order, ties and cables."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from ctc.frame import DataFrame
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.link.events import Delivered, LinkEvent, Offer, Severed
from isfc.link.message import Message
from isfc.link.package import BACKLOG_LENGTH_MAX
from isfc.link.state import LinkState
from isfc.system.system import System
from isfc.testing.pair import MS, US, Pair, S, Setup


class Script:
    """Sends what it was told to, and notes when each message arrives."""

    def __init__(self, *offers: tuple[int, int]) -> None:
        self.arrivals: list[tuple[int, int]] = []
        self._offers = offers

    def start(self, now_ns: int) -> Iterable[Offer]:
        return [(now_ns + at_ns, [Message(0, length)]) for at_ns, length in self._offers]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        if isinstance(event, Delivered):
            self.arrivals += [(now_ns, message.length) for message in event.messages]
        return ()


def engine_of(first: Script, second: Script, setup: Setup | None = None) -> VirtualEngine:
    setup = setup or Setup()
    nodes = [System([setup.definition(here)]) for here in (0, 1)]
    return VirtualEngine(nodes, [first, second], setup.propagation_ns)


def test_new_engine_is_at_0_ends_at_its_time_whatever_happens_and_never_runs_backwards() -> None:
    engine = engine_of(Script(), Script())
    assert engine.now_ns == 0
    for until_ns in (S, MS):
        engine.run(until_ns)
        assert engine.now_ns == S
    assert engine.event_count > 0
    pair = Pair()  # every cable is plugged in
    assert pair.engine.now_ns == 4 * pair.setup.propagation_ns
    pair.expect_state(LinkState.UP)


def test_programs_offer_at_their_time() -> None:
    server = Script()
    engine = engine_of(Script((2 * MS, 100), (MS, 200)), server)
    engine.run(MS)
    assert server.arrivals == []
    engine.run(S)
    (first_ns, first), (second_ns, second) = server.arrivals
    assert (first, second) == (200, 100)
    assert MS < first_ns < 2 * MS < second_ns < 3 * MS


def test_offers_of_one_moment_keep_their_order() -> None:
    server = Script()
    engine_of(Script(*[(MS, length) for length in range(1, 30)]), server).run(S)
    assert [length for _, length in server.arrivals] == list(range(1, 30))


def first_arrival_ns(setup: Setup, way_ns: int = 0) -> int:
    """When a message of 1 ms arrives, if the fibre of the first CTC is so much longer."""
    systems = [
        System([replace(end, ctcs=(replace(end.ctcs[0], way_ns=way_ns), *end.ctcs[1:]))])
        for end in map(setup.definition, (0, 1))
    ]
    server = Script()
    VirtualEngine(systems, [Script((MS, 100)), server], setup.propagation_ns).run(S)
    return server.arrivals[0][0]


def test_distance_of_all_and_of_a_fibre_delays_every_frame() -> None:
    # write, read, data: there, back and there again
    near_ns, far_ns = (first_arrival_ns(Setup(propagation_ns=ns)) for ns in (10 * US, 100 * US))
    assert far_ns - near_ns == 3 * 90 * US
    near_ns, far_ns = (first_arrival_ns(Setup(ctc_count=2), ns) for ns in (0, 50 * US))
    assert far_ns - near_ns == 3 * 50 * US


def test_running_in_pieces_changes_nothing() -> None:
    def arrivals(step_ns: int) -> list[tuple[int, int]]:
        client, server = (Script(*[(n * 50 * US, 5_000) for n in range(50)]) for _ in (0, 1))
        engine = engine_of(client, server)
        while engine.now_ns < 20 * MS:
            engine.run(engine.now_ns + step_ns)
        return client.arrivals + server.arrivals

    whole = arrivals(20 * MS)
    assert len(whole) == 100
    assert arrivals(100 * US) == arrivals(1 * MS) == whole


def test_what_is_in_a_cut_fibre_is_lost() -> None:
    pair = Pair(Setup(ctc_count=1, propagation_ns=MS))
    pair.send(pair.first, 100)
    pair.until(lambda: bool(pair.first.verbs("WRITE")), limit_ns=S, step_ns=10 * US)
    pair.run(500 * US)  # the write is under way
    pair.unplug(0)
    pair.run(10 * MS)
    assert pair.second.verbs("Attention") == []
    pair.plug(0)
    pair.expect_all_arrived(limit_ns=S)


def test_cut_ctc_leaves_the_frames_of_others_alone() -> None:
    pair = Pair(Setup(ctc_count=2, propagation_ns=MS))
    pair.send(pair.first, 100)
    pair.run(3 * MS // 2)
    pair.unplug(1)
    pair.expect_all_arrived(limit_ns=S)
    assert {rdev for _, rdev in pair.second.verbs("Attention")} == {0x7000}


@pytest.mark.parametrize("length", [100, 1_000_000])
def test_roundtrip_through_the_codec_changes_nothing(length: int) -> None:
    def story(*, roundtrip: bool) -> list[object]:
        pair = Pair(Setup(roundtrip=roundtrip))
        for side in pair.sides:
            pair.send(side, *[length] * 10)
        pair.expect_all_arrived()
        return [side.trace.records for side in pair.sides]

    assert story(roundtrip=True) == story(roundtrip=False)


def test_roundtrip_hands_over_copies() -> None:
    frames: list[object] = []

    def watch(_: object, frame: object) -> bool:
        frames.append(frame)
        return False

    for roundtrip in (False, True):
        pair = Pair(Setup(roundtrip=roundtrip), lose=(watch, watch))
        pair.send(pair.first, 100)
        pair.expect_all_arrived()
        (data,) = [frame for frame in frames if isinstance(frame, DataFrame)]
        (message,) = pair.second.arrived
        sent = getattr(data.load, "messages")[0]  # noqa: B009  # a Load's messages are its own
        assert (message is sent) != roundtrip
        frames.clear()


def test_guests_wait_while_the_backlog_is_full_and_nothing_is_lost() -> None:
    length = BACKLOG_LENGTH_MAX // 20
    client = Script(*[(MS, length)] * 30, (MS + 1, 7))
    server = Script()
    engine = engine_of(client, server, Setup(feature="FICON Express16S"))
    engine.run(2 * MS)
    assert engine.systems[0].ends[0].link.room < length
    engine.run(5 * S)
    assert [length for _, length in server.arrivals] == [length] * 30 + [7]


def test_link_whose_other_end_is_at_no_system_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="ATLANTA has a link to BOSTON, which has none"):
        VirtualEngine([System([Setup().definition(0)])], [Script()])


def test_stopped_system_does_nothing_and_loses_nothing() -> None:
    pair = Pair(Setup(ctc_count=2))
    for side in pair.sides:
        pair.send(side, *[50_000] * 5)
    pair.run(300 * US)
    until_ns = pair.engine.now_ns + 100 * MS
    pair.engine.stop(pair.second.system.name, until_ns)
    count = len(pair.second.trace.records)
    pair.engine.run(until_ns - 1)
    assert len(pair.second.trace.records) == count
    pair.expect_all_arrived()


@pytest.mark.parametrize("slices", [(30,), (10, 30), (10, 20, 30)])
def test_stopped_system_takes_an_offer_once_it_goes_on(slices: tuple[int, ...]) -> None:
    # between two runs it was given to a system that stood still, which was then due for nothing
    program = Script()
    engine = engine_of(Script((5 * MS, 100)), program)
    engine.run(4 * MS)
    engine.stop(engine.systems[0].name, 20 * MS)
    for until_ms in slices:
        engine.run(until_ms * MS)
    ((arrived_ns, length),) = program.arrivals
    assert length == 100
    assert arrived_ns > 20 * MS


def test_replaced_system_is_a_fresh_one_and_its_program_is_told() -> None:
    pair = Pair(Setup(ctc_count=2))
    pair.send(pair.first, *[50_000] * 5)
    pair.run(300 * US)
    fresh = System([pair.setup.definition(0)])
    pair.engine.replace(fresh, "restarted")
    assert pair.engine.systems[0] is fresh
    assert isinstance(pair.first.events[-1], Severed)
    assert pair.first.told(Severed) == 1
    assert pair.second.told(Severed) == 0
    assert pair.second.state is LinkState.DOWN
