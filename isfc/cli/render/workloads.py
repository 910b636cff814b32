"""What the published workloads are like: shown by ``isfc run`` when none is given."""

from collections.abc import Iterator
from typing import Final

from scenarios.workload import WORKLOADS, Workload, WorkloadKind

_NOTES: Final = """\
The smaller size is that of 20 % of the messages. A pair is a client and a
server that always have something under way: two messages, with CDU one.
--pairs 1 shows how long an exchange takes. On IBM's links 50 pairs of HL
carried nearly what 100 did; of shorter messages, 100 pairs carried up to three
quarters more. Guests that think between messages count for less.
'isfc relocate' moves guests itself."""
"""Published: MB/s of the ISFC Transport runs with 50 and with 100 pairs."""


def workload_lines() -> Iterator[str]:
    """A line for each workload, and how many pairs to choose."""
    yield f"{'--workload':<12} {'message bytes':<17} {'reply':>6}  like"
    for kind in WORKLOADS.values():
        name, lengths, reply = _figures(kind)
        yield f"{name:<12} {lengths:<17} {reply:>6}  {kind.help}"
    yield ""
    yield from _NOTES.splitlines()


def _figures(kind: WorkloadKind) -> tuple[str, str, str]:
    """Its name, and the lengths of its messages and of a reply; a family's with the operand."""
    workload = kind.make(1)
    reply = f"{workload.reply_length:,}"
    if not kind.operand:
        return kind.name, _lengths(workload), reply
    operand = kind.operand.split()[-1].upper()
    is_its = kind.make(2).reply_length != workload.reply_length
    return f"{kind.name}:{operand}", _lengths(workload), operand if is_its else reply


def _lengths(workload: Workload) -> str:
    if workload.min_length == workload.max_length:
        return f"{workload.max_length:,}"
    return f"{workload.min_length:,} or {workload.max_length:,}"
