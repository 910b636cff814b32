"""Which resource limits a run: the one whose speeding up raises its rate most.

This is found by evidence. The run is made again with one resource 5 % faster after the other, each
time with the same guests, over a short time. How much of these 5 % the rate gains is the resource's
share in the limit: 1 if nothing else counts, 0 if it never holds anything up. Only resources that
are busy for some of the time are tried. Then what limits is taken away, and what a site could add
is added: a CTC on each chpid, or a chpid.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

from isfc.layout.layout import Fibre, Layout
from isfc.layout.rules.changes import unused_chpids
from isfc.layout.rules.rule import ChangedLayout
from isfc.link.schedule import CTCS_MAX
from isfc.system.system import System
from scenarios.figures.certainty import Range
from scenarios.figures.ranges import rate_range
from scenarios.figures.resources import (
    CLIENTS,
    COLLISIONS,
    LINE,
    LOAD,
    PROCESSOR,
    RECEIVE,
    SEND,
    SERVERS,
    STARTS,
    TRUNK,
    Resource,
    faster,
    resources_of,
)
from scenarios.runs.channel_busy import BusySoFar, busy_so_far
from scenarios.runs.experiment import NS_PER_S, Experiment
from scenarios.runs.guests import CLIENT_PROCESSORS
from scenarios.runs.result import Result, measure
from scenarios.runs.run import build
from scenarios.runs.saturation import (
    SATURATING_PAIRS,
    STATED_PAIRS,
    SUITE,
    ModelledRate,
    RunEach,
    in_turn,
    one_way,
)
from scenarios.runs.workload import SUITES

FACTOR: Final = 1.05
"""So much faster is each resource once."""
SEEDS: Final = (1, 2, 3)
"""Runs of each case: the rates of one seed vary by about half a per cent."""
BEGIN_NS: Final = 400_000_000
LENGTH_NS: Final = 500_000_000
"""When a short run is measured, and for how long (chosen)."""

BUSY_MIN: Final = 0.1
"""A resource that is less busy holds nothing up that counts."""
SHARE_MIN: Final = 0.1
"""A lesser share is not told from what seeds do."""
TIE: Final = 0.1
"""Shares that are no farther apart are alike: two runs of 5 % differ by as much."""
UNLIMITED: Final = 1e3
"""So much faster is a resource that is taken away."""
LIKE_SHARE: Final = 0.03
"""Rates of short runs that differ by less are alike."""


@dataclass(frozen=True, slots=True)
class Glance:
    """A short run: MB/s (2^20) both ways together, and the share of its time a resource is busy.

    ``busy`` is by `Resource.key`; resources that are no server, such as a distance, are not there.
    """

    mb_per_s: float
    busy: dict[str, float]
    collisions_per_s: float


@dataclass(frozen=True, slots=True)
class Share:
    """A resource's share in the limit, and the share of its time that it is busy, if it has one."""

    resource: Resource
    share: float
    busy: float | None


@dataclass(frozen=True, slots=True)
class Relief:
    """What the link carries with something added, as a share of what it does without."""

    added: str
    ratio: float

    @property
    def gains(self) -> bool:
        """Whether that is more than runs so short differ by."""
        return self.ratio > 1 + LIKE_SHARE


@dataclass(frozen=True, slots=True)
class Limit:
    """What limits a run: ``first`` is the resource with the greatest share, and those alike.

    ``shares`` are all that count, the greatest first. ``without`` is what the link would carry if
    ``first`` took no time, as a share of what it carries; ``reliefs`` what a site could add. All
    are of the load of ``experiment``.
    """

    experiment: Experiment
    first: tuple[Share, ...]
    shares: tuple[Share, ...]
    without: float
    reliefs: tuple[Relief, ...]


def find_limit(experiment: Experiment, run_each: RunEach = in_turn) -> Limit:
    """Find what limits a run. Its times do not count."""
    base = glances([experiment], run_each)[0]
    busy = {key: fmean(glance.busy[key] for glance in base) for key in base[0].busy}
    collides = any(glance.collisions_per_s for glance in base)
    tried = [
        resource
        for resource in resources_of(experiment)
        if busy.get(resource.key, 1.0) >= BUSY_MIN
        if resource.kind != COLLISIONS or collides
    ]
    reliefs = [*_added(experiment.layout)]
    cases = [
        *(faster(experiment, resource, FACTOR) for resource in tried),
        *(experiment.over(layout) for _, layout in reliefs),
    ]
    runs = glances(cases, run_each)
    shares = sorted(
        (
            Share(resource, _ratio(glances, base) / _step(experiment, resource), busy.get(key))
            for resource, glances in zip(tried, runs, strict=False)
            if (key := resource.key)
        ),
        key=lambda each: -each.share,
    )
    first = tuple(each for each in shares if each.share >= max(SHARE_MIN, shares[0].share - TIE))
    first = first or tuple(shares[:1])
    without = experiment
    for each in first:
        without = _freed(without, each.resource)
    return Limit(
        experiment,
        first,
        tuple(each for each in shares if each.share >= SHARE_MIN),
        1 + _ratio(glances([without], run_each)[0], base),
        tuple(
            Relief(added, 1 + _ratio(glances, base))
            for (added, _), glances in zip(reliefs, runs[len(tried) :], strict=True)
        ),
    )


@dataclass(frozen=True, slots=True, repr=False)
class ReasonedRate(ModelledRate):
    """What one node can send, with what limits it saturated and between what IBM's would lie.

    ``ranges`` are of the saturated rate, and of that with the stated load.
    """

    limit: Limit | None = None
    ranges: tuple[Range, Range] | None = None


def with_reasons(
    layout: Layout, figures: Sequence[ModelledRate], run_each: RunEach = in_turn
) -> tuple[ReasonedRate, ...]:
    """The same figures, each with what limits it saturated, and with the ranges of both loads."""
    experiments = [one_way(layout, each.sender, SATURATING_PAIRS) for each in figures]
    found = run_each(find_limit, experiments)
    return tuple(
        replace(each, limit=limit)
        for each, limit in zip(with_ranges(layout, figures), found, strict=True)
    )


def with_ranges(
    layout: Layout, figures: Sequence[ModelledRate], pairs: int = STATED_PAIRS
) -> tuple[ReasonedRate, ...]:
    """The same figures, each with the ranges of both loads; ``pairs`` are those of the stated."""
    return tuple(
        ReasonedRate(
            each.sender, each.saturated, each.stated, each.seen, None, _ranges(each, layout, pairs)
        )
        for each in figures
    )


def _ranges(figure: ModelledRate, layout: Layout, pairs: int) -> tuple[Range, Range]:
    """Of the saturated rate, and of that with the stated load."""
    collisions = 0.0 if figure.seen is None else figure.seen.collisions_per_s
    return (
        rate_range(figure.saturated_mb_per_s, layout, SUITES[SUITE], SATURATING_PAIRS, collisions),
        rate_range(figure.stated_mb_per_s, layout, SUITES[SUITE], pairs, collisions),
    )


def _freed(experiment: Experiment, resource: Resource) -> Experiment:
    """The same run where a resource takes no time; or with with many pairs."""
    if resource.kind == LOAD:
        return experiment.with_load(pairs=max(experiment.pairs, SATURATING_PAIRS))
    return faster(experiment, resource, UNLIMITED)


def _step(experiment: Experiment, resource: Resource) -> float:
    """How much faster a resource was: of pairs there may be only whole ones."""
    if resource.kind == LOAD:
        return faster(experiment, resource, FACTOR).pairs / experiment.pairs - 1 or 1.0
    return FACTOR - 1


def _ratio(changed: Sequence[Glance], base: Sequence[Glance]) -> float:
    """How much more is carried, seed by seed, as a share."""
    return fmean(
        one.mb_per_s / other.mb_per_s - 1 if other.mb_per_s else 0.0
        for one, other in zip(changed, base, strict=True)
    )


def glances(cases: Sequence[Experiment], run_each: RunEach) -> list[Sequence[Glance]]:
    """Each case with every seed."""
    every = [replace(case, seed=seed) for case in cases for seed in SEEDS]
    found = run_each(glance, every)
    return [found[at : at + len(SEEDS)] for at in range(0, len(found), len(SEEDS))]


def glance(experiment: Experiment) -> Glance:
    """Make a short run, and see how busy its resources are."""
    engine, systems = build(experiment)
    engine.run(BEGIN_NS)
    before = _Look(experiment, systems, BEGIN_NS)
    end_ns = BEGIN_NS + LENGTH_NS
    engine.run(end_ns)
    after = _Look(experiment, systems, end_ns)
    result = after.result_since(before)
    return Glance(result.mb_per_s, after.busy_since(before, result), result.collisions_per_s)


class _Look:
    """What is seen of a run at one moment."""

    def __init__(self, experiment: Experiment, systems: Sequence[System], now_ns: int) -> None:
        self._experiment, self._systems = experiment, systems
        self.snapshot = systems[0].ends[0].snapshot(now_ns)
        self.channels: BusySoFar = busy_so_far([experiment.layout], systems, now_ns)
        links = {system.name: system.ends[0].link for system in systems}
        self.sends = {name: link.tx_lock.busy_ns(now_ns) for name, link in links.items()}
        self.receives = {name: link.rx_lock.busy_ns(now_ns) for name, link in links.items()}

    def result_since(self, before: "_Look") -> Result:
        """What the client's end saw since another look."""
        return measure(self.snapshot.name, before.snapshot, self.snapshot)

    def busy_since(self, before: "_Look", result: Result) -> dict[str, float]:
        """How busy each resource was since then."""
        channels, first = self.channels.chpids, before.channels.chpids
        held = self._disks()
        costs = self._experiment.guests
        seconds = LENGTH_NS / NS_PER_S
        locks = {
            Resource(kind, node).key: (now[node] - then[node]) / LENGTH_NS
            for kind, now, then in (
                (SEND, self.sends, before.sends),
                (RECEIVE, self.receives, before.receives),
            )
            for node in self._experiment.nodes
        }
        return {
            LINE.id: max(
                max(
                    end.line_out - first[name].line_out,
                    end.line_in - first[name].line_in,
                )
                for name, end in channels.items()
            )
            / LENGTH_NS,
            PROCESSOR.id: max(
                (end.data - first[name].data) / LENGTH_NS + held.get(name, 0.0)
                for name, end in channels.items()
            ),
            STARTS.id: max(
                sum(end.queues.values()) - sum(first[name].queues.values())
                for name, end in channels.items()
            )
            / LENGTH_NS,
            CLIENTS.id: result.messages_per_s_in * costs.client_ns / NS_PER_S / CLIENT_PROCESSORS,
            SERVERS.id: result.messages_per_s_out
            * costs.server_ns
            / NS_PER_S
            / self._experiment.pairs,
            **self._trunks(before, seconds),
            **locks,
        }

    def _disks(self) -> dict[str, float]:
        """The share of each channel's processor that disks take."""
        layout = self._experiment.layout
        return {
            name: fibre.disks[end].bounded().processor
            for fibre in layout.fibres
            for end, node in enumerate(layout.nodes)
            for name in fibre.channel_ends(end, node)
        }

    def _trunks(self, before: "_Look", seconds: float) -> dict[str, float]:
        sent, first = self.channels.sent_bytes, before.channels.sent_bytes
        busy = [
            (sent[way] - first.get(way, 0.0)) * path.isl.ns_per_byte(path.km) / seconds / NS_PER_S
            for way in sent
            if (path := way[0]).isl is not None
        ]
        return {TRUNK.id: max(busy)} if busy else {}


def _added(layout: Layout) -> list[tuple[str, Layout]]:
    """What a site could add, and the layout with it: a CTC on each chpid, a chpid."""
    found = []
    fibres = dict.fromkeys(ctc.fibre for ctc in layout.ctcs)
    count = len(layout.ctcs)
    most = max(sum(ctc.fibre is fibre for ctc in layout.ctcs) for fibre in fibres)
    every = all(sum(ctc.fibre is fibre for ctc in layout.ctcs) == most for fibre in fibres)
    if count + len(fibres) <= CTCS_MAX:
        what = f"a {ordinal(most + 1)} CTC" if every else "one more CTC"
        where = "on each chpid" if len(fibres) > 1 else "on its chpid"
        found.append((f"{what} {where}", ChangedLayout("", _one_more_each)))
    if count + most <= CTCS_MAX and not any(fibre.channels for fibre in fibres):
        ctcs = f"{most} CTCs" if most > 1 else "1 CTC"
        found.append((f"one more chpid with {ctcs}", ChangedLayout("", _one_more_chpid)))
    return [(what, changed) for what, change in found if (changed := change.carried_out(layout))]


def _one_more_each(down: Sequence[Fibre]) -> Sequence[Fibre]:
    """One more CTC of each chpid, behind the others of it."""
    last = {fibre: place for place, fibre in enumerate(down)}
    return [
        each
        for place, fibre in enumerate(down)
        for each in ([fibre, fibre] if last[fibre] == place else [fibre])
    ]


def _one_more_chpid(down: Sequence[Fibre]) -> Sequence[Fibre]:
    """As many CTCs as the fullest chpid has, on another one like it, at the end."""
    fibres = list(dict.fromkeys(down))
    fullest = max(fibres, key=lambda fibre: list(down).count(fibre))
    other = replace(fullest, name=f"another {len(fibres)}", chpids=unused_chpids(fibres))
    return [*down, *[other] * list(down).count(fullest)]


_ORDINALS: Final = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def ordinal(number: int) -> str:
    """``fifth``, ``16th``."""
    return _ORDINALS[number] if number < len(_ORDINALS) else f"{number}th"
