"""A line for each command that goes over a CTC, and what became of it."""

from collections.abc import Sequence
from typing import Final

from ctc.adapter import Step
from ctc.order import Order, name_of
from ctc.state import State
from isfc.ctce.exchange import OrderStep
from isfc.ctce.join import JoinedCtc
from isfc.ctce.nje import nje_name

DATA_LENGTH: Final = 16
"""Bytes of a WRITE that a line shows."""

STEPS: Final = {
    Step.PENDS: "attention to the mate",
    Step.HELD: "held: the mate is not there",
    Step.ENDS_BOTH: "meets the mate's: both end",
    Step.RELEASES: "ends the mate's PREPARE",
    Step.CROSSES: "collides",
    Step.FAILS_BOTH: "collides: both fail",
    Step.ENDS_ALONE: "ends alone",
    Step.TELLS: "the mate is told",
    Step.UNNOTICED: "the mate notices nothing",
    Step.STALE: "stale: answers nothing",
    Step.RESETS: "resets",
}
"""In the words of a trace."""


def trace_line(event: OrderStep, ctcs: Sequence[JoinedCtc]) -> str:
    """One line: seconds since the start, who, which command, its count, what became of it, data.

    A block of network job entry is named behind its first bytes.
    """
    order = event.order
    waits = "waits" if order.state is not State.AVAILABLE else "ended"
    begin = bytes(order.data[:DATA_LENGTH])
    data = begin.hex() + ("..." if len(order.data) > DATA_LENGTH else "")
    name = nje_name(begin)
    named = "" if name is None else f"  {name}"
    end = ctcs[event.at.ctc][event.at.end]
    line = (
        f"{event.at_ns / 1e9:12.6f}  {end!s:<14} {name_of(order.code):<19} "
        f"{waits}  {_count(order):>6}  {STEPS[event.step]:<27} {data}{named}"
    )
    return line.rstrip()


def _count(order: Order) -> str:
    return f"{order.count:,}" if order.count else ""
