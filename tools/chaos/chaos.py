"""``make chaos SECONDS=N``: a live pair under verified traffic, whose parts fail at random.

``python -m tools.chaos.chaos --seconds 60 --seed 7`` runs two nodes as processes, lets the faults
of that seed happen to them and to the fibres between them, and then sums up what became of every
message. With ``--layout two-cecs`` it runs the four of that layout, whose processes fail. Then
programs fill a link that fails, for as long (`tools.chaos.uploads`). It ends with 0 if all adds up,
with 1 if it does not, and with 130 if it does and Ctrl-C has ended it early. The supervisor is
never killed, and neither are the nodes' books: see `tools.chaos.book`.
"""

import asyncio
import shutil
import signal
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, suppress
from itertools import chain, count
from pathlib import Path
from random import Random
from typing import Final

import typer
from msgspec import Struct, field, json, structs

from isfc.cli.live.loops import run_live
from isfc.cli.output.progress import progress_bar
from isfc.cli.output.streams import ExitCode
from isfc.layout.catalogue import given_collection
from isfc.link.name import NodeName
from tools.chaos import node, uploads
from tools.chaos.book import Account, Book, Entry, audit, sums
from tools.chaos.fault import OF_PROCESSES, ChaosFault, ChaosKind, FibreProxy, draw_faults

SETTLE_S: Final = 60.0
"""How long all messages may take to arrive and be confirmed, once nothing goes wrong any more."""
_LOOK_S: Final = 0.05


class Wanted(Struct, frozen=True):
    """What a run is to be."""

    seconds: float
    seed: int
    layout: str = "published-4"
    gap_s: float = 1.5
    """Between two faults, on the average."""


class ChaosOutcome(Struct):
    """What came of a run."""

    seconds: float = 0.0
    faults: Counter[ChaosKind] = field(default_factory=Counter)
    lives: list[Account] = []
    """One for each life and partner."""
    wrong: list[str] = []
    """What is wrong besides what an audit of the lives finds."""

    @property
    def links(self) -> Iterable[list[Account]]:
        """The lives by link, each with those of both its ends."""
        found: dict[frozenset[str], list[Account]] = {}
        for life in self.lives:
            found.setdefault(frozenset((life.name, life.partner)), []).append(life)
        return found.values()

    def count(self, entry: Entry) -> int:
        """A number of all books together."""
        return sum(life.book.entries[entry] for life in self.lives)


class Node:
    """One of the nodes, in all its lives: the process of the present one, and the books of all.

    ``life`` is what all its lives have in common.
    """

    def __init__(self, life: node.Life, folder: Path) -> None:
        self.life = life
        self.lock = asyncio.Lock()
        """One fault at a time of those that concern the process."""
        self.lives: list[Account] = []
        """One for each life and partner."""
        self._folder = folder
        self._process: Process | None = None
        self._log = folder

    async def start(self, number: int) -> None:
        """Begin a life, with new books and a log of its own."""
        stem = f"{self.life.name}-{number}"
        self._log = self._folder / f"{stem}.log"
        books = {
            partner: str(self._folder / f"{stem}-{partner}.book") for partner in self.life.books
        }
        self.life = structs.replace(self.life, number=number, books=books)
        self.lives += [
            Account(number, self.life.name, partner, Book.open(Path(path)))
            for partner, path in books.items()
        ]
        with self._log.open("wb") as said:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", node.__name__, json.encode(self.life).decode()),
                stdin=PIPE,
                stdout=said,
                stderr=said,
                start_new_session=True,  # Ctrl-C is for the supervisor
            )

    @property
    def said(self) -> str:
        """What its present life has said."""
        return self._log.read_text("utf-8", "replace")

    @property
    def _books(self) -> list[Book]:
        """Those of the present life."""
        return [life.book for life in self.lives if life.number == self.life.number]

    @property
    def attached(self) -> bool:
        """Whether it has been connected to all its partners."""
        return all(book.entries[Entry.ATTACHED] for book in self._books)

    @property
    def all_confirmed(self) -> bool:
        """Whether all it has sent since it was last severed is confirmed."""
        latest = [book.sent[-1] for book in self._books]
        return all([*each.sent] == [*each.confirmed] for each in latest)

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self._process and self._process.returncode is None:
            self._process.send_signal(number)

    async def end(self, number: signal.Signals) -> int:
        """End it; its exit status, or how it had ended before."""
        self.send_signal(number)
        return await self._process.wait() if self._process else 0


def make_nodes(wanted: Wanted, folder: Path) -> dict[NodeName, Node]:
    """The systems of a layout: of each link the first one listens, a pair's behind the fibre."""
    collection = given_collection(wanted.layout)
    names = collection.systems
    lives = {name: node.Life(wanted.layout, str(name)) for name in names}
    for link in collection.links:
        first, second = (lives[name] for name in sorted(link.nodes, key=names.index))
        first.books[second.name] = second.books[first.name] = ""
        pair = len(names) == len(link.nodes)
        first.listen = str(folder / ("link" if pair else first.name))
        second.connect[first.name] = str(folder / "fibre") if pair else first.listen
    return {name: Node(life, folder) for name, life in lives.items()}


class Supervisor:
    """One run. ``folder`` has its sockets, books and logs; a socket's path must be short."""

    def __init__(self, wanted: Wanted, folder: Path) -> None:
        self._wanted = wanted
        self._random = Random(wanted.seed)
        self._outcome = ChaosOutcome()
        self._numbers = count(1)
        self._fibre = FibreProxy(folder / "fibre", folder / "link", Random(wanted.seed))
        """That of a pair; links of more systems have none that could be cut."""
        self._nodes = make_nodes(wanted, folder)

    async def run(self, stop: asyncio.Event) -> ChaosOutcome:
        """Run until the time is over, or ``stop``; then everything is repaired and must arrive."""
        began_s = time.monotonic()
        nodes, outcome = self._nodes.values(), self._outcome
        try:
            async with self._fibre:
                for each in nodes:
                    await each.start(next(self._numbers))
                await self._break(stop)
                outcome.seconds = time.monotonic() - began_s
                await self._settle()
        finally:
            for each in nodes:
                await each.end(signal.SIGKILL)
        outcome.lives = [account for each in nodes for account in each.lives]
        return outcome

    async def _break(self, stop: asyncio.Event) -> None:
        """Let faults happen, and wait until they are over."""
        faults = draw_faults(self._random, tuple(self._nodes), self._wanted.gap_s)
        async with asyncio.TaskGroup() as acting:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._wanted.seconds):
                    for fault in faults:
                        with suppress(TimeoutError):
                            async with asyncio.timeout(fault.after_s):
                                await stop.wait()
                            return
                        acting.create_task(self._act(fault))

    async def _act(self, fault: ChaosFault) -> None:
        """Let one fault happen, and undo it."""
        if fault.kind in OF_PROCESSES:
            names = list(self._nodes)
            at = names.index(fault.node)
            both = fault.kind is ChaosKind.BOTH_KILLED
            places = sorted({at, (at + both) % len(names)})  # always in this order
            async with AsyncExitStack() as locks:
                concerned = [self._nodes[names[place]] for place in places]
                for each in concerned:
                    await locks.enter_async_context(each.lock)
                await asyncio.gather(*(self._interrupt(each, fault) for each in concerned))
        else:
            await self._disturb(fault)
        self._outcome.faults[fault.kind] += 1

    async def _interrupt(self, each: Node, fault: ChaosFault) -> None:
        """What goes wrong with a process."""
        match fault.kind:
            case ChaosKind.STOPPED:
                each.send_signal(signal.SIGSTOP)
            case ChaosKind.ENDED:
                await self._end(each)
            case _:
                status = await each.end(signal.SIGKILL)
                if status != -signal.SIGKILL:
                    self._note(each, f"ended by itself with {status}")
        await asyncio.sleep(fault.for_s)
        if fault.kind is ChaosKind.STOPPED:
            each.send_signal(signal.SIGCONT)
        else:
            await each.start(next(self._numbers))

    async def _end(self, each: Node) -> None:
        """End a node in good order."""
        try:
            async with asyncio.timeout(SETTLE_S):
                status = await each.end(signal.SIGTERM)
        except TimeoutError:
            self._note(each, "does not end")
            status = await each.end(signal.SIGKILL)
        if status not in (0, -signal.SIGTERM):  # the latter: it did not listen to signals yet
            self._note(each, f"ended with {status}")

    async def _disturb(self, fault: ChaosFault) -> None:
        """What goes wrong with the fibre; of two of a kind that overlap, the first end counts."""
        fibre = self._fibre
        match fault.kind:
            case ChaosKind.CUT:
                fibre.cut(fault.count)
            case ChaosKind.PARTITION:
                fibre.dark = True
                fibre.cut(fibre.count)
                await asyncio.sleep(fault.for_s)
                fibre.dark = False
            case ChaosKind.DELAY:
                fibre.delay_s = fault.delay_s
                await asyncio.sleep(fault.for_s)
                fibre.delay_s = 0.0
            case _:
                fibre.flowing.clear()
                await asyncio.sleep(fault.for_s)
                fibre.flowing.set()

    async def _settle(self) -> None:
        """No new messages; those that are under way arrive; then all nodes end."""
        nodes = self._nodes.values()
        # and so they listen to signals
        await self._wait(lambda: all(each.attached for each in nodes), "a node does not connect")
        for each in nodes:
            each.send_signal(signal.SIGUSR1)
        await self._wait(
            lambda: all(each.all_confirmed for each in nodes),
            f"not everything has arrived after {SETTLE_S:g} s",
        )
        for each in nodes:
            await self._end(each)

    async def _wait(self, condition: Callable[[], bool], otherwise: str) -> None:
        end_s = time.monotonic() + SETTLE_S
        while not condition():
            if time.monotonic() > end_s:
                self._outcome.wrong.append(otherwise)
                return
            await asyncio.sleep(_LOOK_S)

    def _note(self, each: Node, what: str) -> None:
        told = f"{each.life.name}, life {each.life.number}: {what}: {each.said[-1_000:]}"
        self._outcome.wrong.append(told)


_SHOW_S: Final = 1.0
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


def page(wanted: Wanted, outcome: ChaosOutcome) -> Iterator[str]:
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
    together = sums(structs.replace(life, name="together") for life in outcome.lives)
    columns = (parts if len(parts) <= _COLUMNS_MAX else {}) | together
    yield f"{'messages':36}" + "".join(f"{name:>12}" for name in columns)
    for label, name in _LINES:
        yield f"{label:36}" + "".join(f"{getattr(each, name):12,}" for each in columns.values())
    yield ""


def what_is_wrong(outcome: ChaosOutcome) -> list[str]:
    """Whatever does not add up, or ended otherwise than it should."""
    wrong = [*outcome.wrong, *chain.from_iterable(map(audit, outcome.links))]
    for name, part in sums(outcome.lives).items():
        if part.sent != part.confirmed + part.told + part.orphaned:
            wrong.append(f"{name}: sent is not what was confirmed, reported and left: {part}")
        if part.undelivered < 0 or part.arrived_nonetheless < 0:
            wrong.append(f"{name}: more was delivered or confirmed than there is: {part}")
    return wrong


async def run(wanted: Wanted, folder: Path, stop: asyncio.Event) -> ChaosOutcome:
    """Run it, with progress."""
    with progress_bar(wanted.seconds, "s") as advance:
        running = asyncio.create_task(Supervisor(wanted, folder).run(stop))
        begun_s = time.monotonic()
        while not (await asyncio.wait({running}, timeout=_SHOW_S))[0]:
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


def main(
    seconds: float = 60, seed: int = 1, layout: str = "published-4", gap_s: float = 1.5
) -> None:
    """Run a live pair, or the systems of another layout, with faults."""
    wanted = Wanted(seconds, seed, layout, gap_s)
    raise typer.Exit(run_live(lambda stop: play(wanted, stop)))


if __name__ == "__main__":
    typer.run(main)
