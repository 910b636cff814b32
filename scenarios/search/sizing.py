"""What to order for a link: the fewest chpids and CTCs that carry so much with one piece gone.

All chpids of a candidate are alike, and each has as many CTCs, numbered chpid by chpid as
`isfc new` does. So a link is as fast as its `Shape`, and what is left of one is another. Short runs
of one number of chpids after the other say where to look; runs until they are steady decide.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import ChpidId, Rdev
from ctc.features import CATALOGUE, FEATURES, ChpidProfile, find_profile
from isfc.layout.build import RDEVS_PER_CHPID, layout_of
from isfc.layout.capacity import FULL_CTC_COUNT, end_to_count_on
from isfc.layout.layout import Fibre, Layout, on_machines
from isfc.layout.machines import card_on, is_had, newest_on
from isfc.layout.processors import Processors
from isfc.layout.write import format_layout
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX
from isfc.reports.figure import Figure
from scenarios.figures.certainty import odds_reached
from scenarios.figures.limit import Limit, find_limit
from scenarios.figures.ranges import link_rate
from scenarios.runs.experiment import WARMUP, Experiment, Load
from scenarios.runs.result import MIB
from scenarios.runs.run import run
from scenarios.runs.steady import Rate, SteadyRun, steady_run
from scenarios.runs.workload import LinkLoad
from scenarios.search.workers import shared_out

Shape = tuple[int, ...]
"""How many CTCs there are on each chpid, down the device list."""


class LostPiece(StrEnum):
    """What is gone when a link still has to carry what is wanted."""

    NONE = "none"
    CTC = "ctc"
    CHPID = "chpid"
    DIRECTOR = "director"
    """One of two, each with every other fibre."""

    def left_of(self, shape: Shape) -> list[Shape]:
        """What can be left of a link, alike ones once; an empty shape is a link that is down."""
        match self:
            case LostPiece.NONE:
                return [shape]
            case LostPiece.CTC:
                every = [(*shape[:n], count - 1, *shape[n + 1 :]) for n, count in enumerate(shape)]
            case LostPiece.CHPID:
                every = [(*shape[:n], *shape[n + 1 :]) for n in range(len(shape))]
            case LostPiece.DIRECTOR:
                every = [shape[::2], shape[1::2]]
        return list(dict.fromkeys(tuple(filter(None, each)) for each in every))


class SizedLink(Struct, frozen=True):
    """A candidate by runs."""

    feature: str
    """that of all its chpids"""
    chpids: int
    """of each system"""
    ctcs: int
    """of the link"""
    ports: int
    """of directors, for both systems; cables from chpid to chpid need none"""
    whole: Figure
    """what it carries one way, in its slower direction"""
    left: Figure
    """the same with the piece gone"""
    odds_percent: int
    """how likely it is that `left` reaches what is wanted on real hardware"""
    reaches: bool
    """whether it does by the model"""
    layout: str
    """as the text of a file"""
    cards: str = ""
    """how its machines have the feature, where these are said: `ordered`, or only `carried` forward
    (general knowledge); `not known`, or `never had`"""


CTCS_ON_CHPID_MAX: Final = 5
"""More on a chpid carry no more (published: IBM's report on ISFC, "more than four to five")."""

SHORT_S: Final = 0.5
"""Virtual seconds of the runs that say where to look."""

SHORT_SHARE: Final = 0.95
"""What a short run puts below this share of what is wanted is not run longer. Chosen: of 400 rates
so short a run is off by more than 3 % in two (`scenarios.runs.experiment`)."""

GAIN_MIN: Final = 0.01
"""Another chpid that brings less brings nothing. Chosen: no rate is known better."""

RUNS_MAX: Final = 80
"""Runs that one feature takes at most, nearly: both directions of each shape."""

MB_PER_S_MAX: Final = 1_000_000

_FIRST_CHPIDS: Final = (0x40, 0x50)
_FIRST_RDEV: Final = Rdev(0x6000)


def _unnamed(profile: ChpidProfile) -> ChpidProfile:
    """What a feature does for CTCs, whatever it is called."""
    return replace(profile, feature="")


def _latest(names: Iterable[str]) -> tuple[str, ...]:
    """Of each kind that differs for CTCs."""
    return tuple({_unnamed(FEATURES[name]): name for name in names}.values())


DEFAULT_FEATURES: Final = _latest(each.name for each in CATALOGUE if each.has_router)
"""The latest of each kind that differs for CTCs. Chosen: of those since FICON Express8S."""


def features_on(machines: Collection[str]) -> tuple[str, ...]:
    """The latest of each kind that all machines can have; `DEFAULT_FEATURES` without a machine."""
    had = [name for name in FEATURES if is_had(card_on(name, machines))]
    return _latest(had) if machines else DEFAULT_FEATURES


def fastest_mb_per_s(profile: ChpidProfile) -> float:
    """What no chpid of a feature exceeds: its line, or its data processor."""
    return 1e9 / max(profile.line_ns_per_byte, profile.processor_ns_per_byte) / MIB


def newest_of(machines: Collection[str]) -> ChpidProfile | None:
    """The newest feature that all machines can be ordered with, or have; None if they share none.

    Without a machine the slowest of `DEFAULT_FEATURES`, which none of the others is behind.
    """
    newest = newest_on(machines) if machines else DEFAULT_FEATURES[0]
    return find_profile(newest) if newest else None


_Figure = TypeVar("_Figure")
_Key = tuple[ChpidProfile, Shape, NodeName]
"""A run: what its chpids are, what is on them, and the end that sends."""


class SizeSearch(Struct, frozen=True):
    """The runs of all features so far, each once; ``progress`` is told how many there have been."""

    wanted: float
    lost: LostPiece
    km: float
    load: LinkLoad
    jobs: int
    progress: Callable[[int], None]
    machines: Mapping[NodeName, Processors] = {}
    _short: dict[_Key, float] = {}
    _steady: dict[_Key, SteadyRun] = {}

    def links(self, profile: ChpidProfile) -> Iterator[SizedLink]:
        """The fewest chpids of a feature that carry it, then one more if fewer CTCs do with that.

        What carries most where none do.
        """
        seen: dict[Shape, float] = {}
        most = 0.0
        for chpids in range(self._least(profile), CTCS_MAX + 1):
            carried = self._glance(profile, self._shapes(chpids))
            if (found := self._first(profile, carried)) is not None:
                yield found
                fewer = [each for each in self._shapes(chpids + 1) if sum(each) < found.ctcs]
                wider = self._first(profile, self._glance(profile, fewer))
                yield from () if wider is None else (wider,)
                return
            seen |= carried
            if max(carried.values()) <= most * (1 + GAIN_MIN):
                break
            most = max(carried.values())
        yield self._sized(profile, max(seen, key=lambda shape: seen[shape]))

    def limit(self, link: SizedLink) -> Limit:
        """What limits a candidate with the piece gone."""
        profile = find_profile(link.feature)
        shape = (link.ctcs // link.chpids,) * link.chpids
        left = self._layout(profile, self._worst(profile, shape))
        return find_limit(
            self._experiment(left, NodeName(link.left.sender or self.load.client)),
            self._run_each,
            steady_mb_per_s=link.left.modelled,
        )

    def _least(self, profile: ChpidProfile) -> int:
        """The fewest chpids that could carry it, if only their lines and data processors counted.

        As many as a link can have with four CTCs each where none could.
        """
        fastest = fastest_mb_per_s(profile)
        for chpids in range(1, CTCS_MAX + 1):
            for shape in self._shapes(chpids):
                if min(map(len, self.lost.left_of(shape))) * fastest >= self.wanted:
                    return chpids
        return CTCS_MAX // FULL_CTC_COUNT

    def _shapes(self, chpids: int) -> list[Shape]:
        """Links of so many chpids, the fewest CTCs first; none that the loss takes down."""
        most = min(CTCS_ON_CHPID_MAX, CTCS_MAX // chpids)
        every = [(count,) * chpids for count in range(1, most + 1)]
        return [shape for shape in every if all(self.lost.left_of(shape))]

    def _glance(self, profile: ChpidProfile, shapes: Sequence[Shape]) -> dict[Shape, float]:
        """MB/s of the slower direction of each with the worst piece gone, by short runs."""
        lefts = {left for shape in shapes for left in self.lost.left_of(shape)}
        self._run(self._short, short_run, profile, sorted(lefts))
        return {shape: self._slower(profile, self._worst(profile, shape)) for shape in shapes}

    def _worst(self, profile: ChpidProfile, shape: Shape) -> Shape:
        """What is left that carries least."""
        return min(self.lost.left_of(shape), key=lambda left: self._slower(profile, left))

    def _slower(self, profile: ChpidProfile, shape: Shape) -> float:
        layout, keys = self._layout(profile, shape), self._keys(profile, shape)
        return min(
            end_to_count_on(Rate(self._short[key]), layout, key[-1]).mb_per_s for key in keys
        )

    def _first(self, profile: ChpidProfile, carried: dict[Shape, float]) -> SizedLink | None:
        """The first that carries what is wanted, of those that come near it."""
        near = (each for each in carried if carried[each] >= SHORT_SHARE * self.wanted)
        sized = (self._sized(profile, shape) for shape in near)
        return next((one for one in sized if one.reaches), None)

    def _sized(self, profile: ChpidProfile, shape: Shape) -> SizedLink:
        """A candidate by runs until they are steady."""
        worst = self._worst(profile, shape)
        self._run(self._steady, steady_run, profile, list(dict.fromkeys((shape, worst))))
        whole, left = (
            min(
                (
                    self.figure(self._steady[key], self._layout(profile, each))
                    for key in self._keys(profile, each)
                ),
                key=lambda found: found.value,
            )
            for each in (shape, worst)
        )
        return SizedLink(
            profile.feature,
            len(shape),
            sum(shape),
            2 * len(shape),
            whole,
            left,
            odds_reached(left, self.wanted).percent,
            left.value >= self.wanted,
            format_layout(self._layout(profile, shape)),
            self.cards_of(profile.feature),
        )

    def cards_of(self, feature: str) -> str:
        """How the machines have a feature; nothing where none is said."""
        names = [each.machine for each in self.machines.values()]
        return str(card_on(feature, names)) if names else ""

    def figure(self, found: SteadyRun, layout: Layout) -> Figure:
        """What an end of a layout sends."""
        load, seen = Load(self.load.workload, self.load.pairs), found.result
        rate = link_rate(found.rate.mb_per_s, layout, load, seen.collisions_per_s)
        sender = NodeName(seen.node)
        return rate.of_run(end_to_count_on(found.rate, layout, sender), sender)

    def _layout(self, profile: ChpidProfile, shape: Shape) -> Layout:
        first, second = _FIRST_CHPIDS
        pairs = [(ChpidId(first + n), ChpidId(second + n)) for n in range(len(shape))]
        nodes = self.load.client, self.load.server
        numbers = _FIRST_RDEV, _FIRST_RDEV
        whole = layout_of(nodes, pairs, max(shape), [profile] * len(pairs), numbers)
        there = (
            ctc
            for ctc in whole.device_list()
            for place, number in [divmod(ctc.rdevs[0] - _FIRST_RDEV, RDEVS_PER_CHPID)]
            if number < shape[place]
        )
        placed = whole.with_ctcs(tuple(there)).with_fibres(self._fibre)
        return on_machines(placed, self.machines)

    def _fibre(self, fibre: Fibre) -> Fibre:
        """As long as it is to be; of two directors each has every other one."""
        if self.lost is not LostPiece.DIRECTOR:
            return replace(fibre, km=self.km)
        name = str(1 + (fibre.chpids[0] & 1))
        return replace(fibre, km=self.km, directors=(name, name))

    def _keys(self, profile: ChpidProfile, shape: Shape) -> list[_Key]:
        """The runs of a link: each end sends in one."""
        return [(_unnamed(profile), shape, node) for node in (self.load.client, self.load.server)]

    def _run(
        self,
        known: dict[_Key, _Figure],
        work: Callable[[Experiment], _Figure],
        profile: ChpidProfile,
        shapes: Sequence[Shape],
    ) -> None:
        """Run both directions of each link that has not been run."""
        keys = [key for shape in shapes for key in self._keys(profile, shape) if key not in known]
        experiments = [
            self._experiment(self._layout(profile, shape), node) for _, shape, node in keys
        ]
        for index, found in shared_out(work, experiments, self.jobs):
            known[keys[index]] = found
            self.progress(len(self._short) + len(self._steady))

    def _experiment(self, layout: Layout, node: NodeName) -> Experiment:
        load = self.load
        return Experiment.of(layout, load.workload, load.pairs, SHORT_S, WARMUP, client=node)

    def _run_each(self, work: Callable[[Any], Any], items: Sequence[Any], /) -> Sequence[Any]:
        found = dict(shared_out(work, items, self.jobs))
        return [found[index] for index in range(len(items))]


def short_run(experiment: Experiment) -> float:
    """MB/s that the client's node sends."""
    return run(experiment).result.mb_per_s_out
