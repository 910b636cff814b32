"""How long the studio takes from an edit to its judgement: an HTTP client edits sixteen CTCs.

Each edit makes a layout that has not been judged before. The time is that of the wall, from sending
the edit to the last figure of the model, both ways; it has the whole way through the server and
its processes, but no browser.
"""

import json
import time
from typing import Final

from isfc.layout.catalogue import read_content
from tests.studio import RunningStudio, studio

LAYOUT: Final = "published-16"


def latencies_s(edits: int) -> list[float]:
    """The seconds of so many edits: CTCs go to and fro between two fibres, no layout twice."""
    with studio(LAYOUT) as running:
        text = read_content(LAYOUT)[0].decode()
        seen = running.post("look", revision=0, text=text, opened="")
        opened = text = seen["text"]
        _judged(running, 0, text, opened)
        taken = []
        for number in range(1, edits + 1):
            # a Gray code: one CTC moves, and the fibres of all are as they never were
            bit = (number & -number).bit_length() - 1
            ctc = seen["layout"][0]["ctcs"][bit + 1]  # the first stays, and its fibre with it
            goes = "4" if ctc["fibre"] != "4" else "1"
            edit = {
                "do": "move",
                "link": "CLIENT-SERVER",
                "rdev": ctc["rdevs"][0],
                "fibre": goes,
            }
            begin_s = time.monotonic()
            seen = running.post("look", revision=number, text=text, opened=opened, edit=edit)
            text = seen["text"]
            _judged(running, number, text, opened)
            taken.append(time.monotonic() - begin_s)
        return taken


def _judged(running: RunningStudio, revision: int, text: str, opened: str) -> None:
    records = running.post("judge", revision=revision, text=text, opened=opened)
    assert records[-1].get("done"), json.dumps(records[-1])


def p95_s(taken: list[float]) -> float:
    """The time that 95 % of the edits do not exceed."""
    return sorted(taken)[-(-95 * len(taken) // 100) - 1]
