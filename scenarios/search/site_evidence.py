"""How near explanations of a site's figures come, by runs of several seeds.

A link may go on in one of two ways, as the seed has it: what was measured went one of them. So of
each interval those runs count that are nearest. What contends for the nearest is run again.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from math import exp
from typing import Any, Final

from isfc.layout.layout import Layout
from isfc.reports.figure import Unit
from isfc.reports.units import amount
from scenarios.search.site_fitted import Explanation, explain, log_off
from scenarios.search.site_rivals import Rival
from scenarios.search.site_search import SECONDS, FitInterval, Runs, Search, figures_of
from scenarios.search.site_surface import numpy, squares

SEEDS: Final = (1, 2, 3)
"""Of all explanations."""

MORE_SEEDS: Final = (4, 5, 6)
"""Of those that may be the nearest."""

CONTENDS: Final = 30.0
"""How far behind the nearest, by AICc, one may be the nearest with more seeds. Chosen."""

ALIKE: Final = 2.0
"""Runs of one layout and load go the same way if their squares differ by less. Chosen."""

UNLIKE: Final = 0.2
"""How far Conn of fibres may part beside a fit, as a logarithm. Chosen: noise leaves a quarter."""


class Evidence:
    """Runs of explanations beside the figures of a search, which are ``known`` so well."""

    def __init__(self, search: Search, known: Any, runs: Runs) -> None:
        self._search, self._known, self._runs = search, known, runs
        self._spans = [*pairwise(accumulate(search.counts, initial=0))]

    def off(self, wanted: Sequence[tuple[Layout, FitInterval]], seed: int = 1) -> list[Any]:
        """How far one run of each is off, as logarithms of its figures."""
        calls = [partial(figures_of, at, one, SECONDS, seed) for at, one in wanted]
        return [numpy.array([*map(log_off, each)]) for each in self._runs.each(calls)]

    def nearer(self, *every: Any) -> Any:
        """Those of some unknowns whose runs are nearest."""
        wanted = [
            Rival("", self._search.at(logs), self._search.loads(logs), 0, self._search.layout)
            for logs in every
        ]
        off = [squares(each / self._known) for each in self._nearest(wanted, SEEDS)]
        return every[off.index(min(off))]

    def explained(self, rivals: Sequence[Rival]) -> list[Explanation]:
        """How near each comes over all intervals, where noise is what the nearest leaves."""
        off = self._nearest(rivals, SEEDS)
        first = self._ranked(rivals, off)
        most = min(each.aicc for each in first) + CONTENDS
        again = [i for i, each in enumerate(first) if i == 0 or each.aicc < most]
        chosen = [rivals[index] for index in again]
        for index, found in zip(again, self._nearest(chosen, (*SEEDS, *MORE_SEEDS)), strict=True):
            off[index] = found
        return self._ranked(rivals, off)

    def _ranked(self, rivals: Sequence[Rival], off: Sequence[Any]) -> list[Explanation]:
        least = min(squares(each / self._known) for each in off)
        known = self._known * max(1.0, (least / len(self._known)) ** 0.5)
        return [
            explain(each.what, its, known, each.fitted)
            for each, its in zip(rivals, off, strict=True)
        ]

    def _nearest(self, rivals: Sequence[Rival], seeds: Sequence[int]) -> list[Any]:
        """Of each, how far all figures are off, by the seeds that are nearest."""
        wanted = [(each.at, one) for each in rivals for one in each.intervals]
        by_seed = [self.off(wanted, seed) for seed in seeds]
        nearest = []
        for place, runs in enumerate(zip(*by_seed, strict=True)):
            known = self._known[slice(*self._spans[place % len(self._spans)])]
            far = [squares(run / known) for run in runs]
            alike = [run for run, its in zip(runs, far, strict=True) if its <= ALIKE * min(far)]
            nearest.append(numpy.mean(alike, axis=0))
        step = len(self._spans)
        return [numpy.concatenate(nearest[i : i + step]) for i in range(0, len(nearest), step)]

    def unlike(self, nearest: Rival) -> Iterator[str]:
        """Where CTCs of one fibre are slower than beside the nearest, of another faster."""
        (off,) = self._nearest([nearest], SEEDS)
        layout, conn = nearest.at, dict[str, list[float]]()
        fibres = {
            (str(node), name): ctc.fibre.name
            for ctc in layout.ctcs
            for node, name in zip(layout.nodes, ctc.rdev_names, strict=True)
        }
        for (node, of, measure), each in zip(self._search.places, off, strict=True):
            if measure == "conn_ms":
                conn.setdefault(fibres[node, of], []).append(float(each))
        means = {name: sum(each) / len(each) for name, each in conn.items() if len(each) > 1}
        if means and max(means.values()) - min(means.values()) > UNLIKE:
            said = (f"{amount(100 * (exp(-x) - 1), Unit.CHANGE)} on {n}" for n, x in means.items())
            yield (
                f"fibres are not alike: Conn is {', '.join(said)} beside {nearest.what}, and "
                "none of the causes that are tried makes one slower than another"
            )
