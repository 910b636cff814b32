"""How long the studio takes from an edit to its judgement: an HTTP client edits sixteen CTCs.

Each edit makes a layout that has not been judged before. The time is that of the wall, from sending
the edit to the last figure of the model, both ways; it has the whole way through the server and
its processes, but no browser. Meanwhile another client asks for the drawing, the write order and
the findings, as the page does with each edit: how long it waits for them is how responsive it is.
"""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Final

from ctc.address import format_rdev
from isfc.layout.catalogue import read_content
from isfc.layout.file import parse_layout
from tests.studio import RunningStudio, studio

LAYOUT: Final = "published-16"


PAUSE_S: Final = 0.1
"""Between what the other client asks."""


@dataclass(frozen=True, slots=True)
class Latencies:
    """Seconds from each edit to its judgement, and to each answer that needs no model meanwhile."""

    judged_s: list[float] = field(default_factory=list)
    looked_s: list[float] = field(default_factory=list)


def latencies(edits: int) -> Latencies:
    """Those of so many edits: CTCs go to and fro between two fibres, no layout twice."""
    found = Latencies()
    with studio(LAYOUT, program="isfc") as running, ThreadPoolExecutor(1) as other:
        text = read_content(LAYOUT)[0].decode()
        seen = running.post("look", text=text, opened="")
        opened = text = seen["now"]["text"]
        _judged(running, text, opened)
        for number in range(1, edits + 1):
            # a Gray code: one CTC moves, and the fibres of all are as they never were
            bit = (number & -number).bit_length() - 1
            ctc = parse_layout(text).device_list()[bit + 1]  # the first stays, and its fibre too
            goes = "4" if ctc.fibre.name != "4" else "1"
            edit = {
                "do": "move",
                "link": "CLIENT-SERVER",
                "rdev": format_rdev(ctc.rdevs[0]),
                "fibre": goes,
            }
            judged = Event()
            looking = other.submit(_look_until, judged, running, text, found.looked_s)
            begin_s = time.monotonic()
            seen = running.post("look", text=text, opened=opened, edit=edit)
            text = seen["now"]["text"]
            _judged(running, text, opened)
            found.judged_s.append(time.monotonic() - begin_s)
            judged.set()
            looking.result()
    return found


def _look_until(judged: Event, running: RunningStudio, text: str, taken: list[float]) -> None:
    """Ask for what the rules say, again and again, until the judgement is there."""
    while True:
        begin_s = time.monotonic()
        running.post("look", text=text, opened=text)
        taken.append(time.monotonic() - begin_s)
        if judged.wait(PAUSE_S):
            return


def _judged(running: RunningStudio, text: str, opened: str) -> None:
    records = running.post("judge", text=text, opened=opened)
    assert records[-1].get("done"), json.dumps(records[-1])


def p95_s(taken: list[float]) -> float:
    """The time that 95 % of the edits do not exceed."""
    return sorted(taken)[-(-95 * len(taken) // 100) - 1]
