"""How sure it is which row of a sweep is ahead: the odds of the best one over each other."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from isfc.search.grid import Cell
from isfc.search.sweep import Row
from scenarios.figures.certainty import Differs, Odds, odds_ahead
from scenarios.figures.ranges import link_ratio

_LOAD: Final = ("link", "workload", "pairs")
"""The axes that say what is run; all others but the seed say over what."""
_SEED: Final = "seed"

BEST: Final = "best"

Place = tuple[Any, ...]


def groups(rows: Sequence[Row], axes: Sequence[str]) -> dict[Place, list[Row]]:
    """The rows by their place on some axes, in the order in which the places first come."""
    found: dict[Place, list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[axis] for axis in axes), []).append(row)
    return found


def varying_axes(rows: Sequence[Row], axes: Sequence[str]) -> list[str]:
    """The axes that vary, but for the seed; the first if none does."""
    varying = [axis for axis in axes if axis != _SEED and len({row[axis] for row in rows}) > 1]
    return varying or [axes[0]]


def compared_in(varying: Sequence[str]) -> Differs | None:
    """What the rows differ in that are compared: layouts, else pairs, else workloads."""
    if any(axis not in (*_LOAD, _SEED) for axis in varying):
        return Differs.LAYOUT
    return {"pairs": Differs.PAIRS, "workload": Differs.WORKLOAD}.get(
        next((axis for axis in ("pairs", "workload") if axis in varying), "")
    )


def alike_in(varying: Sequence[str]) -> list[str]:
    """The axes on which rows that are compared are alike."""
    differs = compared_in(varying)
    compared = {Differs.PAIRS: ("pairs",), Differs.WORKLOAD: ("workload",)}.get(
        differs or Differs.LAYOUT, ()
    )
    return [axis for axis in _LOAD if axis in varying and axis not in compared]


def standings(
    groups: Mapping[Place, Sequence[Row]],
    cells: Sequence[Cell],
    rows: Sequence[Row],
    varying: Sequence[str],
) -> dict[Place, Odds | str]:
    """Of each place `BEST`, or the odds that the best one of the same load is ahead of it.

    It is empty where nothing is compared, and so is what is said of a place that is alone.
    """
    differs = compared_in(varying)
    if differs is None or len(groups) < 2:
        return {}
    layouts = {id(row): cell.experiment.layout for cell, row in zip(cells, rows, strict=True)}
    rates = {place: _mean(group) for place, group in groups.items()}
    alike = [varying.index(axis) for axis in alike_in(varying)]
    said: dict[Place, Odds | str] = {}
    for place, group in groups.items():
        same = [other for other in groups if all(other[n] == place[n] for n in alike)]
        best = max(same, key=lambda other: rates[other])
        if best == place:
            said[place] = BEST if len(same) > 1 else ""
        elif not rates[place]:
            said[place] = ""
        else:
            here, there = (layouts[id(first)] for first, *_ in (group, groups[best]))
            said[place] = odds_ahead(link_ratio(rates[best] / rates[place], here, there, differs))
    return said


def _mean(group: Sequence[Row]) -> float:
    return float(sum(row["mb_per_s"] for row in group) / len(group))
