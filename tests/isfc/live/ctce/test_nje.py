"""Blocks of network job entry are named in a trace, and nothing else is."""

import pytest

from ctc.adapter import Step
from ctc.address import Rdev
from ctc.order import Order
from ctc.state import State
from isfc.cli.live.ctce_observe import trace_line
from isfc.live.ctce.exchange import CtcPlace, OrderStep
from isfc.live.ctce.join import CtcEnd, Place
from isfc.live.ctce.wire import nje_name


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
    ends = [CtcEnd(name, Rdev(0x500), Place("::1", 1), Place("::1", 2)) for name in ("A", "B")]
    order = Order(0x01, State.WRITE, 2, b"\x01\x2d")
    line = trace_line(OrderStep(0, CtcPlace(0, 1), order, Step.PENDS), [(ends[0], ends[1])])
    assert line.startswith("    0.000000  B 0500")
    assert line.endswith("012d  NJE SOH ENQ: asks for a session")
