"""What the published workloads are like: shown by ``isfc run`` when none is given."""

from collections.abc import Iterator
from typing import Final

from scenarios.workload import SUITES, Workload

_LIKE: Final = {
    "HS": "short requests, short answers",
    "HM": "records: a few pages each way",
    "HL": "live guest relocation: long messages",
    "HY": "as much both ways, acknowledged",
}
"""What uses a link in that way, by the suite's name."""

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
    for name, workload in SUITES.items():
        yield f"{name:<12} {_lengths(workload):<17} {workload.reply_length:>6,}  {_LIKE[name]}"
    yield f"{'CDU:BYTES':<12} {'100':<17} {'BYTES':>6}  APPC/VM: a request, then its reply"
    yield ""
    yield from _NOTES.splitlines()


def _lengths(workload: Workload) -> str:
    if workload.min_length == workload.max_length:
        return f"{workload.max_length:,}"
    return f"{workload.min_length:,} or {workload.max_length:,}"
