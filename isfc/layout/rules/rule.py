"""A rule, and what it finds in a layout."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct

from ctc.address import Rdev, format_chpid
from isfc.errors.in_words import listed
from isfc.layout.capacity import WriteDirection
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Down, Fibre, Layout

REPORT: Final = "z/VM 6.2 performance report, ISFC Improvements"
GUIDE: Final = "IBM, z/VM live guest relocation with Linux"
"""Where most rules are known from."""


class Severity(StrEnum):
    """How much a finding matters."""

    INFO = "info"
    """Worth knowing; the link works as it should."""
    WARNING = "warning"
    """The link carries less, or survives less, than its chpids allow."""

    @property
    def noun(self) -> str:
        """What pages call such a finding."""
        return "remark" if self is Severity.INFO else "warning"


class Judged(Struct, frozen=True):
    """What a rule looks at: a layout, and what its two nodes write on.

    ``neighbours`` are the other links that its systems have, and ``collection`` the whole file, if
    they are known.
    """

    layout: Layout
    directions: tuple[WriteDirection, WriteDirection]
    neighbours: tuple[Layout, ...] = ()
    collection: Collection | None = None

    def count(self, fibre: Fibre) -> int:
        """How many CTCs a fibre carries."""
        return sum(ctc.fibre == fibre for ctc in self.layout.ctcs)

    def place(self, *fibres: Fibre, ends: Sequence[int] = (0, 1)) -> str:
        """``Chpid 40 at ATLANTA (50 at BOSTON)``, or ``Chpids 40 and 41 at ...``; or one end."""
        near, *far = (
            f"{listed(format_chpid(fibre.chpids[end]) for fibre in fibres)} at {node}"
            for end, node in enumerate(self.layout.nodes)
            if end in ends
        )
        return f"Chpid{'s' * (len(fibres) > 1)} {near}" + "".join(f" ({each})" for each in far)


class Broken(Struct, frozen=True):
    """How a rule is broken: what is so, and what to change if that depends.

    ``fibres`` are those that it is about; none if it is about the whole link.
    """

    text: str
    remedy: str | None = None
    fibres: tuple[Fibre, ...] = ()


Find = Callable[[Judged], Iterator[Broken]]
"""What looks whether a rule is broken."""


class ChangedLayout(Struct, frozen=True):
    """A rule's advice carried out, so that the model can be asked what it is worth.

    ``done`` says what was done, as in "Run with four CTCs, ...". ``change`` takes the fibre of each
    CTC down the device list, which is all that a link's rate depends on, and returns the list
    that is advised: None where the advice cannot be carried out with these.
    """

    done: str
    change: Callable[[Down], Down | None]

    def carried_out(self, layout: Layout) -> Layout | None:
        """The layout with the advice carried out; its device numbers mean no more than an order."""
        fibres = self.change([ctc.fibre for ctc in layout.device_list()])
        if fibres is None:
            return None
        ctcs = tuple(CtcPair(fibre, (Rdev(n), Rdev(n))) for n, fibre in enumerate(fibres))
        return replace(layout, fibres=tuple(dict.fromkeys(fibres)), ctcs=ctcs)


class Untried(Struct, frozen=True):
    """The model is not asked about a rule, or about a trial, ``because`` of this."""

    because: str


class LayoutRule(Struct, frozen=True):
    """A rule for layouts. ``id`` stays the same between releases.

    ``title`` says in a few words what is found, ``reason`` why it matters, ``source`` where that
    is known from, ``remedy`` what to change. A rule that promises that a link carries more has
    ``trials`` of what it advises; the others say why there are none. What one finds ``of_file`` is
    of several links, and says of which.
    """

    id: str
    severity: Severity
    title: str
    reason: str
    source: str
    remedy: str
    find: Find
    trials: tuple[ChangedLayout, ...] | Untried
    of_file: bool = False


class RuleBook(list[LayoutRule]):
    """Rules for one subject, in the order in which they are listed."""

    def rule(
        self,
        name: str,
        title: str,
        reason: str,
        source: str,
        remedy: str,
        trials: tuple[ChangedLayout, ...] | Untried,
        *,
        is_remark: bool = False,
        of_file: bool = False,
    ) -> Callable[[Find], Find]:
        """Make a rule of what finds it, a warning unless it ``is_remark``: see `LayoutRule`."""
        severity = Severity.INFO if is_remark else Severity.WARNING

        def add(find: Find) -> Find:
            words = name, severity, title, reason, source, remedy
            self.append(LayoutRule(*words, find, trials, of_file))
            return find

        return add


class Finding(Struct, frozen=True):
    """What a rule has found in a layout, and what to change about it."""

    rule: LayoutRule
    text: str
    remedy: str
    fibres: tuple[Fibre, ...]
    brings: tuple[str, ...] = ()
    """Warnings that the layout has when changed so, by their rules, and does not have as it is."""

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

    def to_dict(self) -> dict[str, Any]:
        """A flat record but for the names of the fibres."""
        return {
            "id": self.id,
            "severity": self.severity,
            "text": self.text,
            "remedy": self.remedy,
            "reason": self.rule.reason,
            "source": self.rule.source,
            "fibres": [fibre.name for fibre in self.fibres],
        }

    def __repr__(self) -> str:
        return f"<Finding {self.id}, {self.severity}: {self.text}>"


def count_of(severities: Iterable[Severity]) -> str:
    """``2 warnings, 1 remark``: of so many findings."""
    counts = Counter(severities)
    every = (Severity.WARNING, Severity.INFO)
    found = [(counts[each], each.noun) for each in every if counts[each]]
    return ", ".join(f"{count} {name}{'s' * (count > 1)}" for count, name in found) or "nothing"


def warnings_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, warnings before remarks, else in their order."""
    return sorted(findings, key=lambda finding: finding.severity is Severity.INFO)
