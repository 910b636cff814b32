"""A rule, and what it finds in a layout."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from ctc.address import format_chpid
from isfc.layout.capacity import Direction
from isfc.layout.layout import Fibre, Layout


class Severity(StrEnum):
    """How much a finding matters."""

    INFO = "info"
    """Worth knowing; the link works as it should."""
    WARNING = "warning"
    """The link carries less, or survives less, than its chpids allow."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a rule looks at: a layout, and what its two nodes write on.

    ``neighbours`` are the other links that its systems have, if they are known.
    """

    layout: Layout
    directions: tuple[Direction, Direction]
    neighbours: tuple[Layout, ...] = ()

    def count(self, fibre: Fibre) -> int:
        """How many CTCs a fibre carries."""
        return sum(ctc.fibre == fibre for ctc in self.layout.ctcs)

    def place(self, fibre: Fibre) -> str:
        """``Chpid 40 at ATLANTA (50 at BOSTON)``."""
        first, second = map(format_chpid, fibre.chpids)
        return f"Chpid {first} at {self.layout.nodes[0]} ({second} at {self.layout.nodes[1]})"


@dataclass(frozen=True, slots=True)
class Found:
    """One place where a rule is broken: what is so there, and what to change if that depends.

    ``fibre`` is the one that it is about, if it is about one.
    """

    text: str
    remedy: str | None = None
    fibre: Fibre | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for layouts. ``id`` stays the same between releases.

    ``title`` says in a few words what is found, ``reason`` why it matters, ``source`` where that
    is known from, ``remedy`` what to change.
    """

    id: str
    severity: Severity
    title: str
    reason: str
    source: str
    remedy: str
    find: Callable[[Judged], Iterator[Found]]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule has found in a layout, and what to change about it."""

    rule: Rule
    text: str
    remedy: str
    fibre: Fibre | None

    @property
    def id(self) -> str:
        """The rule's."""
        return self.rule.id

    @property
    def severity(self) -> Severity:
        """The rule's."""
        return self.rule.severity

    @property
    def advice(self) -> str:
        """What is so, and what to change."""
        return f"{self.text} {self.remedy}"


def listed(items: Iterable[object]) -> str:
    """``2, 4 and 8``."""
    *most, last = (f"{item:g}" if isinstance(item, float) else str(item) for item in items)
    return f"{', '.join(most)} and {last}" if most else last
