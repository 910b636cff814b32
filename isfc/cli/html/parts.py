"""The parts of pages that are made in Python: figures with their ranges, tables, details."""

from collections.abc import Iterable, Sequence
from typing import Final

from markupsafe import Markup, escape

from isfc.cli.html.template import macro
from isfc.cli.output.ranges import plain
from scenarios.figures.certainty import Range

_PARTS: Final = "html/parts.html"


def ranged(shown: str, within: Range | None, most: float) -> Markup:
    """A figure with its range in four of five cases, in digits and as a bar of 0 to ``most``."""
    if within is None:
        return escape(shown)
    likely = within.likely
    ends = (100 * min(1.0, end / (most or 1.0)) for end in (likely.low, within.value, likely.high))
    return macro(_PARTS, "bar", shown, plain(likely), *ends)


def greatest(ranges: Iterable[Range | None]) -> float:
    """The upper end of all ranges: where their bars end."""
    return max((each.likely.high for each in ranges if each is not None), default=0.0)


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """A table with a caption, which can be scrolled where the page is narrow."""
    return macro(_PARTS, "table", caption, heads, rows)


def details(summary: str, content: str) -> Markup:
    """What is shown when it is asked for."""
    return macro(_PARTS, "details", summary, content)
