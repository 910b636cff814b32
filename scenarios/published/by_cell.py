"""What was emulated of each published figure, and how far seeds differ there."""

from collections import defaultdict
from collections.abc import Iterable

from scenarios.published.replay import Comparison
from scenarios.runs.repeat import spread_percent

Cell = tuple[str, str, str]
"""A published figure: its table, key and measure."""


def figures_by_cell(comparisons: Iterable[Comparison]) -> dict[Cell, list[float]]:
    """What was emulated of each published figure, once for each seed."""
    figures: dict[Cell, list[float]] = defaultdict(list)
    for comparison in comparisons:
        cell = comparison.table, comparison.key, comparison.measure
        figures[cell].append(comparison.emulated)
    return figures


def spreads_by_cell(comparisons: Iterable[Comparison]) -> dict[Cell, float | None]:
    """`spread_percent` of what was emulated of each published figure."""
    return {cell: spread_percent(values) for cell, values in figures_by_cell(comparisons).items()}
