"""What repeats while guests are on their way, of which only a part is run.

As long as the same passes go on, each guest gets the same from one moment to the next, and so do
those that take its place when it has arrived. So what so many guests on each link get, and all
that is counted beside them, is run once, until it is known. What is left of passes is then passed
over, but for their ends: how passes begin and end, and who goes next, is always run.
"""

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, final

from isfc.layout.layout import Layout
from isfc.link.events import Delivered, LinkEvent, Offer, Program
from isfc.link.name import NodeName
from isfc.system.link_end import LinkEnd
from scenarios.moves.clock import CountedLinks, GuestClock
from scenarios.moves.leaving import Departures
from scenarios.moves.relocation import MESSAGE_LENGTH, Guest
from scenarios.runs.steady import BATCH_NS, BATCHES_MAX, SPREAD_SHARE_MIN, rate_of, without_trend

SETTLED_NS: Final = 50_000_000
"""After a pass has begun or ended, until guests get what they get from then on. Chosen: it is
within 1 % of that in the tenth of a second in which a pass begins."""

KEPT_LENGTH: Final = 16 * MESSAGE_LENGTH
"""Bytes of a pass that are run in any case, before those that are outstanding (chosen)."""

RUN_MIN: Final = 30
"""Batches that are run at least. Chosen: three Express4 with four CTCs each begin with a pace that
is 4 % above that after a second and a half."""

LOOKS: Final = 4
"""Of which rates are the mean. Chosen: in one of 5 ms a message more or less is 4 %."""

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
    LOST = "ns of what is not to be counted on"
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
    """What has been counted while so many guests were on their way, by the ns of their time."""

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
    """What is counted of moves, run or passed over, by the ``clock`` of guests.

    ``ends`` are those of ``links``, ``clients`` what runs on each with other traffic. ``lost_ns``
    is by guest how much longer it took for what is not to be counted on.
    """

    def __init__(
        self,
        links: Sequence[Layout],
        ends: Mapping[Way, LinkEnd],
        departures: Mapping[Way, Departures],
        clients: Mapping[Layout, Sequence[CountedProgram]],
        clock: GuestClock,
    ) -> None:
        self._ends, self._departures, self._clients = ends, departures, clients
        self._clock, self._counted = clock, CountedLinks(links)
        self._sent = deque([(clock.looked_ns, self._written())], maxlen=LOOKS)
        self.lost_ns = defaultdict[Guest, float](float)
        self._lost_ns = dict.fromkeys(departures, 0.0)
        self._passed: dict[Hashable, float] = {}
        self._known: dict[Hashable, _Batches] = {}
        self._passes: Hashable = None
        self._settled_ns = self._before_ns = 0
        self._before: Counts | None = None
        self._looked: Counts | None = None

    def counts(self, now_ns: int) -> Counts:
        """All that has been counted so far."""
        found: dict[Hashable, float] = {}
        for way, departures in self._departures.items():
            found[way] = sum(guest.moved_length for guest in departures.guests)
            found[CountOf.LOST, way] = self._lost_ns[way]
            for each in self._ends[way].snapshot(now_ns).devices:
                found[CountOf.IO, way, each.rdev] = each.io_count
                found[CountOf.SERVED_NS, way, each.rdev] = (
                    each.pend_ns + each.disc_ns + each.conn_ns
                )
        for link, clients in self._clients.items():
            one, other = (self._ends[way].link for way in (link.nodes, link.nodes[::-1]))
            found[CountOf.CARRIED, link.nodes] = int(
                one.counters.write_length + other.counters.write_length
            )
            found[CountOf.EXCHANGES, link.nodes] = sum(each.count for each in clients)
        return {what: count + self._passed.get(what, 0.0) for what, count in found.items()}

    def look(self, now_ns: int) -> None:
        """Let the time of guests go on, as what was run since the last look takes.

        Where another link lets through less, what is to be counted on takes longer by it than here,
        and so there is more of it.
        """
        ran_ns, sent = now_ns - self._clock.looked_ns, self._written()
        if not ran_ns:
            return
        since_ns, before = self._sent[0]
        self._sent.append((now_ns, sent))
        shares = self._counted.shares(
            {end: sent[end] - before[end] for end in sent}, now_ns - since_ns
        )
        least = min(shares.values())
        ns = self._clock.look(now_ns, least)
        for way, guests in self._going().items():
            lost_ns = ns * (1 - shares[way])
            self._lost_ns[way] += lost_ns
            for guest in guests:
                self.lost_ns[guest] += lost_ns
        self._add(now_ns, {way: share / least - 1 for way, share in shares.items()})

    def _add(self, now_ns: int, more: Mapping[Way, float]) -> None:
        """Add so many times what each link did since the last look, as its share is greater."""
        before = self._looked
        self._looked = self.counts(now_ns) if any(more.values()) else None
        if before is None or self._looked is None:
            return
        for what, after in self._looked.items():
            if isinstance(what, tuple) and what[0] is not CountOf.LOST:
                way = what if what in self._departures else what[1]
                added = more[way] * (after - before[what])
                if what != way:
                    self._passed[what] = self._passed.get(what, 0.0) + added
                elif guests := [each for each in self._going()[way] if each.left > added]:
                    for guest in guests:
                        guest.pass_over(round(added / len(guests)))
        self._looked = self.counts(now_ns)

    def go_on(self, now_ns: int, until_ns: int, given: int) -> None:
        """Pass over what may be now, at most ``until_ns`` of the time of guests.

        ``now_ns`` is the engine's. ``given`` is how many orders have been given: what was known
        before is nothing after them.
        """
        going, time_ns = self._going(), self._clock.time_ns(now_ns)
        guests = [guest for some in going.values() for guest in some]
        passes = given, tuple((id(guest), len(guest.passes)) for guest in guests)
        if passes != self._passes or not all(guest.left for guest in guests):
            self._passes, self._before = passes, None
            self._settled_ns = time_ns + SETTLED_NS
        if time_ns < self._settled_ns or not guests:
            return
        known = self._known.setdefault((given, *map(len, going.values())), _Batches())
        mean = known.mean(going)
        if mean is None:
            self._run(known, now_ns)
            return
        paces = [
            (guest, way, mean[way] / len(some)) for way, some in going.items() for guest in some
        ]
        until = (int((guest.left - KEPT_LENGTH) / pace) for guest, _, pace in paces if pace)
        ns = min(until_ns - time_ns, *until)
        if ns >= LEAST_NS:
            for guest, way, pace in paces:
                guest.pass_over(round(pace * ns))
                self.lost_ns[guest] += mean[CountOf.LOST, way] * ns
            for what, each in mean.items():
                if what not in going:  # guests know it themselves
                    self._passed[what] = self._passed.get(what, 0.0) + each * ns
            self._before = None
            self._clock.pass_over(ns)

    def _going(self) -> dict[Way, list[Guest]]:
        """The guests that are on their way."""
        return {
            way: [guest for guest in departures.guests if not guest.end]
            for way, departures in self._departures.items()
        }

    def _written(self) -> dict[Way, int]:
        """Bytes that each end has written."""
        return {way: int(end.link.counters.write_length) for way, end in self._ends.items()}

    def _run(self, known: _Batches, now_ns: int) -> None:
        """Count what has been run."""
        time_ns = self._clock.time_ns(now_ns)
        ns = time_ns - self._before_ns
        if self._before is None or ns >= BATCH_NS:
            after = self.counts(now_ns)
            if self._before is not None:
                known.add(self._before, after, ns)
            self._before, self._before_ns = after, time_ns
