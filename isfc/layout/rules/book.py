"""All rules, and what they find in a layout."""

from typing import Final

from msgspec.structs import replace

from isfc.errors.in_words import listed
from isfc.layout.capacity import directions_of
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.rules import chpids, clusters, numbers, speeds, writers
from isfc.layout.rules.rule import ChangedLayout, Finding, Judged, Severity, Untried

RULES: Final = (*chpids.RULES, *speeds.RULES, *writers.RULES, *numbers.RULES, *clusters.RULES)
"""In the order in which findings are listed: what a chpid calls for first, then the order."""


def find_all(
    layout: Layout, neighbours: tuple[Layout, ...] = (), collection: Collection | None = None
) -> tuple[Finding, ...]:
    """What the rules find in a layout, in their order.

    ``neighbours`` are the other links of its systems, with which it may share chpids;
    ``collection`` is the file that it is in, of which there are rules as well.
    """
    found = _find(layout, neighbours, collection)
    return tuple(_with_what_it_brings(finding, layout, found) for finding in found)


def find_in(collection: Collection) -> dict[str, tuple[Finding, ...]]:
    """The same of each link of a file, by its name."""
    return {
        link.name: find_all(link, collection.beside(link), collection) for link in collection.links
    }


def ways_of(finding: str) -> tuple[ChangedLayout, ...]:
    """The changes that a rule advises; none if it advises none, or there is no such rule."""
    trials = next((rule.trials for rule in RULES if rule.id == finding), ())
    return () if isinstance(trials, Untried) else trials


def _find(
    layout: Layout, neighbours: tuple[Layout, ...] = (), collection: Collection | None = None
) -> tuple[Finding, ...]:
    judged = Judged(layout, directions_of(layout), neighbours, collection)
    return tuple(
        Finding(rule, found.text, found.remedy or rule.remedy, found.fibres)
        for rule in RULES
        for found in rule.find(judged)
    )


def _with_what_it_brings(finding: Finding, layout: Layout, found: tuple[Finding, ...]) -> Finding:
    """The finding, whose remedy says which warnings it makes, if it makes any."""
    trials = finding.rule.trials
    known = {one.id for one in found}
    remedy, brings = finding.remedy, dict[str, None]()
    for trial in () if isinstance(trials, Untried) else trials:
        changed = trial.carried_out(layout)
        after = () if changed is None else _find(changed)
        new = dict.fromkeys(
            one.id for one in after if one.severity is Severity.WARNING and one.id not in known
        )
        if new:
            brings |= new
            done = trial.done[:1].upper() + trial.done[1:]
            remedy += f" {done} isfc check would warn of {listed(new)}."
    return replace(finding, remedy=remedy, brings=tuple(brings))
