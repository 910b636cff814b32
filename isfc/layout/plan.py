"""The judgement of a layout: who writes where, how much that can carry, and what to change."""

from dataclasses import dataclass
from pathlib import Path

from isfc.arguments import checked
from isfc.layout.capacity import WriteDirection, directions_of
from isfc.layout.catalogue import given_link
from isfc.layout.layout import Collection, Layout
from isfc.layout.rules.book import find_all, ways_of
from isfc.layout.rules.rule import Finding
from isfc.link.schedule import stop_short


@dataclass(frozen=True, slots=True)
class Plan:
    """How two systems would use a layout; ``directions`` has the first node's, the second's.

    ``advice`` is all that `isfc.layout.rules` find.
    """

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


@checked
def make_plan(
    layout: Layout | Collection | str | Path,
    neighbours: tuple[Layout, ...] = (),
    collection: Collection | None = None,
) -> Plan:
    """Judge ``layout``: a record, the name of a shipped one, a path, or a layout file's text.

    ``neighbours`` are the other links of its systems, ``collection`` the file that it is in.
    Raises `ConfigurationError` for several links.
    """
    link = given_link(layout)
    return Plan(link, directions_of(link), find_all(link, neighbours, collection))
