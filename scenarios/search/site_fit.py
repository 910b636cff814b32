"""Fitting a site profile: the few constants that a site's figures identify, by least squares.

`scenarios.search.site_search` finds the constants, and with them what ran where nobody says it.
What the figures do not tell stays at 1 in the end; then figures are held back, other explanations
are held beside the fit, and `scenarios.search.site_fitted` says whether it is to be believed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import log
from statistics import median
from typing import Any, Final

from isfc.layout.layout import Layout, layout_kind, with_site
from isfc.layout.site import CONSTANTS, FitErrors, SiteProfile
from isfc.layout.write import format_layout
from isfc.link.parameters import LinkParameters
from isfc.link.scan import CTCS_MAX
from isfc.reports.figure import Unit
from isfc.reports.units import amount, shown
from scenarios.figures.site_compare import BUSY_LEAST, MeasuredFigure
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import constants_digest
from scenarios.search import site_fitted, site_rivals, site_search
from scenarios.search.site_evidence import SEEDS, Evidence
from scenarios.search.site_fitted import Explanation, Fitted, HeldBack, explain, predicted_apart
from scenarios.search.site_rivals import Rival
from scenarios.search.site_search import FitInterval, Runs, Search, figures_of
from scenarios.search.site_skew import skewed
from scenarios.search.site_surface import TRANSFER, numpy, unknowns

JUDGED_SECONDS: Final = 1.0
"""Virtual time of the runs that judge what was held back."""

LINE_MIN: Final = 0.1
"""How far the line is apart from the processor, as a logarithm, to be worth a word. Chosen."""

OUTLIER: Final = 0.6
"""Share of the misfit that is left without the interval that is named for it. Chosen."""

NOISY: Final = 2.0
"""Misfit up to which more noise than expected explains it, where explanations are held beside each
other. Chosen: noise of 5 % where 2 % are expected."""

WITHIN: Final = 2.0
"""Standard deviations that an uncertainty is given as: 95 % of such intervals hold the constant."""

ALIKE: Final = 0.1
"""How far the transfer's factor may go with pairs that do as well, as a logarithm, for these not to
matter. Chosen: the noise of a short measurement leaves half of it."""


def runs_of(layout: Layout, intervals: int, *, is_told: bool) -> int:
    """How many runs a fit to so many intervals takes at most, if it is said what ran."""
    points = (
        1
        + sum(count for _, count in site_search.ROUNDS)
        + site_search.AGAIN_MAX * (site_search.ROUNDS[0][1] + site_search.AT_EDGE[1])
        + site_search.AGAIN_MAX * site_search.BESIDE[-1][1]
        + 2 * len(SEEDS)
    )
    held_back = len(SEEDS) * ((2 * CTCS_MAX + 2 if intervals == 1 else intervals) + intervals)
    features = len({fibre.profile.feature for fibre in layout.fibres})
    return (
        intervals * ((1 if is_told else 2) * points + site_rivals.RUNS)
        + held_back
        + site_fitted.runs_at_most(intervals, features)
        + (1 + site_rivals.NEAREST) * site_fitted.PREDICTED_RUNS
    )


def fit(
    layout: Layout,
    intervals: Sequence[FitInterval],
    runs: Runs,
    written: Callable[[Layout], str] = format_layout,
) -> Fitted:
    """The profile that fits ``intervals`` best. Without any it leaves the model as it is.

    ``written`` makes the file of a layout that explains them better.

    Where nobody says what ran, and no number of pairs is near, messages may have come at times of
    their own: an open load.
    """
    features = tuple(dict.fromkeys(fibre.profile.feature for fibre in layout.fibres))
    model = constants_digest(LinkParameters(), GuestCosts())
    blank = SiteProfile(NAME, {}, features, len(intervals), model, layout=layout_kind(layout))
    wide = site_fitted.constants_off({}, [WITHIN * float(each) for each in unknowns().prior])
    if not intervals:
        return Fitted(blank, wide)
    search = Search(layout, intervals, blank, runs).begun()
    if not search.groups:
        blank = replace(blank, loads=_loads(intervals), doubts=(_NOTHING_JUDGED,))
        return Fitted(blank, wide)
    found = _Fit(search, runs)
    if found.misfit > NOISY and any(one.has_pairs for one in intervals):
        as_open = [one.as_open() if one.has_pairs else one for one in intervals]
        found = min(
            found,
            _Fit(Search(layout, as_open, blank, runs).begun(), runs),
            key=lambda each: each.misfit,
        )
    return found.judged(written)


_NOTHING_JUDGED: Final = (
    f"no figure tells anything: no CTC was busy for {BUSY_LEAST:g} %, and nothing was said of the "
    "link's activity"
)

_UNEXPLAINED: Final = (
    "none of the causes that are tried explains it: another feature, length or line of the fibres, "
    "disks beside, slower starts of I/Os, guests that need time"
)
_NO_LAYOUT: Final = "no layout can say that, and a fit in its place predicts other loads wrongly"

NAME: Final = "site"
"""What a profile is called until it has a file."""


def _loads(intervals: Sequence[FitInterval]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.derived.load for one in intervals))


class _Fit:
    """What a search has found, and whether it is to be believed."""

    def __init__(self, search: Search, runs: Runs) -> None:
        self._search, self._runs, self._layout = search, runs, search.layout
        self._near, self._told = search.find()
        self._moved = self._near.moved(self._told)
        self._logs = self._near.best(self._moved)
        self.misfit = self._near.misfit(self._logs)
        # looked at as closely as a cause beside, which is else nearer for this alone
        close = search.around(self._logs, self._moved, site_search.BESIDE[-1:]).best(self._moved)
        self._evidence = Evidence(search, self._near.known, runs)
        self._logs = self._evidence.nearer(self._logs, close)
        self._intervals = search.loads(self._logs)

    def judged(self, written: Callable[[Layout], str]) -> Fitted:
        """Hold back one interval, or device, after the other, and other explanations beside it."""
        near, told, misfit = self._near, self._told, self.misfit
        held = self._held_back()
        model = [(self._layout, one) for one in self._search.intervals]
        as_taken = [self._figures(model, seed) for seed in SEEDS]
        with_it = [[f for each in run for f in each.figures] for run in held]
        without = [[f for figures in run for f in figures] for run in as_taken]
        covariance = near.covariance(misfit)
        size = len(CONSTANTS)
        profile = replace(
            self._search.profile(self._logs, told),
            loads=_loads(self._intervals),
            held_back=_errors([figure for run in with_it for figure in run]),
            before=_errors([figure for run in without for figure in run]),
            covariance=tuple(tuple(map(float, row[:size])) for row in covariance[:size]),
        )
        off = [WITHIN * float(each) for each in near.spread(misfit)[:size]]
        skew = skewed(self._search, near, told, self._logs, misfit, WITHIN)
        untrue = [
            *site_fitted.doubts_of(
                profile,
                held[0],
                misfit,
                self._outlier(),
                spread=max(_spread_of(with_it), _spread_of(without)),
                inferred=any(one.derived.is_inferred for one in self._intervals),
            )
        ]
        fitted = self._as_rival(profile)
        doubts = [*self._of_loads(covariance), *self._said(), *untrue]
        explanations, nearest, better = self._beside(fitted, is_untrue=bool(untrue))
        if any(one.derived.doubts for one in self._intervals):  # then it is no cause's work
            nearest, better = fitted, ""
        elif unlike := [*self._evidence.unlike(nearest)]:
            doubts, nearest, better = doubts + unlike, fitted, ""
        others = [*self._other_workloads(nearest)] if doubts or better else []
        doubts += others or [better] * bool(better) or [_UNEXPLAINED] * bool(untrue)
        notes = [
            f"the line takes {amount(factor, Unit.TIMES)} what the layout's feature has: see "
            "whether the feature is right, and the channel the link's alone"
            for name, factor in profile.factors.items()
            if name == "line" and abs(log(factor)) > LINE_MIN
        ]
        constants = site_fitted.constants_off(profile.factors, off, skew)
        profile = replace(profile, doubts=tuple(doubts))
        is_layout = nearest.is_layout and not others
        corrected = written(nearest.laid) if is_layout else None
        return Fitted(profile, constants, misfit, explanations, tuple(notes), corrected)

    def _held_back(self) -> list[list[HeldBack]]:
        """Of each run, and group, its figures by the fit to the rest.

        What ran is as all figures tell it.
        """
        names = [*dict.fromkeys(self._search.groups)]
        sites = [self._search.at(self._near.best(self._moved, self._but(each))) for each in names]
        alone = len(self._intervals) == 1
        one_each = [self._intervals[0 if alone else int(name)] for name in names]
        runs = [*zip(sites, one_each, strict=True)]
        return [
            [
                HeldBack(
                    self._seat(name),
                    [each for each in figures if not alone or site_search.group_of(each) == name],
                )
                for name, figures in zip(names, self._figures(runs, seed), strict=True)
            ]
            for seed in SEEDS
        ]

    def _but(self, name: str) -> list[bool]:
        """Which figures are left without a group."""
        return [*map(name.__ne__, self._search.groups)]

    def _as_rival(self, profile: SiteProfile) -> Rival:
        moved = sum(factor != 1.0 for factor in profile.factors.values())
        at_site = with_site(self._layout, profile)
        return Rival("the fit", at_site, self._intervals, moved, self._layout)

    def _beside(
        self, fitted: Rival, *, is_untrue: bool
    ) -> tuple[tuple[Explanation, ...], Rival, str]:
        """All explanations, the nearest as a rival, and in words what speaks against the fit.

        That is what is nearer than the fit, or as near where it matters. Beside one that
        ``is_untrue`` by its own figures, what is nearer need not be so by more than chance.
        """
        moved, at_site = fitted.fitted, fitted.at
        rivals = site_rivals.find_rivals(self._search, self._near, self._told, self._logs)
        if is_untrue:
            rivals.append(
                Rival("the model as it is", self._layout, self._intervals, 0, self._layout)
            )
        own, *found = self._evidence.explained([fitted, *rivals])
        by_cause: dict[object, tuple[Explanation, Rival]] = {}
        for each, rival in sorted(zip(found, rivals, strict=True), key=lambda it: it[0].aicc):
            by_cause.setdefault(rival.cause or rival.what, (each, rival))
        others = [each for each, _ in by_cause.values()]
        is_apart = at_site.site is not None and at_site.site.factors.get("line", 1.0) != 1.0
        own_aicc = own.aicc + site_fitted.APART * is_apart
        ranked = tuple(sorted((own, *others), key=lambda each: each.aicc))
        near = [
            (each, rival)
            for each, rival in by_cause.values()
            if each.off_percent < site_fitted.NEAR_MAX
            and each.aicc < own_aicc + (0.0 if is_untrue else _margin(rival.fitted, moved))
        ]
        if not near:
            return ranked, fitted, ""
        best, rival = min(near, key=lambda each: each[0].aicc)
        alike = best.aicc + site_fitted.AS_GOOD
        named = site_fitted.named([each for each, _ in near if each.aicc < alike])
        if is_untrue or best.aicc < own_aicc - site_fitted.AS_GOOD or not rival.fitted:
            doubt = f"these figures look like {named}; the fit is off by {own.off}"
            is_said = rival.is_layout or not rival.fitted
            return ranked, rival, doubt if is_said else f"{doubt}: {_NO_LAYOUT}"
        elsewhere = predicted_apart(at_site, [rival.at for _, rival in near], self._runs.each)
        doubt = (
            f"these figures look as much like {named} as like the fit, which is off "
            f"by {own.off}; and with that {elsewhere}: measure such a load as well, or say in "
            "the layout what is there"
        )
        return ranked, fitted, doubt if elsewhere else ""

    def _of_loads(self, covariance: Any) -> Iterator[str]:
        """Where pairs that do as well come to another speed of the link."""
        for index, place in self._search.unknown_loads.items():
            spread = float(covariance[place, place]) ** 0.5
            one = self._search.intervals[index]
            follows = abs(float(covariance[place, TRANSFER])) / spread
            if one.has_pairs and follows > ALIKE:
                low, high = (
                    one.scaled(float(self._logs[place]) + way * spread).derived.load
                    for way in (-1, 1)
                )
                yield (
                    f"{one.seen.place}: link activity does not tell how many pairs ran: {low} and "
                    f"{high} do as well, at other speeds of the link"
                )

    def _said(self) -> Iterator[str]:
        """Doubts of what is taken to have run."""
        for one in self._intervals:
            for doubt in one.derived.doubts:
                yield doubt if str(one.seen.place) in doubt else f"{one.seen.place}: {doubt}"
        alone = [not end.measurement.devices for one in self._intervals for end in one.seen.ends]
        if all(alone) and all(one.derived.is_inferred for one in self._intervals):
            yield (
                "link activity alone: fewer pairs show the same as a slower link: add the device "
                "rows of the intervals, or say what ran"
            )
        if all(one.derived.is_light for one in self._intervals):
            yield (
                "every load was light, messages at times of their own, and such a load tells "
                "little of the constants"
            )

    def _outlier(self) -> str:
        """The interval, or device, without which the rest is much nearer; empty without one."""
        near, names = self._near, [*dict.fromkeys(self._search.groups)]
        left = {}
        for name in names if len(names) > 2 else ():
            used = self._but(name)
            left[name] = near.misfit(near.best(self._told, used), used)
        name = min(left, key=left.__getitem__, default="")
        if not name or left[name] > OUTLIER * self.misfit:
            return ""
        off = shown(left[name], Unit.COUNT)
        return f"{self._seat(name)}, without which they are off by {off} times"

    def _other_workloads(self, nearest: Rival) -> Iterator[str]:
        """Where another workload is nearer than that which is said to have run."""
        ends = numpy.cumsum([0, *self._search.counts])
        for index, one in enumerate(nearest.intervals[: site_fitted.INTERVALS_MAX]):
            if one.derived.is_inferred:
                continue
            known = self._near.known[ends[index] : ends[index + 1]]
            others = [*site_fitted.other_workloads(self._intervals[index].derived)]
            runs = [(self._layout, FitInterval(one.seen, other)) for _, other in others]
            every = self._evidence.off([(nearest.at, one), *runs])
            own, *rivals = (
                explain(what, off, known)
                for what, off in zip(["", *(what for what, _ in others)], every, strict=True)
            )
            best = min(rivals, key=lambda each: each.squares)
            if (
                best.squares < own.squares
                and best.off_percent < site_fitted.NEARER * own.off_percent
            ):
                yield (
                    f"{one.seen.place}: this looks like {site_fitted.named(rivals)}; as "
                    f"{one.derived} {nearest.what} is off by {own.off}: what ran?"
                )

    def _figures(
        self, wanted: Sequence[tuple[Layout, FitInterval]], seed: int
    ) -> list[list[MeasuredFigure]]:
        """The judged figures of intervals beside runs."""
        calls = [partial(figures_of, at, one, JUDGED_SECONDS, seed) for at, one in wanted]
        return self._runs.each(calls)

    def _seat(self, name: str) -> str:
        """A group in words."""
        return name if len(self._intervals) == 1 else str(self._intervals[int(name)])


def _margin(fitted: int, moved: int) -> float:
    """How far behind a fit with ``moved`` constants a rival counts: with more it has to lead."""
    if not fitted:
        return site_fitted.AS_GOOD
    return site_fitted.AS_NEAR if fitted <= moved else -site_fitted.AS_GOOD


def _spread_of(runs: Sequence[Sequence[MeasuredFigure]]) -> float:
    """How far apart the median errors of runs are, in percent."""
    medians = [each.median for figures in runs if (each := _errors(figures)) is not None]
    return max(medians, default=0.0) - min(medians, default=0.0)


def _errors(figures: Sequence[MeasuredFigure]) -> FitErrors | None:
    off = [abs(figure.error_percent or 0.0) for figure in figures]
    return FitErrors(median(off), max(off)) if off else None
