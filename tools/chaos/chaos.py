"""``make chaos SECONDS=N``: a live pair under verified traffic, whose parts fail at random.

``python -m tools.chaos.chaos --seconds 60 --seed 7`` runs two nodes as processes, lets the faults
of that seed happen to them and to the fibres between them, and then sums up what became of every
message. With ``--layout two-cecs`` it runs the four of that layout, whose processes fail. Then
programs fill a link that fails, for as long (`tools.chaos.uploads`). It ends with 0 if all adds up,
with 1 if it does not, and with 130 if it does and Ctrl-C has ended it early.
"""

import asyncio
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final

import typer

from isfc.cli.live.loops import run_live
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.progress import progress_bar
from tools.chaos import uploads
from tools.chaos.audit import audit, sums
from tools.chaos.book import Entry
from tools.chaos.supervisor import Outcome, Supervisor, Wanted

_LOOK_S: Final = 1.0
_COLUMNS_MAX: Final = 3
"""Nodes that have columns of their own in 80."""
_LINES: Final = (
    ("sent", "sent"),
    ("confirmed by the partner's program", "confirmed"),
    ("reported undelivered when severed", "told"),
    ("left by a sender that has ended", "orphaned"),
    ("delivered", "delivered"),
    ("of these reported or left, too", "arrived_nonetheless"),
    ("not delivered: all reported or left", "undelivered"),
)


def page(wanted: Wanted, outcome: Outcome) -> Iterator[str]:
    """The result as people read it."""
    yield (
        f"{wanted.layout}, seed {wanted.seed}: {outcome.seconds:.0f} s, "
        f"{outcome.faults.total():,} faults"
    )
    for kind, number in sorted(outcome.faults.items(), key=lambda each: each[0].words):
        yield f"  {number:7,} {kind.words}"
    lives = len({life.number for life in outcome.lives})
    yield f"{lives:,} lives of nodes, {outcome.count(Entry.ATTACHED):,} connections of CTCs made,"
    yield (
        f"{outcome.count(Entry.LINK_UPS):,} times up, "
        f"{outcome.count(Entry.PARTNER_RESTARTED):,} times severed for the partner's restart,"
    )
    yield f"{outcome.count(Entry.DOWN_TOO_LONG):,} times for a link that was down too long"
    yield ""
    parts = sums(outcome.lives)
    together = sums(replace(life, name="together") for life in outcome.lives)
    columns = (parts if len(parts) <= _COLUMNS_MAX else {}) | together
    yield f"{'messages':36}" + "".join(f"{name:>12}" for name in columns)
    for label, name in _LINES:
        yield f"{label:36}" + "".join(f"{getattr(each, name):12,}" for each in columns.values())
    yield ""


def what_is_wrong(outcome: Outcome) -> list[str]:
    """Whatever does not add up, or ended otherwise than it should."""
    wrong = [*outcome.wrong, *chain.from_iterable(map(audit, outcome.links))]
    for name, part in sums(outcome.lives).items():
        if part.sent != part.confirmed + part.told + part.orphaned:
            wrong.append(f"{name}: sent is not what was confirmed, reported and left: {part}")
        if part.undelivered < 0 or part.arrived_nonetheless < 0:
            wrong.append(f"{name}: more was delivered or confirmed than there is: {part}")
    return wrong


async def run(wanted: Wanted, folder: Path, stop: asyncio.Event) -> Outcome:
    """Run it, with progress."""
    with progress_bar(wanted.seconds, "s") as advance:
        running = asyncio.create_task(Supervisor(wanted, folder).run(stop))
        begun_s = time.monotonic()
        while not (await asyncio.wait({running}, timeout=_LOOK_S))[0]:
            advance(time.monotonic() - begun_s)
        return running.result()


async def play(wanted: Wanted, stop: asyncio.Event) -> int:
    """Run all of it and say what came of it; the exit status."""
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    outcome = await run(wanted, folder, stop)
    wrong = what_is_wrong(outcome)
    print(*page(wanted, outcome), sep="\n")
    if wrong:
        print(*wrong, f"Books and logs: {folder}", sep="\n")
        return ExitCode.FAILED
    print("The sums agree: nothing was lost unsaid, doubled, changed or out of turn.\n")
    shutil.rmtree(folder)
    if stop.is_set():
        return ExitCode.INTERRUPTED
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        tally = await uploads.run(wanted.seconds, wanted.seed, name)
    print(tally, *tally.wrong or ["Every upload ended, and nothing is left of any."], sep="\n")
    return ExitCode.FAILED if tally.wrong else ExitCode.GOOD


def main(seconds: float = 60, seed: int = 1, layout: str = "published-4") -> None:
    """Run a live pair, or the systems of another layout, with faults."""
    wanted = Wanted(seconds, seed, layout)
    raise typer.Exit(run_live(lambda stop: play(wanted, stop)))


if __name__ == "__main__":
    typer.run(main)
