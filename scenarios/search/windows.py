"""When guests leave a system soonest: an evacuation begun at every quarter of an hour.

What a link carries of guests beside the load of a quarter of an hour is run: short relocations
(`scenarios.moves.by_rate`) beside messages that come as often as that load says. Passes, changes
and limits of the guests then follow by the rules, through all quarters that they reach.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from statistics import fmean
from typing import Final

from msgspec import Struct

from isfc.errors.in_words import check_between
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.site.intervals import PERIODS, SLOT_S, Slot
from scenarios.figures.ranges import link_rate
from scenarios.moves.by_rate import in_order, pairs_alike
from scenarios.moves.evacuation import GUESTS_MAX, TOGETHER_MAX, WINDOW, Evacuation, move
from scenarios.moves.guest import GuestMemory, GuestPlan, Limits
from scenarios.moves.leaving import Placed
from scenarios.moves.relocation import MESSAGE_LENGTH, by_times
from scenarios.runs.experiment import NS_PER_S, Load
from scenarios.runs.result import MIB
from scenarios.runs.steady import Rate
from scenarios.runs.workload import LinkLoad, Workload

STEPS: Final = 8
"""Loads are run in so many steps up to the greatest. Chosen: what guests get changes little between
two of them."""

SAMPLE_LENGTH: Final = 512 * MIB
"""Bytes of each guest of the short relocations. Chosen: beside a load what 2 GiB get is within 2 %
of it."""

_REPLY_LENGTH: Final = 64
"""Bytes that answer a message of the load: the other way's load is told by itself. Chosen."""


class Leaving(Struct, frozen=True):
    """Guests that leave ``source`` over a link, so many together."""

    source: NodeName
    guests: tuple[GuestPlan, ...]
    together: int = 1

    def __post_init__(self) -> None:
        check_between("guests", len(self.guests), 1, GUESTS_MAX)
        check_between("together", self.together, 1, TOGETHER_MAX)

    @property
    def at_once(self) -> int:
        """How many are on their way."""
        return min(self.together, len(self.guests))


class Window(Struct, frozen=True):
    """A time at which guests may begin to leave, and when the last is gone.

    ``likely_s`` is between what ``seconds`` lie. ``stays`` are guests that a limit kept.
    ``less_mb_per_s`` is what their system's other traffic has less meanwhile, as a link carries no
    more with guests than without, and no more in all than is to be counted on.
    """

    label: str
    seconds: float
    likely_s: tuple[float, float]
    stays: tuple[str, ...]
    less_mb_per_s: float


_Load = tuple[int, int]
"""Of the first and the second node, in steps."""


class Beside:
    """The loads of a link by time, the short runs that say what guests get, and what follows."""

    def __init__(self, link: Layout, slots: Sequence[Slot], period: str, leaving: Leaving) -> None:
        self._link, self._slots, self._period, self._leaving = link, slots, period, leaving
        self._step = max(max(slot.mb_per_s) for slot in slots) / STEPS or 1.0
        self._loads = {slot.begin_s: self._in_steps(slot) for slot in slots}

    def _in_steps(self, slot: Slot) -> _Load:
        first, second = (round(rate / self._step) for rate in slot.mb_per_s)
        return first, second

    def runs(self) -> dict[_Load, Evacuation]:
        """A short evacuation beside each load that there is."""
        return {load: self._run(load) for load in sorted(set(self._loads.values()))}

    def _run(self, load: _Load) -> Evacuation:
        nodes, source = self._link.nodes, self._leaving.source
        to = nodes[source == nodes[0]]
        sample = GuestMemory(size=SAMPLE_LENGTH, touched=SAMPLE_LENGTH)
        tenants = tuple(
            Placed(GuestPlan(f"GUEST{number}", sample, Limits(max_quiesce=inf)), source, to)
            for number in range(self._leaving.at_once)
        )
        loads = tuple(
            LinkLoad(node, other, _load(steps * self._step), WINDOW)
            for node, other, steps in zip(nodes, nodes[::-1], load, strict=True)
            if steps
        )
        link = Collection.of(self._link)
        return Evacuation(link, (source,), tenants, together=len(tenants), loads=loads)

    def windows(self, rates: Mapping[_Load, Rate], mb_per_s: float) -> list[Window]:
        """When the guests may begin to leave: first where fewest stay, of these the shortest.

        ``rates`` are by load what each guest gets, ``mb_per_s`` what their system can send at all.
        None runs into times without a figure.
        """
        found = []
        for slot in self._slots:
            try:
                found.append(self._window(slot, rates, mb_per_s))
            except LookupError:
                continue
        return sorted(found, key=lambda window: (len(window.stays), window.seconds))

    def _window(self, slot: Slot, rates: Mapping[_Load, Rate], mb_per_s: float) -> Window:
        leaving, begin_ns = self._leaving, slot.begin_s * NS_PER_S
        pairs = pairs_alike(leaving.at_once, WINDOW)
        within = link_rate(1.0, self._link, Load(pairs=pairs)).ends
        counted = {each: rate.mb_per_s for each, rate in rates.items()}
        slow = {each: min(counted[each], r.modelled * within.low) for each, r in rates.items()}
        fast = {each: rate.modelled * within.high for each, rate in rates.items()}
        cases = []
        for paces in (counted, slow, fast):
            pace = {begin_s: paces[each] * MIB for begin_s, each in self._loads.items()}
            clock = partial(_took, pace, PERIODS[self._period])
            moved = partial(by_times, took=clock)
            cases.append(in_order(leaving.guests, leaving.at_once, moved, begin_ns))
        seconds = [(max(each.end_ns for each in case) - begin_ns) / NS_PER_S for case in cases]
        load = slot.mb_per_s[self._link.nodes.index(leaving.source)]
        now = rates[self._loads[slot.begin_s]]
        lost = load * (1 - now.mb_per_s / now.modelled)
        less = max(lost, load + now.mb_per_s * leaving.at_once - mb_per_s)
        return Window(
            slot.label,
            seconds[0],
            (min(seconds), max(seconds)),
            tuple(guest.plan.name for guest in cases[0] if not guest.moved),
            min(load, less),
        )


def _load(mb_per_s: float) -> Workload:
    """Long messages that come at a rate, as many under way as a guest's; beyond that they wait."""
    per_s = mb_per_s * MIB / MESSAGE_LENGTH
    return Workload.own("load", {MESSAGE_LENGTH: 100}, _REPLY_LENGTH, per_s=per_s)


def guest_rate(evacuation: Evacuation) -> Rate:
    """MB/s that each guest of an evacuation is moved with, and by the model if that is more."""
    guests = move(evacuation).guests
    counted, modelled = (
        fmean(guest.bytes_per_s / each for guest, each in zip(guests, shares, strict=True)) / MIB
        for shares in ([1.0] * len(guests), [guest.share for guest in guests])
    )
    return Rate(modelled).no_more_than(counted)


def _took(pace: Mapping[int, float], period_s: int, begin_ns: int, length: int) -> int:
    """How many ns bytes take, by the bytes/s of each slot; `LookupError` where one has none."""
    slot_ns, now_ns, left = SLOT_S * NS_PER_S, begin_ns, float(length)
    while True:
        rate = pace[now_ns // slot_ns * SLOT_S % period_s]
        until_ns = (now_ns // slot_ns + 1) * slot_ns
        taken_ns = left / rate * NS_PER_S
        if now_ns + taken_ns <= until_ns:
            return round(now_ns + taken_ns) - begin_ns
        left -= rate * (until_ns - now_ns) / NS_PER_S
        now_ns = until_ns
