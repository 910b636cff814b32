"""What to order for a link: the fewest chpids and CTCs that carry so much with one piece gone.

All chpids of a candidate are alike, and each has as many CTCs, numbered chpid by chpid as
`isfc new` does. So a link is as fast as its `Shape`, and what is left of one is another. Short runs
of one number of chpids after the other say where to look; runs until they are steady decide.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from ctc.address import ChpidId, Rdev
from ctc.features import CATALOGUE
from ctc.profiles import FEATURES, ChpidProfile, find_profile
from isfc.arguments import checked
from isfc.layout.capacity import FULL_CTC_COUNT
from isfc.layout.checked_toml import within
from isfc.layout.document import KM_MAX
from isfc.layout.in_words import check_between, check_known
from isfc.layout.layout import Fibre, Layout
from isfc.layout.new import RDEVS_PER_CHPID, layout_of, read_nodes
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX
from isfc.search.sized import LinkSizing, LostPiece, Shape, SizedLink
from isfc.search.workers import shared_out
from scenarios.figures.certainty import odds_reached
from scenarios.figures.figure import Figure
from scenarios.figures.limit import Limit, find_limit
from scenarios.figures.ranges import link_rate
from scenarios.runs.experiment import Experiment
from scenarios.runs.load import Load
from scenarios.runs.result import MIB
from scenarios.runs.run import run
from scenarios.runs.saturation import SATURATING_PAIRS, SUITE
from scenarios.runs.steady import SteadyRun, steady_run
from scenarios.runs.warmup import WARMUP
from scenarios.runs.workload import LinkLoad, Workload, find_workload

CTCS_ON_CHPID_MAX: Final = 5
"""More on a chpid carry no more (published: IBM's report on ISFC, "more than four to five")."""

SHORT_S: Final = 0.5
"""Virtual seconds of the runs that say where to look."""

SHORT_SHARE: Final = 0.95
"""What a short run puts below this share of what is wanted is not run longer. Chosen: of 400 rates
so short a run is off by more than 3 % in two (`scenarios.runs.warmup`)."""

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


DEFAULT_FEATURES: Final = tuple(
    {_unnamed(FEATURES[each.name]): each.name for each in CATALOGUE if each.has_router}.values()
)
"""The latest of each kind that differs for CTCs. Chosen: of those since FICON Express8S."""


@checked
def size(
    mb_per_s: float,
    *,
    lost: str = "chpid",
    feature: Sequence[str] = (),
    km: float = 0.0,
    workload: Workload | str = SUITE,
    pairs: int = SATURATING_PAIRS,
    systems: str = "ATLANTA,BOSTON",
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> LinkSizing:
    """The fewest chpids and CTCs that carry so many MB/s (2^20) each way, as `isfc size` has them.

    ``lost`` is what is gone then: ``none``, ``ctc``, ``chpid`` or ``director``. Those of
    ``feature`` are looked at, or those since FICON Express8S if none is named. ``jobs`` processes
    share the runs, and ``progress`` is told how many there have been. Raises `ConfigurationError`
    for what is unknown or out of bounds.
    """
    check_between("mb_per_s", mb_per_s, 1, MB_PER_S_MAX)
    check_between("km", km, 0, KM_MAX)
    check_between("jobs", jobs, 1, 1024)
    check_known("lost", lost, LostPiece)
    with within("feature"):
        profiles = list(dict.fromkeys(map(find_profile, feature or DEFAULT_FEATURES)))
    with within(f"systems {systems[:40]!r}"):
        first, second = read_nodes(systems)
    search = _Search(
        mb_per_s,
        LostPiece(lost),
        km,
        LinkLoad(first, second, find_workload(workload), pairs),
        lambda work, items: shared_out(work, items, jobs),
        progress or (lambda _: None),
    )
    links = tuple(link for profile in profiles for link in search.links(profile))
    found = LinkSizing(mb_per_s, search.lost, km, search.load, links, None)
    return found if found.best else replace(found, limit=search.limit(found.most))


_Figure = TypeVar("_Figure")
_Key = tuple[ChpidProfile, Shape, NodeName]
"""A run: what its chpids are, what is on them, and the end that sends."""


class _Search:
    """The runs of all features so far, each once."""

    def __init__(
        self,
        wanted: float,
        lost: LostPiece,
        km: float,
        load: LinkLoad,
        share_out: Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[tuple[int, Any]]],
        progress: Callable[[int], None],
    ) -> None:
        self.lost, self.load = lost, load
        self._wanted, self._km = wanted, km
        self._share_out, self._progress = share_out, progress
        self._short: dict[_Key, float] = {}
        self._steady: dict[_Key, SteadyRun] = {}

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
        profile = link.layout.fibres[0].profile
        counts = [
            sum(ctc.fibre == fibre for ctc in link.layout.ctcs) for fibre in link.layout.fibres
        ]
        left = self._layout(profile, self._worst(profile, tuple(counts)))
        return find_limit(
            self._experiment(left, link.left.sender or self.load.client),
            self._run_each,
            steady_mb_per_s=link.left.value,
        )

    def _least(self, profile: ChpidProfile) -> int:
        """The fewest chpids that could carry it, if only their lines and data processors counted.

        As many as a link can have with four CTCs each where none could.
        """
        fastest = 1e9 / max(profile.line_ns_per_byte, profile.processor_ns_per_byte) / MIB
        for chpids in range(1, CTCS_MAX + 1):
            for shape in self._shapes(chpids):
                if min(map(len, self.lost.left_of(shape))) * fastest >= self._wanted:
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
        return min(self._short[key] for key in self._keys(profile, shape))

    def _first(self, profile: ChpidProfile, carried: dict[Shape, float]) -> SizedLink | None:
        """The first that carries what is wanted, of those that come near it."""
        near = (each for each in carried if carried[each] >= SHORT_SHARE * self._wanted)
        sized = (self._sized(profile, shape) for shape in near)
        return next((one for one in sized if one.left.value >= self._wanted), None)

    def _sized(self, profile: ChpidProfile, shape: Shape) -> SizedLink:
        """A candidate by runs until they are steady."""
        worst = self._worst(profile, shape)
        self._run(self._steady, steady_run, profile, list(dict.fromkeys((shape, worst))))
        whole, left = (
            min(
                (self._steady[key] for key in self._keys(profile, each)),
                key=lambda found: found.rate.mb_per_s,
            )
            for each in (shape, worst)
        )
        layout = self._layout(profile, shape)
        known = self._figure(left, self._layout(profile, worst))
        odds = odds_reached(known, self._wanted)
        return SizedLink(layout, self._figure(whole, layout), known, odds)

    def _figure(self, found: SteadyRun, layout: Layout) -> Figure:
        load, seen = Load(self.load.workload, self.load.pairs), found.result
        rate = link_rate(found.rate.mb_per_s, layout, load, seen.collisions_per_s)
        return rate.of_run(found.rate, NodeName(seen.node))

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
        return whole.with_ctcs(tuple(there)).with_fibres(self._fibre)

    def _fibre(self, fibre: Fibre) -> Fibre:
        """As long as it is to be; of two directors each has every other one."""
        if self.lost is not LostPiece.DIRECTOR:
            return replace(fibre, km=self._km)
        name = str(1 + (fibre.chpids[0] & 1))
        return replace(fibre, km=self._km, directors=(name, name))

    def _keys(self, profile: ChpidProfile, shape: Shape) -> list[_Key]:
        """The runs of a link: each end sends in one."""
        alike = _unnamed(profile)
        return [(alike, shape, node) for node in (self.load.client, self.load.server)]

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
        for index, found in self._share_out(work, experiments):
            known[keys[index]] = found
            self._progress(len(self._short) + len(self._steady))

    def _experiment(self, layout: Layout, node: NodeName) -> Experiment:
        load = self.load
        return Experiment.of(layout, load.workload, load.pairs, SHORT_S, WARMUP, client=node)

    def _run_each(self, work: Callable[[Any], Any], items: Sequence[Any], /) -> Sequence[Any]:
        found = dict(self._share_out(work, items))
        return [found[index] for index in range(len(items))]


def short_run(experiment: Experiment) -> float:
    """MB/s that the client's node sends."""
    return run(experiment).result.mb_per_s_out
