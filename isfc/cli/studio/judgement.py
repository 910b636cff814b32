"""The judgement of a layout as parts of the page: what `isfc plan` says of it, and findings.

What the rules say is there with the drawing; what the model says takes its place as it is known.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

import isfc
from isfc.answers.given import LINKS_IN_FULL
from isfc.answers.plan_link import plan_report, planned_by_rule
from isfc.answers.plan_modelled import modelled_link
from isfc.answers.simulation import compared
from isfc.cli.studio.tasks import Question, Subject
from isfc.reports.html import macro, part, section
from isfc.reports.report import Report

Known = Callable[[Question], isfc.ModelledRate | None]
"""What the model has said so far; None if it was not asked yet."""

_PARTS: Final = "cli/studio/page/judgement.html"
_COMPUTING: Final = "The model is at work."
_VERDICTS: Final = {
    "better": "Better than as opened.",
    "worse": "Worse than as opened.",
    "alike": "As fast as when it was opened.",
    "mixed": "Better at one load than as opened, worse at the other.",
}


class _Judged(Struct, frozen=True):
    """What is known of a link, now and of the layout as it was opened."""

    plan: isfc.Plan
    opened: isfc.Layout | None
    """None of a link that is new."""
    now: Sequence[isfc.ModelledRate]
    """Of both directions; nothing as long as one is not known."""
    earlier: Sequence[isfc.ModelledRate]

    @property
    def is_changed(self) -> bool:
        """Whether it is not, or not known to be, as it was opened."""
        now, earlier = ([rate.runs for rate in some] for some in (self.now, self.earlier))
        return not now or now != earlier

    @property
    def report(self) -> Report:
        """What `isfc plan` says of it: by IBM's rule of thumb until the model has said all."""
        by_rule = planned_by_rule(self.plan)
        if not self.now:
            return plan_report(by_rule)
        noted = replace(self.plan, layout=self.now[0].layout)
        return plan_report(modelled_link(noted, self.now, {}, by_rule.worst_chpid))

    @property
    def loads(self) -> list[tuple[str, str]]:
        """How the slower direction changes, saturated and with some pairs; nothing if not known."""
        if self.opened is None or not self.now or not self.earlier:
            return []
        layouts = self.opened, self.plan.layout
        return compared(self.earlier, self.now, layouts, self.now[0].pairs)

    @property
    def kind(self) -> str:
        """``better``, ``worse``, ``alike`` or ``mixed``; nothing if it is not known yet."""
        kinds = {kind for kind, _ in self.loads}
        kinds -= {"alike"} if len(kinds) > 1 else set()
        return kinds.pop() if len(kinds) == 1 else "mixed" if kinds else ""

    def verdict(self, of: str) -> Markup:
        """Whether it is better than it was opened; ``of`` names it, if there are several."""
        if not (kind := self.kind):
            return Markup()
        full, some = (words for _, words in self.loads)
        pairs = f"{self.now[0].pairs} pairs, {some}"
        return macro(_PARTS, "verdict", kind, _VERDICTS[kind], of, full, pairs)


def judgement(subject: Subject, opened: Subject, pairs: int, known: Known) -> dict[str, Markup]:
    """Sections of the page: the answer in a line, and what `isfc plan` says of each link.

    Both begin with whether that is better than as opened, where something has changed.
    """
    before = opened.plans()

    def rates(of: Subject, plan: isfc.Plan) -> list[isfc.ModelledRate]:
        nodes, name = plan.layout.nodes, plan.layout.name
        found = [known(Question(of, name, sender, pairs)) for sender in nodes]
        every = [each for each in found if each]
        return every if len(every) == len(nodes) else []

    links = {
        name: _Judged(
            plan,
            before[name].layout if name in before else None,
            rates(subject, plan),
            rates(opened, plan),
        )
        for name, plan in subject.plans().items()
    }
    several = len(links) > 1
    changed = [(name, each) for name, each in links.items() if each.is_changed or not several]
    changed = changed if subject != opened else []
    kinds = dict.fromkeys(each.kind for _, each in changed)
    said = [_VERDICTS[kind] for kind in kinds if kind]
    if not said and (changed or not all(each.now for each in links.values())):
        said = [_COMPUTING]
    reports = {name: each.report for name, each in links.items()}
    (label, carries), *_ = next(iter(reports.values())).answer
    whole = f"{len(links)} links." if several else f"{label} {carries}."
    warnings = sum(one.severity == "warning" for each in links.values() for one in each.plan.advice)
    shown = Markup().join(
        part("details", f"What {name} carries", _section(report)) if several else _section(report)
        for name, report in reports.items()
    )
    if len(links) > LINKS_IN_FULL:
        shown = part("details", "What each link carries", shown)
    verdicts = (each.verdict(f" of {name}" if several else "") for name, each in changed)
    return {
        "answer": macro(_PARTS, "in_short", said, whole, warnings),
        "capacity": Markup().join([*verdicts, shown]),
    }


def _section(report: Report) -> Markup:
    """What is said of a link, and what that rests on, folded."""
    rest = part("details", "What these figures rest on", part("panel", (), notes=report.notes))
    return section(replace(report, notes=())) + rest


def findings(judged: Mapping[str, isfc.Plan], *, able: bool = True) -> Markup:
    """What `isfc check` finds, warnings first; each with the ways to do what it advises.

    Each names its fibres, which the page shows in the drawing; remarks on several links are folded.
    Nothing can be done, as not ``able``, while something is struck out: findings are then of
    what is left of the layout.
    """
    found = [
        {"link": name, "finding": finding, "ways": plan.ways(finding.id) if able else {}}
        for name, plan in judged.items()
        for finding in plan.advice
    ]
    return macro(_PARTS, "findings", found, able, len(judged))
