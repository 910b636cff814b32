"""All rules, and what they find in a layout."""

from typing import Final

from isfc.layout.capacity import directions_of
from isfc.layout.layout import Collection, Layout
from isfc.layout.rules import chpids, clusters, numbers, speeds, writers
from isfc.layout.rules.rule import Finding, Judged

RULES: Final = (
    *chpids.RULES,
    *speeds.RULES,
    *writers.RULES,
    *numbers.RULES,
    *clusters.RULES,
)
"""In the order in which findings are listed: what a chpid calls for first, then the order."""


def find_all(
    layout: Layout, neighbours: tuple[Layout, ...] = (), collection: Collection | None = None
) -> tuple[Finding, ...]:
    """What the rules find in a layout, in their order.

    ``neighbours`` are the other links of its systems, with which it may share chpids;
    ``collection`` is the file that it is in, of which there are rules as well.
    """
    judged = Judged(layout, directions_of(layout), neighbours, collection)
    return tuple(
        Finding(rule, found.text, found.remedy or rule.remedy, found.fibres)
        for rule in RULES
        for found in rule.find(judged)
    )
