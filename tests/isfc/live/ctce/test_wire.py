"""CTCE's bytes: what was captured is read, what is written is read again, the rest is refused."""

from contextlib import suppress
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.adapter import Step
from ctc.order import Order, command_of
from ctc.state import State
from ctc.subchannel import Command
from isfc.cli.live.ctce_observe import trace_line
from isfc.errors import WireError
from isfc.live.ctce.exchange import CtcPlace, OrderStep
from isfc.live.ctce.wire import (
    CURRENT,
    DATA_LENGTH_MAX,
    GREETING_LENGTH,
    OLDER,
    Greeting,
    Speaker,
    WireForm,
    decode_greeting,
    encode_greeting,
    encode_order,
    nje_name,
    read_order,
)
from tests.isfc.live.ctce.ports import two_ends

CAPTURED = {
    CURRENT: "01034000020000015000000501000000" + "5a" * 64,
    OLDER: "0103400001004c0000050100" + "5a" * 64,
}
"""A WRITE of 64 bytes of device 0500, by Hercules 4.9 and by 3.13."""

FORMS = st.sampled_from([CURRENT, OLDER])
ORDERS = st.builds(
    lambda code, state, data, eof: (
        Order(code, state, len(data), data, eof)
        if command_of(code) is Command.WRITE
        else Order(code, state, len(data), b"", eof)
    ),
    st.integers(0, 255),
    st.sampled_from(State),
    st.binary(max_size=100),
    st.booleans(),
)


def read(form: WireForm, data: bytes) -> list[Order]:
    """The orders that are whole."""
    found: list[Order] = []
    begin = 0
    while isinstance(order := read_order(form, data, begin), Order):
        found.append(order)
        begin += form.prefix_length + len(order.data)
    return found


@pytest.mark.parametrize("form", CAPTURED, ids=lambda form: form.name)
def test_what_hercules_sent_is_read_and_written_the_same(form: WireForm) -> None:
    """But for the two bytes that it leaves as they were."""
    data = bytes.fromhex(CAPTURED[form])
    orders = read(form, data)
    assert orders == [Order(1, State.WRITE, 64, b"\x5a" * 64)]
    sequence = 2 if form is CURRENT else 1
    written = encode_order(form, orders[0], sequence, Speaker(0x500))
    assert written == (data[:6] + bytes(2) + data[8:] if form is CURRENT else data)


@given(FORMS, st.lists(ORDERS, max_size=6))
def test_orders_are_read_as_they_were_written(form: WireForm, orders: list[Order]) -> None:
    """One after the other; what is not whole yet is none."""
    data = b"".join(encode_order(form, order, n, Speaker(1)) for n, order in enumerate(orders))
    assert read(form, data) == orders
    assert read(form, data[:-1]) == orders[:-1]


@given(FORMS, st.binary(max_size=200))
def test_any_bytes_are_orders_or_refused_with_a_reason(form: WireForm, data: bytes) -> None:
    """Nothing else is raised, and nothing is read that did not come."""
    with suppress(WireError):
        orders = read(form, data)
        assert sum(len(encode_order(form, o, 0, Speaker(0))) for o in orders) <= len(data)


def test_a_big_endian_length_and_a_state_that_is_none_are_refused() -> None:
    """Each with what was expected."""
    data = bytearray.fromhex(CAPTURED[OLDER])
    data[6:8] = data[7:5:-1]
    with pytest.raises(WireError, match=r"of 19456 bytes .* expected 76 in the older form"):
        read(OLDER, bytes(data))
    data[1] = 6
    with pytest.raises(WireError, match="state 6: expected 0 to 5"):
        read(OLDER, bytes(data))


def test_the_longest_write_fits() -> None:
    """The length of a record has 16 bits."""
    order = Order(1, State.WRITE, DATA_LENGTH_MAX, bytes(DATA_LENGTH_MAX))
    assert read(CURRENT, encode_order(CURRENT, order, 1, Speaker(1))) == [order]


@given(st.integers(0, 65535), st.integers(0, 2**32 - 1), st.integers(0, 65535), st.booleans())
def test_greetings_are_read_as_they_were_written(
    port: int, address: int, rdev: int, accepted: bool
) -> None:
    """The current form's first record."""
    greeting = Greeting(port, IPv4Address(address), Speaker(rdev), accepted)
    assert decode_greeting(encode_greeting(greeting)) == greeting


def test_a_captured_greeting_is_read_and_others_are_refused() -> None:
    """Of Hercules 4.9; then one whose 'sml' is longer, and something else altogether."""
    data = bytes.fromhex("0000a0787f0000011000000501000000")
    wanted = Greeting(30880, IPv4Address("127.0.0.1"), Speaker(0x500))
    assert decode_greeting(data) == wanted
    with pytest.raises(WireError, match="a greeting of 32 bytes: expected 16"):
        decode_greeting(data[:8] + b"\x20" + data[9:])
    with pytest.raises(WireError, match="no CTCE greeting: it begins with 4745"):
        decode_greeting(b"GET / HTTP/1.1\r\n"[:GREETING_LENGTH])


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("012d", "NJE SOH ENQ: asks for a session"),
        ("1070", "NJE ACK0: nothing to send"),
        ("3d", "NJE NAK: send it again"),
        ("1002808fcff0c9", "NJE block: control record"),
        ("1002818fcf9a80", "NJE block: message or command"),
        ("1002828fcf9980", "NJE block: SYSOUT, stream 1"),
        ("1002838fcfa880", "NJE block: SYSIN, stream 2"),
        ("1002848fcf00", "NJE block: end of block"),
        ("1002848fcf11", None),
        ("1002848fcf", None),
        ("012d00", None),
        ("", None),
        ("00000001", None),
    ],
)
def test_a_block_is_named_by_what_it_begins_with(data: str, name: str | None) -> None:
    assert nje_name(bytes.fromhex(data)) == name


def test_a_line_of_a_trace_names_it_behind_the_first_bytes() -> None:
    order = Order(0x01, State.WRITE, 2, b"\x01\x2d")
    line = trace_line(OrderStep(0, CtcPlace(0, 1), order, Step.PENDS), [two_ends()])
    assert line.startswith("    0.000000  B 0500")
    assert line.endswith("012d  NJE SOH ENQ: asks for a session")
