"""Fitting a site profile: the few constants that a site's figures identify, by least squares.

It is to intervals in which the link was busy, and not to too many. `scenarios.search.site_search`
finds the constants, and with them what ran where nobody says it. What the figures do not tell stays
at 1 in the end; then figures are held back, other explanations are held beside the fit, and
`scenarios.search.site_fitted` says whether it is to be believed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import log
from statistics import median
from typing import Any, Final

from isfc.errors import ConfigurationError
from isfc.errors.loading import check_library
from isfc.layout.layout import Layout, layout_kind, with_site
from isfc.layout.site import CONSTANTS, FitErrors, SiteProfile
from isfc.link.parameters import LinkParameters
from isfc.link.scan import CTCS_MAX
from isfc.reports.figure import Unit
from isfc.reports.units import amount, shown
from isfc.site.seen import SeenInterval
from scenarios.figures.site_compare import BUSY_LEAST, MeasuredFigure
from scenarios.figures.site_workload import QuietLink, check_busy, derive
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import constants_digest
from scenarios.search import site_fitted, site_search
from scenarios.search.site_fitted import Explanation, Fitted, HeldBack, explain, predicted_apart
from scenarios.search.site_search import FitInterval, Runs, Search, figures_of, skewed
from scenarios.search.site_surface import TRANSFER, numpy, unknowns

INTERVALS_MAX: Final = 8
"""Intervals that a fit is to at most. Chosen: so it takes less than two minutes, and a few loads
tell what there is to be told."""


def intervals_of(
    layout: Layout, seen: Iterable[SeenInterval], runs: Runs
) -> tuple[list[FitInterval], list[str]]:
    """What can be fitted to, and in words what is left out.

    That are intervals of a quiet link and, if there are others, of a light load. Of more than
    `INTERVALS_MAX` some are taken, from the least busy to the busiest.
    """
    left_out, usable = list[str](), list[SeenInterval]()
    for one in seen:
        try:
            check_busy(one)
            usable.append(one)
        except QuietLink as error:
            left_out.append(str(error))
    chosen = _spread(usable)
    if len(chosen) < len(usable):
        left_out.append(
            f"fitted to {len(chosen)} of {len(usable)} intervals, from the least busy to the "
            "busiest"
        )
    found = []
    for taken in runs.each([partial(_taken, layout, one) for one in chosen]):
        if isinstance(taken, FitInterval):
            found.append(taken)
        elif isinstance(taken, QuietLink):  # device rows were busy, with no message
            left_out.append(str(taken))
        else:
            raise taken
    busy = [each for each in found if not each.derived.is_light]
    if not busy:
        return found, left_out
    left_out += [
        f"{each.seen.place}: left out: {each.derived.uncertain[0]}"
        for each in found
        if each.derived.is_light
    ]
    return busy, left_out


def _taken(layout: Layout, one: SeenInterval) -> FitInterval | ConfigurationError:
    """An interval and what it is taken to be, or why not: an error ends another process."""
    try:
        return FitInterval(one, derive(layout, one))
    except ConfigurationError as error:
        return error


def _spread(intervals: Sequence[SeenInterval]) -> list[SeenInterval]:
    """At most `INTERVALS_MAX` of the intervals, evenly over how busy the link was."""
    if len(intervals) <= INTERVALS_MAX:
        return [*intervals]
    ranked = sorted(range(len(intervals)), key=lambda index: _busy(intervals[index]))
    step = (len(ranked) - 1) / (INTERVALS_MAX - 1)
    chosen = sorted(ranked[round(place * step)] for place in range(INTERVALS_MAX))
    return [intervals[index] for index in chosen]


def _busy(interval: SeenInterval) -> tuple[float, float]:
    """How busy a link was: MB/s if they are known, and percent busy of its devices."""
    one = interval.ends[0].measurement
    rate = sum(link.written.mb_per_s + link.read.mb_per_s for link in one.links)
    return rate, sum(device.busy_percent or 0.0 for device in one.devices)


JUDGED_SECONDS: Final = 1.0
"""Virtual time of the runs that judge what was held back."""

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
    )
    held_back = 2 * CTCS_MAX + 2 if intervals == 1 else intervals
    features = len({fibre.profile.feature for fibre in layout.fibres})
    return (
        intervals * ((1 if is_told else 2) * points + 2)
        + held_back
        + site_fitted.runs_at_most(intervals, features)
        + (1 + site_fitted.CAUSES) * site_fitted.PREDICTED_RUNS
    )


def fit(layout: Layout, intervals: Sequence[FitInterval], runs: Runs) -> Fitted:
    """The profile that fits ``intervals`` best. Without any it leaves the model as it is.

    Where nobody says what ran, and no number of pairs is near, messages may have come at times of
    their own: an open load. Raises `ConfigurationError` where scipy is missing.
    """
    check_library("scipy", "isfc measured fit")
    features = tuple(dict.fromkeys(fibre.profile.feature for fibre in layout.fibres))
    model = constants_digest(LinkParameters(), GuestCosts())
    blank = SiteProfile(NAME, {}, features, len(intervals), model, layout=layout_kind(layout))
    wide = site_fitted.constants_off({}, [WITHIN * float(each) for each in unknowns().prior])
    if not intervals:
        return Fitted(blank, wide)
    search = Search(layout, intervals, blank, runs)
    if not search.groups:
        blank = replace(blank, loads=_loads(intervals), doubts=(_NOTHING_JUDGED,))
        return Fitted(blank, wide)
    found = _Fit(search, runs)
    if found.misfit > NOISY and any(one.has_pairs for one in intervals):
        as_open = [one.as_open() if one.has_pairs else one for one in intervals]
        found = min(
            found, _Fit(Search(layout, as_open, blank, runs), runs), key=lambda each: each.misfit
        )
    return found.judged()


_NOTHING_JUDGED: Final = (
    f"no figure tells anything: no CTC was busy for {BUSY_LEAST:g} %, and nothing was said of the "
    "link's activity"
)

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
        self._intervals = search.loads(self._logs)

    def judged(self) -> Fitted:
        """Hold back one interval, or device, after the other, and other explanations beside it."""
        near, told, misfit = self._near, self._told, self.misfit
        held = self._held_back()
        as_taken = self._figures([(self._layout, one) for one in self._search.intervals])
        covariance = near.covariance(misfit)
        size = len(CONSTANTS)
        profile = replace(
            self._search.profile(self._logs, told),
            loads=_loads(self._intervals),
            held_back=_errors([figure for each in held for figure in each.figures]),
            before=_errors([figure for figures in as_taken for figure in figures]),
            covariance=tuple(tuple(map(float, row[:size])) for row in covariance[:size]),
        )
        off = [WITHIN * float(each) for each in near.spread(misfit)[:size]]
        skew = skewed(self._search, near, told, self._logs, misfit, WITHIN)
        inferred = any(one.is_unknown for one in self._intervals)
        doubts = [
            *self._of_loads(covariance),
            *self._said(),
            *site_fitted.doubts_of(profile, held, misfit, self._outlier(), inferred=inferred),
        ]
        known = near.known * min(max(1.0, misfit), NOISY)
        own, rivals, better = self._beside(profile, known)
        if better:
            doubts.append(better)
        elif doubts:
            doubts += self._other_workloads(profile, known)
        notes = [
            f"the line takes {amount(factor, Unit.TIMES)} what the layout's feature has: is the "
            "feature right, and the channel the link's alone? Nearest of one cause is "
            f"{site_fitted.named(rivals)}"
            for name, factor in profile.factors.items()
            if name == "line" and abs(log(factor)) > site_fitted.APART_MIN
        ]
        ranked = sorted((own, *rivals), key=lambda each: each.aicc)
        constants = site_fitted.constants_off(profile.factors, off, skew)
        profile = replace(profile, doubts=tuple(doubts))
        return Fitted(profile, constants, misfit, tuple(ranked), tuple(notes))

    def _held_back(self) -> list[HeldBack]:
        """Of each group its figures, by the fit to the rest; what ran is as all figures tell it."""
        names = [*dict.fromkeys(self._search.groups)]
        sites = [self._site(self._near.best(self._moved, self._but(name))) for name in names]
        alone = len(self._intervals) == 1
        one_each = [self._intervals[0 if alone else int(name)] for name in names]
        found = self._figures([*zip(sites, one_each, strict=True)])
        return [
            HeldBack(
                self._seat(name),
                [each for each in figures if not alone or site_search.group_of(each) == name],
            )
            for name, figures in zip(names, found, strict=True)
        ]

    def _site(self, logs: Any) -> Layout:
        return with_site(self._layout, self._search.profile(logs))

    def _but(self, name: str) -> list[bool]:
        """Which figures are left without a group."""
        return [*map(name.__ne__, self._search.groups)]

    def _beside(
        self, profile: SiteProfile, known: Any
    ) -> tuple[Explanation, list[Explanation], str]:
        """The fit as an explanation, its rivals, and in words what is as good and matters."""
        at_site = with_site(self._layout, profile)
        moved = sum(factor != 1.0 for factor in profile.factors.values())
        others = [(what, at, 0) for what, at in site_fitted.other_features(self._layout)]
        found = [
            (what, self._site(at), fitted)
            for what, at, fitted in site_fitted.causes(self._near, self._told)
        ]
        own, *rivals = self._explained([("the fit", at_site, moved), *others, *found], known)
        features, apart = rivals[: len(others)], rivals[len(others) :]
        as_good = [
            (each, at)
            for each, (_, at, _) in zip(apart, found, strict=True)
            if _explains([each], own.aicc + site_fitted.AS_GOOD)
        ]
        doubt = ""
        if _explains(features, own.aicc + site_fitted.AS_GOOD):
            doubt = (
                f"these figures look like {site_fitted.named(features)}; the fit is off by "
                f"{own.off}: correct the layout, if that is what is there"
            )
        elif as_good and (
            elsewhere := predicted_apart(at_site, [at for _, at in as_good], self._runs.each)
        ):
            doubt = (
                "these figures look as much like "
                f"{site_fitted.named([each for each, _ in as_good])} as like the fit, which is off "
                f"by {own.off}; and with that {elsewhere}: measure such a load as well, or say in "
                "the layout what is there"
            )
        return own, rivals, doubt

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

    def _other_workloads(self, profile: SiteProfile, known: Any) -> Iterator[str]:
        """Where another workload is nearer than that which is said to have run."""
        ends = numpy.cumsum([0, *self._search.counts])
        fitted = with_site(self._layout, profile)
        for index, one in enumerate(self._intervals[: site_fitted.INTERVALS_MAX]):
            if one.is_unknown:
                continue
            of_it = known[ends[index] : ends[index + 1]]
            others = [*site_fitted.other_workloads(one.derived)]
            runs = [(self._layout, FitInterval(one.seen, other)) for _, other in others]
            figures, *found = self._figures([(fitted, one), *runs], site_search.SECONDS)
            own = explain("", figures, of_it)
            rivals = [
                explain(what, each, of_it) for (what, _), each in zip(others, found, strict=True)
            ]
            best = min(rivals, key=lambda each: each.squares)
            if (
                best.squares < own.squares
                and best.off_percent < site_fitted.NEARER * own.off_percent
            ):
                yield (
                    f"{one.seen.place}: this looks like {site_fitted.named(rivals)}; as "
                    f"{one.derived} the fit is off by {own.off}: what ran?"
                )

    def _explained(
        self, explanations: Sequence[tuple[str, Layout, int]], known: Any
    ) -> list[Explanation]:
        """How near each comes over all intervals: in words, its layout, and constants fitted."""
        count = len(self._intervals)
        found = self._figures(
            [(layout, one) for _, layout, _ in explanations for one in self._intervals]
        )
        return [
            explain(
                what,
                [each for figures in found[count * row : count * (row + 1)] for each in figures],
                known,
                fitted,
            )
            for row, (what, _, fitted) in enumerate(explanations)
        ]

    def _figures(
        self, wanted: Sequence[tuple[Layout, FitInterval]], seconds: float = JUDGED_SECONDS
    ) -> list[list[MeasuredFigure]]:
        """The judged figures of intervals beside runs."""
        return self._runs.each([partial(figures_of, at, one, seconds, 1) for at, one in wanted])

    def _seat(self, name: str) -> str:
        """A group in words."""
        return name if len(self._intervals) == 1 else str(self._intervals[int(name)])


def _explains(rivals: Sequence[Explanation], evidence: float) -> bool:
    """Whether one of them has so much evidence, and is near at all."""
    best = min(rivals, key=lambda each: each.aicc)
    return best.aicc < evidence and best.off_percent < site_fitted.HELD_BACK_MAX


def _errors(figures: Sequence[MeasuredFigure]) -> FitErrors | None:
    off = [abs(figure.error_percent or 0.0) for figure in figures]
    return FitErrors(median(off), max(off)) if off else None
