"""A system: software and hardware of one system, and two of them together."""

from dataclasses import replace

import pytest

from ctc.address import Rdev
from ctc.device import Arbitration
from ctc.fabric import Fabric
from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.errors import LocalProtocolError, RemoteProtocolError
from isfc.link.counters import DeviceCounters, LinkCounters
from isfc.link.events import Sent
from isfc.link.lock import LinkLock, ReceivePackage
from isfc.link.message import Message, Traffic
from isfc.link.package import Package, PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.link.scan import LinkDevice
from isfc.link.state import DeviceState, LinkState
from isfc.system.link_end import LinkEnd, LinkEndDefinition
from isfc.system.system import (
    DEADLINE,
    Activate,
    Arrive,
    Connect,
    Deactivate,
    Disconnect,
    Send,
    System,
)
from isfc.testing.pair import BOTH_FAIL, FIRST_WINS, MS, SECOND_WINS, US, Pair, S, Setup
from isfc.testing.side import Side

RULES = [BOTH_FAIL, FIRST_WINS, SECOND_WINS]
Rules = tuple[Arbitration, Arbitration]


def define(partner: str = "BOSTON") -> LinkEndDefinition:
    """ATLANTA with two CTCs on one chpid."""
    return Setup(ctc_count=2, names=("ATLANTA", partner)).definition(0)


def frames(system: System) -> list[tuple[Rdev, Frame]]:
    drained = []
    while (departure := system.ends[0].poll_frame()) is not None:
        drained.append((departure.rdev, departure.frame))
    return drained


def bring_up(system: System, *rdevs: Rdev) -> None:
    """Connect these CTCs, all of a system if none are named, to a partner that is ready."""
    for rdev in rdevs or system.ends[0].link.ctcs:
        system.apply(Connect(rdev), 0)
        system.apply(Arrive(rdev, StatusFrame(Signal.READY, 0)), 0)


def test_new_node_waits_to_be_connected_says_ready_and_waits_for_the_partner() -> None:
    system = System([define()])
    (end,) = system.ends
    assert (end.link.state, system.next_deadline()) == (LinkState.DOWN, None)
    assert (end.poll_frame(), end.poll_event()) == (None, None)
    system.apply(Connect(Rdev(0x6001)), 0)
    ((rdev, frame),) = frames(system)
    assert (rdev, type(frame)) == (0x6001, StatusFrame)
    states = [end.link.state]
    system.apply(Arrive(Rdev(0x6001), StatusFrame(Signal.READY, 0)), 10)
    assert [*states, end.link.state] == [LinkState.DOWN, LinkState.DEGRADED]


@pytest.mark.parametrize(("partner", "rdev"), [("BOSTON", 0x6000), ("AKRON", 0x6001)])
def test_lesser_name_writes_on_the_lowest_device(partner: str, rdev: int) -> None:
    system = System([define(partner)])
    bring_up(system)
    system.apply(Send([Message(0, 100)]), 0)
    frames(system)
    while (deadline_ns := system.next_deadline()) is not None and deadline_ns < S:
        system.apply(DEADLINE, deadline_ns)
    ((written, frame),) = frames(system)
    assert written == rdev
    assert isinstance(frame, CommandFrame)
    assert frame.command is Command.WRITE


def test_deadline_handled_early_changes_nothing() -> None:
    system = System([define()])
    bring_up(system, Rdev(0x6000))
    system.apply(Send([Message(0, 100)]), 0)
    frames(system)
    deadline_ns = system.next_deadline()
    assert deadline_ns is not None
    system.apply(DEADLINE, deadline_ns - 1)
    assert frames(system) == []
    assert system.next_deadline() == deadline_ns


def test_ctcs_of_one_chpid_share_its_fibre() -> None:
    def elapsed_ns(setup: Setup) -> int:
        pair = Pair(setup)
        start_ns = pair.engine.now_ns
        pair.send(pair.first, *[800_000] * 3)
        pair.until(pair.all_arrived, limit_ns=S, step_ns=10 * US)
        return pair.engine.now_ns - start_ns

    assert elapsed_ns(Setup(fibre_count=4)) < 0.7 * elapsed_ns(Setup(fibre_count=1))


def test_snapshot_names_every_device() -> None:
    pair = Pair()
    snapshot = pair.second.end.snapshot(pair.engine.now_ns)
    assert [device.rdev for device in snapshot.devices] == [0x7000, 0x7001, 0x7002, 0x7003]
    assert snapshot.now_ns == pair.engine.now_ns
    assert [ctc.idle for ctc in pair.second.end.ctcs.values()] == [True] * 4


@pytest.mark.parametrize(("ctc_count", "writing"), [(3, False), (2, True)])
def test_end_is_busy_while_it_builds_or_has_no_free_ctc_but_not_while_it_receives(
    ctc_count: int, writing: bool
) -> None:
    parameters = replace(
        LinkParameters(), build_package_ns=MS, receive_ns_per_byte=1_000.0, dispatch_ns=1
    )
    pair = Pair(Setup(ctc_count=ctc_count, parameters=parameters))
    busy = [pair.first.end.busy]
    pair.send(pair.first, 10_000)
    busy.append(pair.first.end.busy)  # it builds
    pair.until(lambda: pair.first.end.link.tx_lock.free)
    busy.append(pair.first.end.busy)  # it writes, on one of two CTCs or on the only one
    link = pair.second.end.link
    pair.until(lambda: bool(link.counters.read_package_count), limit_ns=10 * MS)
    assert not link.rx_lock.free
    busy.append(pair.second.end.busy)  # it receives
    pair.expect_all_arrived()
    busy.append(pair.first.end.busy)
    assert busy == [False, True, writing, False, False]


class LoseOne:
    """Loses the first frame that fits."""

    def __init__(self, kind: type[Frame], detail: Command | Signal | None = None) -> None:
        self.lost = 0
        self._kind = kind
        self._detail = detail

    def __call__(self, rdev: Rdev, frame: Frame) -> bool:  # a `Lose`
        if self.lost or not isinstance(frame, self._kind):
            return False
        detail = getattr(frame, "command", None) or getattr(frame, "signal", None)
        if self._detail is not None and detail is not self._detail:
            return False
        self.lost += 1
        return True


@pytest.mark.parametrize("ctc_count", [1, 4])
@pytest.mark.parametrize("loser", [0, 1])
@pytest.mark.parametrize(
    ("kind", "detail"),
    [
        (CommandFrame, Command.WRITE),
        (CommandFrame, Command.READ),
        (DataFrame, None),
        (StatusFrame, Signal.RECEIVED),
    ],
)
def test_frame_lost_on_its_way_loses_and_doubles_no_message(
    kind: type[Frame], detail: Command | Signal | None, loser: int, ctc_count: int
) -> None:
    lose = LoseOne(kind, detail)
    pair = Pair(
        Setup(ctc_count=ctc_count),
        lose=(lose, lambda *_: False) if loser == 0 else (lambda *_: False, lose),
    )
    for side in pair.sides:
        pair.send(side, 100, 200, 50_000)
    pair.expect_all_arrived()
    pair.run(2 * pair.setup.parameters.mih_ns)
    pair.expect_state(LinkState.UP)
    assert lose.lost == 1
    # an interrupt was missing for 15 s; then both ends gave the device up and began again
    lost_ns = [now_ns for side in pair.sides for now_ns, _ in side.verbs("DeviceLost")]
    assert len(lost_ns) >= 2
    assert min(lost_ns) > pair.setup.parameters.mih_ns


def test_lost_answer_makes_the_package_come_twice_and_count_once() -> None:
    pair = Pair(lose=(lambda *_: False, LoseOne(StatusFrame, Signal.RECEIVED)))
    pair.send(pair.first, 100)
    pair.run(20 * S)
    assert [m.length for m in pair.second.arrived] == [100]
    assert pair.second.end.link.counters.read_package_count == 2
    assert pair.first.end.link.counters.write_package_count == 1


def test_unplugged_ctcs_lose_nothing() -> None:
    pair = Pair()
    for index in range(4):
        for side in pair.sides:
            pair.send(side, *[100_000] * 10)
        pair.run(2 * MS)
        pair.unplug(index)
    pair.expect_state(LinkState.DOWN)
    arrived = [len(side.arrived) for side in pair.sides]
    pair.run(100 * S)
    assert [len(side.arrived) for side in pair.sides] == arrived
    assert not pair.all_arrived()
    for index in range(4):
        pair.plug(index)
    pair.expect_all_arrived(limit_ns=S)
    pair.expect_state(LinkState.UP)


@pytest.mark.parametrize("kept", range(4))
def test_any_one_ctc_carries_both_directions(kept: int) -> None:
    pair = Pair()
    for index in {0, 1, 2, 3} - {kept}:
        pair.unplug(index)
    for side in pair.sides:
        pair.send(side, 100)
    pair.expect_all_arrived(limit_ns=S)


@pytest.mark.parametrize("here", [0, 1])
def test_deactivation_loses_nothing_and_is_seen_by_the_partner(here: int) -> None:
    pair = Pair(Setup(ctc_count=2))
    side = pair.sides[here]
    for each in pair.sides:
        pair.send(each, *[100_000] * 10)
    pair.run(2 * MS)
    pair.deactivate(side, 0)
    pair.run(MS)
    assert device_state(side, 0) is DeviceState.INACTIVE
    assert device_state(pair.partner(side), 0) is DeviceState.DOWN
    pair.activate(side, 0)
    pair.expect_all_arrived()
    pair.expect_state(LinkState.UP)


def device_state(side: Side, index: int) -> DeviceState:
    return side.end.link.ctcs[side.rdevs[index]].state


@pytest.mark.parametrize("order", ["plug first", "activate first"])
def test_inactive_ctc_stays_so_when_its_cable_comes_back(order: str) -> None:
    pair = Pair(Setup(ctc_count=2))
    pair.deactivate(pair.first, 0)
    pair.unplug(0)
    steps = [lambda: pair.plug(0), lambda: pair.activate(pair.first, 0)]
    steps[order == "activate first"]()
    pair.run(S)
    for side in pair.sides:
        assert device_state(side, 0) in (DeviceState.INACTIVE, DeviceState.DOWN)
    steps[order != "activate first"]()
    pair.run(S)
    pair.expect_state(LinkState.UP)
    pair.send(pair.first, 100)
    pair.expect_all_arrived()


def test_commands_for_devices_of_others_are_refused() -> None:
    pair = Pair()
    with pytest.raises(LocalProtocolError, match="7000 is not a CTC of this system"):
        pair.first.system.apply(Activate(Rdev(0x7000)), 0)


def test_command_given_up_before_it_left_confuses_nobody() -> None:
    # deactivated and activated again immediately, with a write still waiting for the chpid
    pair = Pair(Setup(ctc_count=1))
    pair.send(pair.first, 100)
    pair.until(lambda: bool(pair.first.verbs("WRITE")), limit_ns=S, step_ns=US)
    pair.deactivate(pair.first, 0)
    pair.activate(pair.first, 0)
    pair.expect_all_arrived(limit_ns=S)


def test_long_messages_travel_in_segments_and_arrive_whole() -> None:
    pair = Pair()
    pair.send(pair.first, 1_000_000, 100, 1_000_000)
    pair.send(pair.first, 1_000_000, conversation=1)
    pair.expect_all_arrived()
    segments = [m for e in pair.first.events if isinstance(e, Sent) for m in e.messages]
    assert len(segments) == 3 * 4 + 1
    assert max(m.length for m in pair.second.arrived) == 1_000_000


def test_data_of_a_long_message_is_joined_as_it_was() -> None:
    pair = Pair(Setup(roundtrip=True))
    data = bytes(range(250)) * 4_000
    pair.first.system.apply(
        Send([Message(0, len(data), Traffic.TRANSPORT, data)]), pair.engine.now_ns
    )
    pair.engine.drain()
    pair.run(S)
    assert [message.data for message in pair.second.arrived] == [data]


def test_appc_requests_and_replies_pass_each_end_one_at_a_time() -> None:
    def elapsed_ns(traffic: Traffic) -> int:
        parameters = replace(LinkParameters(), dispatch_ns=MS)
        pair = Pair(Setup(parameters=parameters))
        pair.second.answer = lambda m: [Message(m.conversation, 1_000, traffic)]
        start_ns = pair.engine.now_ns
        for conversation in range(5):
            pair.send(pair.first, 100, conversation=conversation, traffic=traffic)
        pair.until(pair.all_arrived)
        return pair.engine.now_ns - start_ns

    # five requests and five replies pass the link locks of each end, beside the attentions
    assert elapsed_ns(Traffic.LEGACY) > elapsed_ns(Traffic.TRANSPORT) + 10 * MS


@pytest.mark.parametrize("traffic", list(Traffic))
def test_only_appc_waits_for_each_segment_to_be_taken_in(traffic: Traffic) -> None:
    parameters = replace(LinkParameters(), package_limit=PackageLimit(length=870_000))
    pair = Pair(Setup(parameters=parameters))
    pair.send(pair.first, 1_000_000, traffic=traffic)
    pair.send(pair.second, 200_000, traffic=traffic)
    pair.expect_all_arrived()
    times = [len([e for e in side.events if isinstance(e, Sent)]) for side in pair.sides]
    if traffic is Traffic.LEGACY:
        assert times == [31, 7]
    else:
        assert times == [2, 1]  # the first segment immediately, then all that has come
    counters = pair.first.end.link.counters
    assert (counters.write_message_count, counters.read_message_count) == (1, 1)


def test_device_is_busy_while_its_io_lasts_and_never_longer() -> None:
    pair = Pair()
    pair.send(pair.first, *[800_000] * 20)
    before = pair.first.end.snapshot(pair.engine.now_ns)
    busiest_ns = 0
    for _ in range(50):
        pair.run(200 * US)
        after = pair.first.end.snapshot(pair.engine.now_ns)
        for last, device in zip(before.devices, after.devices, strict=True):
            busy_ns = (
                device.pend_ns + device.disc_ns + device.conn_ns
                - last.pend_ns - last.disc_ns - last.conn_ns
            )  # fmt: skip
            busiest_ns = max(busiest_ns, busy_ns)
            assert busy_ns >= 0
            moved_length = pair.first.end.ctcs[device.rdev].moved_length(pair.engine.now_ns)
            assert device.moved_length == moved_length >= 0
        before = after
    assert busiest_ns == 200 * US  # a large write fills such a while, and no I/O more than fills it


def test_ends_of_a_system_have_one_lock_and_its_fabric() -> None:
    fabric = Fabric()
    system = System([define(), replace(define("CHICAGO"), ctcs=())], fabric=fabric)
    assert system.channels.fabric is fabric
    held = LinkLock()
    appc = Package(0, [Message(1, 20, Traffic.LEGACY)], 20)
    held.hold(ReceivePackage(Rdev(0x6000), appc), 500, 0)
    first, second = (end.link.copying for end in system.ends)
    first.take(held)
    assert not second.may_copy(499)
    assert second.may_copy(500)


def test_fresh_end_takes_the_place_of_the_one_that_was_there_and_no_other() -> None:
    shift = 0x100
    other = define("CHICAGO")
    ctcs = tuple(
        replace(ctc, device=LinkDevice(Rdev(ctc.device.rdev + shift), ctc.device.partner_rdev))
        for ctc in other.ctcs
    )
    system = System([define(), replace(other, ctcs=ctcs), replace(define("DENVER"), ctcs=())])
    old, kept, last = system.ends
    fresh = system.restart_end("BOSTON")
    assert system.ends == (fresh, kept, last)
    assert fresh is not old
    assert (fresh.partner, fresh.link.state) == ("BOSTON", LinkState.DOWN)
    assert system.end_of(Rdev(0x6001)) is fresh
    assert system.end_of(Rdev(0x6101)) is kept
    rdev = Rdev(0x6000)
    system.apply(Connect(rdev), 0)  # it is driven like the old one
    assert [frame for _, frame in frames(system)]
    system.apply(Arrive(rdev, StatusFrame(Signal.READY, 0)), 0)
    system.apply(Send([Message(0, 100)]), 0)
    assert system.next_deadline() == fresh.link.due_ns


@pytest.mark.parametrize("due", [("BOSTON", "CHICAGO"), ("CHICAGO",)])
def test_link_end_that_breaks_or_is_not_due_keeps_no_other_from_its_deadline(
    due: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    system = System([define(), replace(define("CHICAGO"), ctcs=())])
    handled: list[str] = []

    def handle(end: LinkEnd, now_ns: int) -> None:  # noqa: ARG001
        handled.append(end.partner)
        if end.partner == due[0]:
            raise RemoteProtocolError("out of turn")

    monkeypatch.setattr(LinkEnd, "is_due", lambda end, now_ns: end.partner in due)  # noqa: ARG005
    monkeypatch.setattr(LinkEnd, "handle_deadline", handle)
    with pytest.raises(RemoteProtocolError, match=r"^out of turn$"):
        system.apply(DEADLINE, 0)
    assert handled == [*due]


def test_ctc_whose_path_is_gone_is_not_started_by_activation() -> None:
    system, rdev = System([define()]), Rdev(0x6000)
    system.apply(Connect(rdev), 0)
    system.apply(Disconnect(rdev), 10)
    system.apply(Deactivate(rdev), 20)
    frames(system)
    system.apply(Activate(rdev), 30)
    assert frames(system) == []


def test_messages_go_on_the_ctc_beside_which_they_are_sent() -> None:
    system = System([define()])
    bring_up(system)
    system.ends[0].send([Message(0, 100)], 0, beside=Rdev(0x6001))
    states = [ctc.state for ctc in system.ends[0].link.ctcs.values()]
    assert states == [DeviceState.IDLE, DeviceState.BUILDING]


def test_snapshot_of_a_device_has_what_was_counted_there() -> None:
    pair = Pair(Setup(ctc_count=1))
    pair.send(pair.first, 100, 50_000)
    pair.until(pair.all_arrived)
    pair.run(10 * MS)
    rdev = pair.first.rdevs[0]
    pair.first.system.apply(Arrive(rdev, StatusFrame(Signal.RECEIVED, 99)), pair.engine.now_ns)
    (device,) = pair.first.end.snapshot(pair.engine.now_ns).devices
    counters = pair.first.end.link.ctcs[rdev].counters
    for name in (*LinkCounters.__slots__, *DeviceCounters.__slots__):
        if hasattr(device, name):
            found, counted = getattr(device, name), getattr(counters, name)
            assert (list(found) if name == "write_serv_counts" else found) == counted, name
    assert device.stale_count == 1
    assert device.write_serv_ns > 0
