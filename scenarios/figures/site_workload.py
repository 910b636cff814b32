"""What ran, inferred from what a site measured: workload, clients' system, pairs of guests.

Link activity tells the messages (`scenarios.figures.site_exchanges`), not how many conversations
there are: pairs are sought by runs. Device rows alone tell none of it: the user must say what ran.
"""

import dataclasses
from collections.abc import Sequence
from math import log
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from isfc.errors import ConfigurationError
from isfc.errors.in_words import number
from isfc.layout.layout import Layout
from isfc.layout.site import FACTOR_MAX
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from isfc.site.measurement import LinkFigures, Measurement, WayFigures
from isfc.site.seen import SeenInterval, SeenLink
from scenarios.figures.site_beside import BesideLink
from scenarios.figures.site_exchanges import (
    QuietLink,
    assumed,
    exchanges,
    find_ran,
    other_lengths,
    ways,
    workload_of,
)
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import Result
from scenarios.runs.run import run
from scenarios.runs.workload import CONVERSATIONS, Workload, open_load

PAIRS_TRIED_MAX: Final = 256
"""Pairs that are tried: more than IBM's 100 only add to what waits."""

QUIET_MB_PER_S: Final = 0.1
"""Below this, a link does nothing that identifies a workload."""

LIGHT: Final = 1.5
"""A load is light if one pair does so many times as much in the model. Chosen: no site is slower by
more, as a rule."""

_ALONE: Final = 1.2
"""Messages a package, below which each goes alone as of a light load."""

_SPEED: Final = 0.25
"""How far a site's rate is expected from the model's, as a logarithm. Chosen: the published rates
of features that were fitted apart."""

_FILLED: Final = 0.1
"""The same of messages a package: they go by what waits, and hardly by speed. Chosen."""

_WAITING: Final = 1.0
"""The same of messages that wait, of which a report shows a moment. Chosen."""

_AS_WELL: Final = 3.0
"""Pairs do as well as the best up to so much more of the squares: 80 % of chance is less."""

_OTHER_SPEED: Final = 0.1
"""Rates further apart than this, as a logarithm, mean another speed of the site. Chosen."""

_OFF_MAX: Final = 1.1
"""Times by which the rate of the pairs that do best may be off without being told. Chosen."""

_EXPLAINED: Final = 2 * _SPEED
"""The same, as a logarithm, of pairs that explain a rate: twice what is expected of a site."""


class Derived(Struct, frozen=True):
    """A workload that gives what was measured; ``uncertain`` says what of it is assumed.

    ``offered_per_s`` is the exchanges a second that an open loop would offer, None if no link
    activity says it. ``doubts`` are reasons to take it for something else. ``is_light`` says that
    it is below what a pair of guests does, and an open load: ``pairs`` are then messages that may
    be under way. ``is_inferred`` says that link activity tells what ran, and nobody else.
    """

    workload: Workload
    pairs: int
    client: NodeName
    offered_per_s: float | None
    uncertain: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    is_light: bool = False
    is_inferred: bool = False
    guests: GuestCosts = GuestCosts()
    beside: BesideLink | None = None

    def __str__(self) -> str:
        if self.is_light:
            offered = number(self.offered_per_s or 0.0, 1)
            return f"{self.workload.name}, {offered} messages a second offered"
        return f"{self.workload.name}, {self.pairs} pairs"

    @property
    def load(self) -> str:
        """``HL:50``; an open load is of its messages a second, and no pairs."""
        rate = f"{number(self.offered_per_s or 0.0)}/s"
        return f"{self.workload.name}:{rate if self.is_light else self.pairs}"

    def as_open(self) -> "Derived":
        """The same messages, at times of their own: as an open load of the rate that was seen."""
        rate = self.offered_per_s or 0.0
        return replace(
            self,
            workload=open_load(self.workload, rate),
            pairs=CONVERSATIONS,
            uncertain=self.uncertain[:1],
            is_light=True,
        )

    def scaled(self, factor: float) -> "Derived":
        """With so many times the pairs, or the rate of an open load."""
        if self.is_light:
            rate = factor * (self.offered_per_s or 0.0)
            return replace(self, workload=open_load(self.workload, rate), offered_per_s=rate)
        return replace(self, pairs=min(PAIRS_TRIED_MAX, max(1, round(factor * self.pairs))))

    def experiment(
        self, layout: Layout, seconds: float, warmup: float, seed: int = 1
    ) -> Experiment:
        """A run of it."""
        asked = layout, self.workload, self.pairs, seconds, warmup, seed, self.client
        return _with(Experiment.of(*asked, guests=self.guests), self.beside)


def _with(asked: Experiment, beside: BesideLink | None) -> Experiment:
    """The run of one link, with what runs beside it."""
    if beside is None:
        return asked
    collection = beside.with_link(asked.layout)
    return dataclasses.replace(asked, collection=collection, loads=(*asked.loads, *beside.loads))


class _Seen(Struct, frozen=True):
    """What link activity shows of an exchange: what clients send, what comes back, what waits."""

    out: WayFigures
    back: WayFigures
    waiting: float | None
    """Messages of the clients that wait to be sent; None where their end was not measured."""

    @property
    def mb_per_s(self) -> float:
        """Both ways."""
        return self.out.mb_per_s + self.back.mb_per_s

    def off(self, found: Result) -> float:
        """How far a run is from it: a sum of squares, each of what is expected."""
        off = (log(found.mb_per_s / self.mb_per_s) / _SPEED) ** 2
        filled = found.messages_per_package_out, found.messages_per_package_in
        for way, ours in zip((self.out, self.back), filled, strict=True):
            if way.messages_per_package and ours:
                off += (log(ours / way.messages_per_package) / _FILLED) ** 2
        if self.waiting is not None:
            off += (log((found.tx_pend_count + 5) / (self.waiting + 5)) / _WAITING) ** 2
        return off


def derive(
    layout: Layout, interval: SeenInterval, seconds: float = 0.5, beside: BesideLink | None = None
) -> Derived:
    """The workload of an interval: as the first of its ends says it that does.

    ``beside`` is what else runs on its channels. Pairs that nobody says are found by runs of
    ``seconds`` each. Raises `QuietLink` where nothing ran, and `ConfigurationError` where nothing
    says what.
    """
    check_busy(interval)
    check_possible(layout, interval)
    said = [end for end in interval.ends if end.measurement.ran]
    if len({end.measurement.ran for end in said}) > 1:
        both = " and ".join(f"{end.measurement.ran} in {end.measurement.place}" for end in said)
        raise ConfigurationError(f"{both}, of the same interval; expected one load for an interval")
    told = said[0] if said else None
    active = next((end for end in interval.ends if end.measurement.links), None)
    if told is not None:
        return replace(_as_told(layout, told, active, seconds, beside), beside=beside)
    if active is None:
        raise ConfigurationError(
            f"{interval.place}: device rows say nothing of messages; expected link activity of the "
            "same interval as well, or --ran NAME:PAIRS"
        )
    one, link = active.measurement, active.measurement.links[0]
    here = _clients_here(one, link)
    out, back = ways(link, clients_here=here)
    workload = workload_of(one.place, out, back)
    client = _client(layout, active.node, here=here)
    uncertain = [*assumed(out, back, workload)]
    seen = _Seen(out, back, link.tx_pend_count if active.node == client else None)
    asked = Experiment.of(layout, workload, 1, seconds, seconds / 2, client=client)
    tried = _pairs(_with(asked, beside), seen)
    one_pair = min(tried, key=lambda each: each.pairs)
    if _is_light(seen, one_pair.mb_per_s):
        return replace(_as_open(workload, client, seen, one_pair.mb_per_s), beside=beside)
    best = tried[0]
    if not 1 / _OFF_MAX < best.mb_per_s / seen.mb_per_s < _OFF_MAX:
        nearest = "nearest in messages a package and those that wait"
        if abs(log(best.mb_per_s / seen.mb_per_s)) > _EXPLAINED:
            nearest = f"{nearest}, and no number of pairs explains the rate"
        uncertain.append(
            f"with {best.pairs} pairs the model comes {nearest}: it carries "
            f"{number(best.mb_per_s)} MB/s where {number(seen.mb_per_s)} were measured"
        )
    if as_well := _as_well(tried):
        least, most = as_well
        uncertain.append(f"{least} to {most} pairs do as well, at other speeds of the link")
    rate = exchanges(out, back).per_s
    found = Derived(workload, best.pairs, client, rate, tuple(uncertain), is_inferred=True)
    return replace(found, beside=beside)


def _as_open(workload: Workload, client: NodeName, seen: _Seen, one_pair: float) -> Derived:
    """A load below what one pair of guests does."""
    light = (
        f"a light load: {number(seen.mb_per_s)} MB/s, where one pair of guests that always has "
        f"something under way would do {number(one_pair)} in the model"
    )
    rate, uncertain = exchanges(seen.out, seen.back).per_s, assumed(seen.out, seen.back, workload)
    found = Derived(workload, 1, client, rate, tuple(uncertain), is_inferred=True).as_open()
    return replace(found, uncertain=(light, *found.uncertain))


def check_busy(interval: SeenInterval) -> None:
    """Raise `QuietLink` where nothing ran at an end."""
    for one in (end.measurement for end in interval.ends):
        if one.links:
            mb_per_s = one.links[0].written.mb_per_s + one.links[0].read.mb_per_s
            quiet, what = mb_per_s < QUIET_MB_PER_S, f"{number(mb_per_s, 2)} MB/s"
        else:
            io_per_s = sum(device.io_per_s for device in one.devices)
            quiet, what = io_per_s < 1, f"{number(io_per_s, 1)} I/O/s"
        if quiet:
            raise QuietLink(
                f"{one.place}: the link was quiet ({what}): it says nothing of the model"
            )


def check_possible(layout: Layout, interval: SeenInterval) -> None:
    """Raise `ConfigurationError` where more went over the link than any such fibres carry."""
    most = sum(1e9 / 2**20 / fibre.profile.line_ns_per_byte for fibre in layout.fibres)
    for one in (end.measurement for end in interval.ends):
        rate = max(
            (way.mb_per_s for link in one.links for way in (link.written, link.read)), default=0
        )
        if rate > FACTOR_MAX * most:
            raise ConfigurationError(
                f"{one.place}: {number(rate)} MB/s one way, and the fibres of the layout carry "
                f"{number(most)}; expected figures of a second: is the unit another, or are they "
                "of a minute?"
            )


def _as_told(
    layout: Layout,
    told: SeenLink,
    active: SeenLink | None,
    seconds: float,
    beside: BesideLink | None,
) -> Derived:
    """What ran as one end says it; the other may say where the clients were, and how much."""
    uncertain = []
    end, here = told, told.measurement.clients
    if here is None and active is not None:
        end, here = active, _clients_here(active.measurement, active.measurement.links[0])
    if here is None:
        here = True
        uncertain.append(f"clients on {end.node}: nothing says on which system they were")
    client = _client(layout, end.node, here=here)
    ran = told.measurement.ran
    assert ran is not None
    workload = find_ran(ran.workload)
    if active is None:
        return Derived(workload, ran.pairs, client, None, tuple(uncertain))
    out, back = ways(active.measurement.links[0], clients_here=active.node == client)
    doubts = tuple(other_lengths(workload, active.measurement.place, out, back))
    if not doubts and workload.traffic is Traffic.TRANSPORT:
        seen = _Seen(out, back, None)
        asked = Experiment.of(layout, workload, 1, seconds, seconds / 2, client=client)
        one_pair = run(_with(asked, beside)).result.mb_per_s
        if _is_light(seen, one_pair):
            return _as_open(workload, client, seen, one_pair)
    offered = exchanges(out, back).per_s if out.messages_per_s else 0.0
    return Derived(workload, ran.pairs, client, offered, tuple(uncertain), doubts)


def _is_light(seen: _Seen, one_pair_mb_per_s: float) -> bool:
    """Whether one pair of guests does much more, and messages went alone."""
    return one_pair_mb_per_s > LIGHT * seen.mb_per_s and seen.out.messages_per_package < _ALONE


def _client(layout: Layout, node: NodeName, *, here: bool) -> NodeName:
    first, second = layout.nodes
    return node if here else second if node == first else first


def _clients_here(one: Measurement, link: LinkFigures) -> bool:
    """Whether the side that sends the longer messages, the clients, is the one measured."""
    if one.clients is not None:
        return one.clients
    return link.written.mb_per_s >= link.read.mb_per_s


class _Tried(Struct, frozen=True):
    """What the model shows with so many pairs, and how far that is from what was measured."""

    pairs: int
    mb_per_s: float
    off: float
    explains: bool
    """Whether its rate is as near as a site's speed may have it."""

    @property
    def rank(self) -> tuple[bool, float]:
        """The less, the nearer: what explains the rate comes first."""
        return not self.explains, self.off


def _pairs(asked: Experiment, seen: _Seen) -> list[_Tried]:
    """Numbers of pairs, that one first whose run shows most nearly what was measured.

    Messages a package tell more than the rate, of those that explain it at all: the site may be
    slower or faster than the model.
    """
    tried: dict[int, _Tried] = {}

    def attempt(pairs: int) -> _Tried:
        if pairs not in tried:
            loads = replace(asked.loads[0], pairs=pairs), *asked.loads[1:]
            found = run(dataclasses.replace(asked, loads=loads)).result
            explains = abs(log(found.mb_per_s / seen.mb_per_s)) < _EXPLAINED
            tried[pairs] = _Tried(pairs, found.mb_per_s, seen.off(found), explains)
        return tried[pairs]

    pairs, last = 1, attempt(1)
    while pairs < PAIRS_TRIED_MAX:
        pairs *= 2
        before, last = last, attempt(pairs)
        if pairs > 8 and last.off > before.off and last.mb_per_s < 1.02 * before.mb_per_s:
            break  # more pairs only wait
    best = min(tried.values(), key=lambda each: each.rank)
    step = best.pairs // 4
    while step:
        for near in (best.pairs - step, best.pairs + step):
            if 1 <= near <= PAIRS_TRIED_MAX:
                attempt(near)
        best = min(tried.values(), key=lambda each: each.rank)
        step = step // 2 if step > best.pairs // 16 else 0
    return sorted(tried.values(), key=lambda each: each.rank)


def _as_well(tried: Sequence[_Tried]) -> tuple[int, int] | None:
    """The fewest and the most pairs that do as well and would mean another speed of the site.

    None if there is no choice.
    """
    best = tried[0]
    others = [
        each.pairs
        for each in tried
        if each.off < best.off + _AS_WELL and abs(log(each.mb_per_s / best.mb_per_s)) > _OTHER_SPEED
    ]
    if best.pairs >= PAIRS_TRIED_MAX or not others:
        return None
    return min(best.pairs, *others), max(best.pairs, *others)
