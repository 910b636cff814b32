"""One exchange, step by step: what crosses the door between software and hardware, and when.

``python -m tools.pages.timeline`` lets one pair of guests exchange one message and one reply on an
idle link, and prints every SSCH and every interrupt until the next message is written.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from ctc.address import Rdev, format_rdev
from ctc.subchannel import Command
from isfc.layout.catalogue import load_layout
from isfc.link.events import ListSink, TraceRecord
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import build
from scenarios.runs.workload import free_workload

LAYOUT: Final = "published-16"
MESSAGE_LENGTH: Final = 122_880
REPLY_LENGTH: Final = 8_192
UNTIL_NS: Final = 50_000_000


def trace() -> list[TraceRecord]:
    """What the two nodes did, from the first write of a message to the second."""
    message = f"{MESSAGE_LENGTH}:{MESSAGE_LENGTH}:0"
    workload = free_workload(message, REPLY_LENGTH, window=1)
    sink = ListSink()
    engine, nodes = build(Experiment.of(load_layout(LAYOUT), workload, pairs=1), sink)
    engine.run(UNTIL_NS)
    client = nodes[0].name
    writes = [
        index
        for index, (_, node, _, verb, _) in enumerate(sink.records)
        if node == client and verb == Command.WRITE.name
    ]
    return sink.records[writes[0] : writes[1] + 1]


def lines(records: Sequence[TraceRecord]) -> Iterator[str]:
    """The records as a table: microseconds since the first, and since the one before."""
    yield f"{'us':>7} {'+':>6}  {'node':<8}{'RDEV':<6}what"
    start_ns = last_ns = records[0][0]
    for now_ns, node, rdev, verb, _ in records:
        what = verb if verb in Command.__members__ else f"  {verb}"
        at, step = (now_ns - start_ns) / 1000, (now_ns - last_ns) / 1000
        yield f"{at:7.0f} {step:6.0f}  {node:<8}{format_rdev(Rdev(rdev)):<6}{what}"
        last_ns = now_ns


if __name__ == "__main__":
    print(*lines(trace()), sep="\n")
