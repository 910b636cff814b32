"""The judgement of a layout: who writes where, what that can carry, and what all rules find."""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked
from isfc.errors.in_words import grouped, listed
from isfc.layout.capacity import WriteDirection, directions_of
from isfc.layout.catalogue import AnyLayout, given_collection, given_link
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.rules.chpids import CHPID_RULES
from isfc.layout.rules.clusters import CLUSTER_RULES
from isfc.layout.rules.ctcs import CTC_RULES
from isfc.layout.rules.machines import MACHINE_RULES
from isfc.layout.rules.rule import ChangedLayout, Finding, Judged, LayoutRule, Severity, Untried
from isfc.layout.rules.speeds import SPEED_RULES
from isfc.link.scan import stop_short
from isfc.reports.figure import Reported

LAYOUT_RULES: Final[list[LayoutRule]] = [
    *(*CHPID_RULES, *SPEED_RULES, *CTC_RULES, *MACHINE_RULES, *CLUSTER_RULES)
]
"""In the order in which findings are listed: what a chpid calls for first, then the order."""


def find_all(
    layout: Layout, neighbours: tuple[Layout, ...] = (), collection: Collection | None = None
) -> tuple[Finding, ...]:
    """What the rules find in a layout, in their order.

    ``neighbours`` are the other links of its systems, with which it may share chpids;
    ``collection`` is the file that it is in, of which there are rules as well.
    """
    return _found_in(Judged(layout, directions_of(layout), neighbours, collection))


def find_in(collection: Collection) -> dict[str, tuple[Finding, ...]]:
    """The same of each link of a file, by its name."""
    return {
        link.name: find_all(link, collection.beside(link), collection) for link in collection.links
    }


def ways_of(finding: str) -> tuple[ChangedLayout, ...]:
    """The changes that a rule advises; none if it advises none, or there is no such rule."""
    trials = next((rule.trials for rule in LAYOUT_RULES if rule.id == finding), ())
    return () if isinstance(trials, Untried) else trials


def _found_in(judged: Judged) -> tuple[Finding, ...]:
    found = found_by(LAYOUT_RULES, judged)
    return tuple(_with_what_it_brings(finding, judged.layout, found) for finding in found)


def found_by(rules: Iterable[LayoutRule], judged: Judged) -> tuple[Finding, ...]:
    """What some rules find, in their order."""
    return tuple(
        Finding(rule, found.text, found.remedy or rule.remedy, found.fibres)
        for rule in rules
        for found in rule.find(judged)
    )


def _with_what_it_brings(finding: Finding, layout: Layout, found: tuple[Finding, ...]) -> Finding:
    """The finding, whose remedy says which warnings it makes, if it makes any."""
    trials = finding.rule.trials
    known = {one.id for one in found}
    remedy, brings = finding.remedy, dict[str, None]()
    for trial in () if isinstance(trials, Untried) else trials:
        changed = trial.carried_out(layout)
        if changed is None:
            continue
        after = found_by(LAYOUT_RULES, Judged(changed, directions_of(changed)))
        new = dict.fromkeys(
            one.id for one in after if one.severity is Severity.WARNING and one.id not in known
        )
        if new:
            brings |= new
            done = trial.done[:1].upper() + trial.done[1:]
            remedy += f" {done} isfc check would warn of {listed(new)}."
    return replace(finding, remedy=remedy, brings=tuple(brings))


class Plan(Reported, Struct, frozen=True):
    """How two systems would use a layout; ``directions`` has the first node's, the second's.

    ``advice`` is all that `isfc.layout.rules` find.
    """

    reported_by = "isfc.answers.plan_link.judgement_report"

    layout: Layout
    directions: tuple[WriteDirection, WriteDirection]
    advice: tuple[Finding, ...]

    @property
    def stop_short(self) -> int:
        """How many CTCs at the end of its scan each node leaves to its partner."""
        return stop_short(len(self.layout.ctcs))

    def ways(self, finding: str) -> dict[int, str]:
        """How a finding's advice may be carried out: the numbers of the ways, and their words.

        Ways that cannot be gone with these CTCs are left out, and those that change nothing.
        `isfc.TakeAdvice` takes the number.
        """
        fibres = [ctc.fibre for ctc in self.layout.device_list()]
        changed = {number: way.change(fibres) for number, way in enumerate(ways_of(finding))}
        return {
            number: ways_of(finding)[number].done
            for number, down in changed.items()
            if down is not None and [*down] != fibres
        }

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each node and chpid that it writes on, as a data frame takes them."""
        return [
            {
                "sender": way.sender,
                "chpid": format_chpid(use.chpid),
                "fibre": use.fibre.name,
                "feature": use.fibre.profile.feature,
                "link_gbps": use.fibre.gbps,
                "km": use.fibre.km,
                "write_ctcs": use.ctc_count,
                "estimated_mb_per_s": use.mb_per_s,
            }
            for way in self.directions
            for use in way.chpids
        ]

    def to_dict(self) -> dict[str, Any]:
        """What ``isfc plan --json`` prints without a run; names and meanings of the keys stay."""
        ways = self.directions
        return {
            "nodes": dict(zip(("first", "second"), self.layout.nodes, strict=True)),
            "stop_short": self.stop_short,
            "write_order": {way.sender: [*map(format_rdev, way.write_order)] for way in ways},
            "exclusive": {way.sender: [*map(format_rdev, way.exclusive)] for way in ways},
            "chpids": grouped((row.pop("sender"), row) for row in self.rows()),
            "estimated_mb_per_s": {way.sender: way.estimated_mb_per_s for way in ways},
            "advice": [each.to_dict() for each in self.advice],
        }

    def __repr__(self) -> str:
        rates = " and ".join(str(way.estimated_mb_per_s) for way in self.directions)
        title = " - ".join(self.layout.nodes)
        return f"<Plan {title}: {rates} MB/s by rule, {len(self.advice)} findings>"

    def _repr_html_(self) -> str:
        """The drawing, and what ``isfc plan --rule`` says, for a notebook."""
        return self.layout._repr_html_() + Reported._repr_html_(self)


@checked
def make_plan(
    layout: AnyLayout, neighbours: tuple[Layout, ...] = (), collection: Collection | None = None
) -> Plan:
    """Judge ``layout``: a record, the name of a shipped one, a path, or a layout file's text.

    ``neighbours`` are the other links of its systems, ``collection`` the file that it is in, if
    ``layout`` is none itself. Raises `ConfigurationError` for several links, and for a collection
    that has not this one.
    """
    link = given_link(layout)
    if collection is None and not isinstance(layout, Layout):
        collection = given_collection(layout)
    if collection is not None and link.nodes not in [each.nodes for each in collection.links]:
        raise ConfigurationError(f"collection: has no link {link.name}")
    judged = Judged(link, directions_of(link), neighbours, collection)
    return Plan(link, judged.directions, _found_in(judged))
