"""Which command a CCW's code means; and orders on their way over a fibre.

Each arrives once, in order, and as late as its channel lets it be.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ctc.channel import NOTHING, ChannelUse
from ctc.fabric import Fabric, FabricRoute
from ctc.features import EXPRESS4, ChpidProfile
from ctc.order import RESET, FibreKind, Order, OrderFibre, command_of, name_of
from ctc.queues import NEVER_NS
from ctc.state import State
from ctc.subchannel import Command
from tests.ctc.cable import PLAIN


def test_every_command_has_its_own_code() -> None:
    """What the program may vary is in the bits above."""
    assert all(command_of(command) is command for command in Command)


def test_a_programs_own_bits_do_not_change_the_command() -> None:
    """X'21' is a WRITE as X'01' is, X'F1' a WRITE EOF, X'2A' a READ, X'17' and X'0F' CONTROLs."""
    codes = (0x21, 0xF1, 0x2A, 0x17, 0x0F)
    wanted = [Command.WRITE, Command.WRITE_EOF, Command.READ, Command.CONTROL, Command.CONTROL]
    assert [command_of(code) for code in codes] == wanted


def test_what_is_no_command_is_named_by_its_code() -> None:
    """A reset has a code, and is no command."""
    assert command_of(0x08) is None
    assert command_of(RESET) is None
    assert [name_of(code) for code in (0x08, RESET, 0x81)] == ["X'08'", "RESET", "WRITE EOF"]


def test_orders_of_the_same_content_are_equal() -> None:
    """Also as keys; the data are shown by their first bytes."""
    order, same = (Order(1, State.WRITE, 9, bytes(range(9))) for _ in "12")
    assert order == same
    assert Order(2, State.READ) == Order(2, State.READ, 0, b"", eof=False)
    assert {order: 1}[same] == 1
    assert order != Order(1, State.WRITE, 9, bytes(range(1, 10)))
    assert repr(order) == "Order(WRITE WRITE 9 0001020304050607)"


WAY_NS = 50_000
READ = Order(Command.READ, State.READ, 64)


def written(length: int) -> Order:
    return Order(Command.WRITE, State.WRITE, length, bytes(length))


def arrivals(*fibres: OrderFibre[str]) -> list[tuple[int, str, Order]]:
    """All that arrives, each with its time."""
    found = []
    while (at_ns := min(fibre.due_ns for fibre in fibres)) < NEVER_NS:
        for fibre in fibres:
            found += [(at_ns, flight.receiver, flight.order) for flight in fibre.advance(at_ns)]
    return found


def test_an_order_takes_its_start_and_the_way_and_data_the_line_besides() -> None:
    fibre: OrderFibre[str] = OrderFibre(FibreKind(EXPRESS4, WAY_NS))
    fibre.send("command", 1, READ, 0)
    ((command_ns, _, _),) = arrivals(fibre)
    assert command_ns == EXPRESS4.io_ns + WAY_NS
    fibre.send("data", 1, written(400_000), command_ns)
    ((data_ns, _, _),) = arrivals(fibre)
    line_ns = 400_000 * EXPRESS4.line_ns_per_byte
    assert 1.0 < (data_ns - 2 * command_ns) / line_ns < 1.05  # a CCW is chained besides


def test_ctcs_of_one_fibre_share_its_line_and_those_of_two_do_not() -> None:
    shared: OrderFibre[str] = OrderFibre(FibreKind(EXPRESS4))
    for name in ("A", "B"):
        shared.send(name, 1, written(400_000), 0)
    alone: OrderFibre[str] = OrderFibre(FibreKind(EXPRESS4))
    alone.send("A", 1, written(400_000), 0)
    assert arrivals(shared)[-1][0] > 1.8 * arrivals(alone)[-1][0]


def test_nothing_arrives_while_a_fibre_is_stalled_and_what_is_dropped_never() -> None:
    fibre: OrderFibre[str] = OrderFibre(FibreKind())
    fibre.stalled = True
    for name in ("kept", "dropped"):
        fibre.send(name, 0, READ, 0)
    assert arrivals(fibre) == []
    fibre.drop("dropped", 0)
    fibre.stalled = False
    assert arrivals(fibre) == [(0, "kept", READ)]
    fibre.late_ns = 7
    fibre.send("dropped", 0, READ, 1)
    assert arrivals(fibre) == [(8, "dropped", READ)]


@given(
    sent=st.lists(
        st.tuples(st.sampled_from("ABC"), st.integers(0, 100_000), st.integers(0, 10**6)),
        max_size=30,
    ),
    paced=st.booleans(),
)
def test_every_order_arrives_once_in_order(sent: list[tuple[str, int, int]], paced: bool) -> None:
    fibre: OrderFibre[str] = OrderFibre(FibreKind(EXPRESS4 if paced else None, WAY_NS))
    now_ns = 0
    found: list[tuple[str, Order]] = []
    for receiver, length, after_ns in sent:
        now_ns += after_ns
        found += [(flight.receiver, flight.order) for flight in fibre.advance(now_ns)]
        fibre.send(receiver, ord(receiver) % 2, written(length), now_ns)
    found += [(receiver, order) for _, receiver, order in arrivals(fibre)]
    for name in "ABC":
        assert [order.count for receiver, order in found if receiver == name] == [
            length for receiver, length, _ in sent if receiver == name
        ]


def test_a_transfer_that_is_dropped_leaves_the_line_to_the_others() -> None:
    whole = written(400_000)
    times_ns = []
    for way_back in (False, True):  # of what comes against it: the channel there sees it end too
        fibre: OrderFibre[str] = OrderFibre(FibreKind(replace(EXPRESS4, processor_ns_per_byte=5.0)))
        fibre.send("dropped", 1, whole, 0)
        fibre.send("dropped", 1, READ, 0)
        now_ns = EXPRESS4.io_ns + 100_000
        assert fibre.advance(now_ns) == []
        assert fibre.drop("dropped", now_ns) == [whole, READ]
        assert fibre.due_ns == NEVER_NS
        assert fibre.drop("dropped", now_ns) == []
        fibre.send("kept", 0 if way_back else 1, whole, now_ns)
        ((at_ns, _, order),) = arrivals(fibre)
        assert order is whole
        times_ns.append(at_ns - now_ns)
    alone: OrderFibre[str] = OrderFibre(FibreKind(replace(EXPRESS4, processor_ns_per_byte=5.0)))
    alone.send("kept", 1, whole, 0)
    ((alone_ns, _, _),) = arrivals(alone)
    assert times_ns == pytest.approx([alone_ns] * 2, abs=3)


def test_what_is_retracted_takes_its_time_and_does_not_arrive() -> None:
    fibre: OrderFibre[str] = OrderFibre(FibreKind(way_ns=WAY_NS))
    first, same = written(10), written(10)
    assert not fibre.retract("A", first)
    fibre.send("A", 1, first, 0)
    assert not fibre.retract("A", same)  # the same bytes, and another order
    assert not fibre.retract("B", first)
    fibre.send("A", 1, same, 0)
    assert fibre.retract("A", first)
    assert arrivals(fibre) == [(2 * WAY_NS, "A", same)]
    fibre.send("A", 1, first, 2 * WAY_NS)
    assert fibre.retract("A", first)
    assert fibre.drop("A", 2 * WAY_NS) == []


def test_what_is_dropped_before_it_has_started_never_does() -> None:
    fibre: OrderFibre[str] = OrderFibre(FibreKind(PLAIN))
    fibre.send("A", 1, READ, 0)
    assert fibre.drop("A", 0) == [READ]
    assert fibre.due_ns == NEVER_NS


@pytest.mark.parametrize(
    ("profile", "start_ns", "data_ns"),
    [(None, 0, 0), (replace(PLAIN, latency_ns_per_ccw=700.0), 10_000, 4_000 + 700 + 1)],
)
def test_a_flight_says_when_it_was_sent_had_started_and_its_data_had_moved(
    profile: ChpidProfile | None, start_ns: int, data_ns: int
) -> None:
    fibre: OrderFibre[str] = OrderFibre(FibreKind(profile, WAY_NS))
    for order, moved_ns in ((READ, start_ns), (written(1_000), start_ns + data_ns)):
        fibre.send("A", 1, order, 5)
        (flight,) = fibre.advance(5 + moved_ns + WAY_NS)
        assert (flight.sent_ns, flight.started_ns) == (5, 5 + start_ns)
        assert flight.moved_ns == 5 + moved_ns
        fibre = OrderFibre(FibreKind(profile, WAY_NS))


def test_what_ends_a_command_comes_as_late_as_the_interrupt_of_a_prompt_write() -> None:
    profile = replace(PLAIN, interrupt_ns=30_000, write_interrupt_ns=20_000, turn_ns=7_000)
    fibre: OrderFibre[str] = OrderFibre(FibreKind(profile, WAY_NS))
    fibre.send("A", 1, written(1_000), 0)
    now_ns = arrivals(fibre)[0][0]
    end = Order(Command.READ, State.AVAILABLE)
    for to, name in enumerate("BC"):
        fibre.send(name, to, end, now_ns)
        assert arrivals(fibre) == [(now_ns + 10_000 + WAY_NS + 20_000, name, end)]


@pytest.mark.parametrize("route", [None, FabricRoute("A", "B")])
@pytest.mark.parametrize("fabric", [None, Fabric()])
def test_disks_slow_what_leaves_their_channel_and_not_what_comes(
    route: FabricRoute | None, fabric: Fabric | None
) -> None:
    disks = (ChannelUse(line_out=0.5), NOTHING)
    for to, data_ns in ((1, 8_001), (0, 4_001)):
        fibre: OrderFibre[str] = OrderFibre(FibreKind(PLAIN, 0, disks, route), fabric)
        fibre.send("A", to, written(1_000), 0)
        assert arrivals(fibre)[0][0] % 10_000 == data_ns


def test_fibres_of_one_channel_start_their_orders_in_turn_and_share_its_line() -> None:
    fabric = Fabric()
    fibres: list[OrderFibre[str]] = [
        OrderFibre(FibreKind(PLAIN, route=FabricRoute("A", there)), fabric) for there in "BC"
    ]
    for to, starts_ns in ((1, [10_000, 20_000]), (0, [10_000, 10_000])):
        for fibre in fibres:
            fibre.send(f"to {to}", to, READ, 0)
        assert [at_ns for at_ns, *_ in arrivals(*fibres)] == starts_ns
    now_ns = 10**6
    for fibre in fibres:
        fibre.send("data", 1, written(100_000), now_ns)
    # 400 us alone each; the first has had 10 of them when the second begins
    times_ns = [at_ns - now_ns for at_ns, *_ in arrivals(*fibres)]
    assert times_ns == pytest.approx([800_000, 810_000], abs=5)
