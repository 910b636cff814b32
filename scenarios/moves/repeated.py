"""What repeats while guests are on their way, of which only a part is run.

As long as the same passes go on, each guest gets the same from one moment to the next, and so do
those that take its place when it has arrived. So what so many guests on each link get, and all
that is counted beside them, is run once, until it is known. What is left of passes is then passed
over, but for their ends: how passes begin and end, and who goes next, is always run.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, final

from isfc.layout.layout import Layout
from isfc.link.events import Delivered, LinkEvent, Offer, Program
from isfc.link.name import NodeName
from isfc.system.link_end import LinkEnd
from scenarios.moves.leaving import Departures
from scenarios.moves.relocation import MESSAGE_LENGTH
from scenarios.runs.steady import BATCH_NS, BATCHES_MAX, SPREAD_SHARE_MIN, rate_of, without_trend

SETTLED_NS: Final = 50_000_000
"""After a pass has begun or ended, until guests get what they get from then on. Chosen: it is
within 1 % of that in the tenth of a second in which a pass begins."""

KEPT_LENGTH: Final = 16 * MESSAGE_LENGTH
"""Bytes of a pass that are run in any case, before those that are outstanding (chosen)."""

RUN_MIN: Final = 30
"""Batches that are run at least. Chosen: three Express4 with four CTCs each begin with a pace that
is 4 % above that after a second and a half."""

LEAST_NS: Final = 100_000_000
"""Less is not passed over (chosen)."""

Way = tuple[NodeName, NodeName]
"""From where to where."""

Counts = Mapping[Hashable, float]
"""By what is counted: bytes of guests by their `Way`, and what `CountOf` has."""


class CountOf(StrEnum):
    """What is counted of a CTC or a link, beside the bytes of guests."""

    IO = "I/Os"
    SERVED_NS = "served ns"
    CARRIED = "bytes of the link"
    EXCHANGES = "exchanges of other traffic"


class CountedProgram:
    """A program, and how many messages have been delivered to it since ``begin_ns``."""

    def __init__(self, program: Program, begin_ns: int) -> None:
        self._program = program
        self._begin_ns = begin_ns
        self.count = 0

    def start(self, now_ns: int) -> Iterable[Offer]:
        """What the program offers."""
        return self._program.start(now_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Count, and pass on."""
        if isinstance(event, Delivered) and now_ns >= self._begin_ns:
            self.count += len(event.messages)
        return self._program.receive(event, now_ns)


@final
class _Batches:
    """What has been counted while so many guests were on their way, each batch by the ns."""

    def __init__(self) -> None:
        self._batches: list[Counts] = []
        self._mean: Counts | None = None

    def add(self, before: Counts, after: Counts, ns: int) -> None:
        """One more."""
        self._batches.append({what: (after[what] - before[what]) / ns for what in after})

    def mean(self, ways: Iterable[Way]) -> Counts | None:
        """What is to be expected in a ns; None until what guests get is known as rates ever are."""
        batches = self._batches
        if self._mean is None and len(batches) >= RUN_MIN:
            rates = [sum(batch[way] for way in ways) for batch in batches]
            first = without_trend(rates)
            rate, kept = rate_of(rates[first:]), batches[first:]
            is_known = rate.spread_mb_per_s <= SPREAD_SHARE_MIN * rate.mb_per_s
            if is_known or len(batches) >= BATCHES_MAX:
                self._mean = {what: sum(b[what] for b in kept) / len(kept) for what in kept[0]}
        return self._mean


@final
class Repeated:
    """What is counted of moves, run or passed over; ``ns`` is how much time was passed over.

    ``ends`` are those of all links, ``clients`` what runs on each link with other traffic.
    """

    def __init__(
        self,
        ends: Mapping[Way, LinkEnd],
        departures: Mapping[Way, Departures],
        clients: Mapping[Layout, Sequence[CountedProgram]],
    ) -> None:
        self._ends, self._departures, self._clients = ends, departures, clients
        self.ns = 0
        self._passed: dict[Hashable, float] = {}
        self._known: dict[Hashable, _Batches] = {}
        self._passes: Hashable = None
        self._settled_ns = self._before_ns = 0
        self._before: Counts | None = None

    def counts(self, now_ns: int) -> Counts:
        """All that has been counted so far."""
        found: dict[Hashable, float] = {}
        for way, departures in self._departures.items():
            found[way] = sum(guest.moved_length for guest in departures.guests)
            for each in self._ends[way].snapshot(now_ns).devices:
                found[CountOf.IO, way, each.rdev] = each.io_count
                found[CountOf.SERVED_NS, way, each.rdev] = (
                    each.pend_ns + each.disc_ns + each.conn_ns
                )
        for link, clients in self._clients.items():
            one, other = (self._ends[way].link for way in (link.nodes, link.nodes[::-1]))
            found[CountOf.CARRIED, link.name] = int(
                one.counters.write_length + other.counters.write_length
            )
            found[CountOf.EXCHANGES, link.name] = sum(each.count for each in clients)
        return {what: count + self._passed.get(what, 0.0) for what, count in found.items()}

    def go_on(self, now_ns: int, until_ns: int, given: int) -> None:
        """Pass over what may be now, at most ``until_ns`` of the time of guests.

        ``given`` is how many orders have been given: what was known before is nothing after them.
        """
        going = {
            way: [guest for guest in departures.guests if not guest.end]
            for way, departures in self._departures.items()
        }
        guests = [guest for some in going.values() for guest in some]
        passes = given, tuple((id(guest), len(guest.passes)) for guest in guests)
        if passes != self._passes or not all(guest.left for guest in guests):
            self._passes, self._before = passes, None
            self._settled_ns = now_ns + SETTLED_NS
        if now_ns < self._settled_ns or not guests:
            return
        known = self._known.setdefault((given, *map(len, going.values())), _Batches())
        mean = known.mean(going)
        if mean is None:
            self._run(known, now_ns)
            return
        paces = [(guest, mean[way] / len(some)) for way, some in going.items() for guest in some]
        until = (int((guest.left - KEPT_LENGTH) / pace) for guest, pace in paces if pace)
        ns = min(until_ns - now_ns - self.ns, *until)
        if ns >= LEAST_NS:
            for guest, pace in paces:
                guest.pass_over(round(pace * ns))
            for what, each in mean.items():
                if what not in going:  # guests know it themselves
                    self._passed[what] = self._passed.get(what, 0.0) + each * ns
            self._before = None
            self.ns += ns

    def _run(self, known: _Batches, now_ns: int) -> None:
        """Count what has been run."""
        ns = now_ns - self._before_ns
        if self._before is None or ns >= BATCH_NS:
            after = self.counts(now_ns)
            if self._before is not None:
                known.add(self._before, after, ns)
            self._before, self._before_ns = after, now_ns
