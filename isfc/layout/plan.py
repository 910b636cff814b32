"""The judgement of a layout: who writes where, how much that can carry, and what to change."""

from typing import Any

from msgspec import Struct

from ctc.address import format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked
from isfc.layout.capacity import WriteDirection, directions_of
from isfc.layout.catalogue import AnyLayout, given_collection, given_link
from isfc.layout.collection import Collection
from isfc.layout.groups import grouped
from isfc.layout.layout import Layout
from isfc.layout.rules.book import find_all, ways_of
from isfc.layout.rules.rule import Finding
from isfc.link.scan import stop_short
from isfc.reports.reported import Reported


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
                "link_gbps": use.fibre.profile.link_gbps,
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
        return f"<Plan {self._title()}: {rates} MB/s by rule, {len(self.advice)} findings>"

    def _repr_html_(self) -> str:
        """The drawing, and what ``isfc plan --rule`` says, for a notebook."""
        return self.layout._repr_html_() + Reported._repr_html_(self)

    def _title(self) -> str:
        return " - ".join(self.layout.nodes)


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
    return Plan(link, directions_of(link), find_all(link, neighbours, collection))
