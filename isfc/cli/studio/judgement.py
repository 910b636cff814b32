"""The judgement of a layout as parts of the page: order, capacity, findings, what has changed.

What the rules say is there with the drawing; what the model says comes into the same tables as it
is known.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

import isfc
from isfc.answers.opened import UNRANGED, compared, seen_util
from isfc.answers.plan_modelled import CAPTION, differences
from isfc.cli.studio.tasks import Beside, Question, Said, Subject, Why, asides
from isfc.reports.ranges import between
from isfc.reports.template import greatest, macro, ranged, table
from isfc.reports.units import shown

Known = Callable[[Question], isfc.ModelledRate | None]
"""What the model has said so far; None if it was not asked yet."""

KnownSaid = Callable[[Why | Beside], Said | None]
"""What is said of a link below its figures; None if it was not asked yet."""

PENDING: Final = "…"
_PARTS: Final = "cli/studio/page/judgement.html"


@dataclass(frozen=True, slots=True)
class _Judged:
    """What is known of a link: of both directions, now and of the layout as it was opened."""

    plan: isfc.Plan
    layouts: tuple[isfc.Layout, isfc.Layout] | None
    """As opened, and now; None of a link that is new."""
    pairs: int
    now: tuple[isfc.ModelledRate | None, ...]
    earlier: tuple[isfc.ModelledRate | None, ...]

    @property
    def is_changed(self) -> bool:
        """Whether it is not, or not known to be, as it was opened."""
        return None in self.now or self.now != self.earlier

    @property
    def figures(self) -> list[isfc.ModelledRate]:
        """What the model says of both directions; nothing as long as one is not known."""
        found = [each for each in self.now if each is not None]
        return found if len(found) == len(self.now) else []


def _judged(subject: Subject, opened: Subject, pairs: int, known: Known) -> dict[str, _Judged]:
    before = opened.plans()
    return {
        name: _Judged(
            plan,
            (before[name].layout, plan.layout) if name in before else None,
            pairs,
            tuple(known(Question(subject, name, way.sender, pairs)) for way in plan.directions),
            tuple(known(Question(opened, name, way.sender, pairs)) for way in plan.directions),
        )
        for name, plan in subject.plans().items()
    }


def in_short(subject: Subject, opened: Subject, pairs: int, known: Known) -> Markup:
    """In a line: whether that is better than as opened, what is carried, how many warnings."""
    links = _judged(subject, opened, pairs, known)
    verdicts = []
    if subject != opened:
        kinds = dict.fromkeys(_kind(_loads(each)) for each in links.values() if each.is_changed)
        verdicts = [_VERDICTS[kind] for kind in kinds if kind] or [_COMPUTING]
    warnings = sum(
        finding.severity == "warning" for each in links.values() for finding in each.plan.advice
    )
    return macro(_PARTS, "in_short", verdicts, _sends(links), warnings)


_COMPUTING: Final = "The model is at work."


def _sends(links: Mapping[str, _Judged]) -> str:
    """``CLIENT sends 667 MB/s (571-780), SERVER 731``: of several links the slower way of each."""
    if len(links) > 1:
        if not all(each.figures for each in links.values()):
            return f"{len(links)} links. {_COMPUTING}"
        slower = sorted(
            (
                (min(each.figures, key=lambda rate: rate.saturated.value), name)
                for name, each in links.items()
            ),
            key=lambda one: one[0].saturated.value,
        )
        slowest, fastest = (
            f"{name} {_rate(rate)} MB/s{between(rate.saturated)}"
            for rate, name in (slower[0], slower[-1])
        )
        return f"{len(links)} links, each alone and its slower way: {slowest} to {fastest}."
    (each,) = links.values()
    ways: list[str] = []
    for way, rate in zip(each.plan.directions, each.now, strict=True):
        figure = PENDING if rate is None else _rate(rate)
        unit = "" if ways else " MB/s"
        within = "" if rate is None else between(rate.saturated)
        ways.append(f"{way.sender} {'' if ways else 'can send '}{figure}{unit}{within}")
    return f"{', '.join(ways)}."


def _rate(answer: isfc.ModelledRate) -> str:
    return shown(answer.saturated.value, isfc.Unit.MB_PER_S)


def capacity(
    subject: Subject, opened: Subject, pairs: int, known: Known, known_said: KnownSaid
) -> Markup:
    """What each node can send, by rule and by model, and the difference to the layout as opened.

    And what limits it, and what is left beside others of the decks. A note that
    is of several links comes once, below them.
    """
    links = _judged(subject, opened, pairs, known)
    before = {
        (name, way.sender): way.estimated_mb_per_s
        for name, plan in opened.plans().items()
        for way in plan.directions
    }
    rates = (rate.figures for each in links.values() for rate in each.now if rate)
    most = greatest(figure for both in rates for figure in both)
    rows, verdicts = [], []
    notes: dict[str, None] = {}
    told = {each: said for each in asides(subject, pairs, known) if (said := known_said(each))}
    brief = {(each.link, each.sender): told[each][1] for each in told if isinstance(each, Why)}
    limits = [text for text, _ in told.values() if text]
    for name, each in links.items():
        of = f" of {name}" if len(links) > 1 else ""
        if subject != opened and (not of or each.is_changed):
            verdicts.append(_verdict(each, of))
        rows += [
            (
                f"{way.sender} to {partner}" if of else way.sender,
                with_difference(way.estimated_mb_per_s, before.get((name, way.sender))),
                *_modelled(now, was, most),
                brief.get((name, way.sender), PENDING),
            )
            for way, partner, now, was in zip(
                each.plan.directions,
                each.plan.layout.nodes[::-1],
                each.now,
                each.earlier,
                strict=True,
            )
        ]
        if each.figures:
            notes |= dict.fromkeys(differences(each.plan, each.figures))
        notes |= dict.fromkeys(
            note.text
            for note in isfc.plan_notes(each.plan.layout, each.figures)
            if note.kind != "no-range"  # which is said once, below
        )
    heads = (
        "way" if len(links) > 1 else "sender",
        "rule",
        "saturated",
        f"{pairs} pairs",
        "collisions/s",
        "RDEV util %",
        "limited by",
    )
    figures = table(CAPTION, heads, rows)
    several = len(links) > 1
    return macro(_PARTS, "capacity", verdicts, figures, limits, several, (*notes, UNRANGED.text))


def _verdict(judged: _Judged, of: str) -> Markup:
    """Whether a link is better than it was opened: what the slower direction carries, by the model.

    Nothing until the model has said all; ``of`` names the link, if there are several.
    """
    loads = _loads(judged)
    if not loads:
        return Markup()
    kind = _kind(loads)
    full, some = (words for _, words in loads)
    pairs = f"{judged.pairs} pairs, {some}"
    return macro(_PARTS, "verdict", kind, _VERDICTS[kind], of, full, pairs)


def _loads(judged: _Judged) -> list[tuple[str, str]]:
    """How the slower direction changes, saturated and with some pairs; nothing if not known yet."""
    now, earlier = ([each for each in some if each] for some in (judged.now, judged.earlier))
    if judged.layouts is None or {len(now), len(earlier)} != {len(judged.now)}:
        return []
    return compared(earlier, now, judged.layouts, judged.pairs)


def _kind(loads: Sequence[tuple[str, str]]) -> str:
    """``better``, ``worse``, ``alike`` or ``mixed``; nothing if it is not known yet."""
    kinds = {kind for kind, _ in loads}
    kinds -= {"alike"} if len(kinds) > 1 else set()
    return kinds.pop() if len(kinds) == 1 else "mixed" if kinds else ""


_VERDICTS: Final = {
    "better": "Better than as opened.",
    "worse": "Worse than as opened.",
    "alike": "As fast as when it was opened.",
    "mixed": "Better at one load than as opened, worse at the other.",
}


def _modelled(
    answer: isfc.ModelledRate | None,
    before: isfc.ModelledRate | None,
    most: float,
) -> Iterator[str]:
    """The cells of what the model says, with ranges as bars: those of MB/s end at ``most``."""
    util = seen_util(answer)
    saturated, stated = (None, None) if answer is None else answer.figures
    for now, then, within, end in zip(
        _figures(answer),
        _figures(before),
        (saturated, stated, None, util),
        (most, most, 0.0, greatest([util])),
        strict=True,
    ):
        yield PENDING if now is None else ranged(with_difference(now, then), within, end)


def _figures(answer: isfc.ModelledRate | None) -> tuple[float | None, ...]:
    """Saturated, with the stated load, and what was seen with that: collisions, RDEV util."""
    if answer is None:
        return (None,) * 4
    seen = answer.seen
    both = (None, None) if seen is None else (seen.collisions_per_s, seen.rdev_util_percent)
    return (*(each.value for each in answer.figures), *both)


def with_difference(now: float, before: float | None) -> str:
    """``306 (+12)``; without brackets where nothing has changed, or nothing is known of before."""
    difference = 0 if before is None else round(now) - round(before)
    more = f" ({shown(difference, isfc.Unit.CHANGE)})" if difference else ""
    return f"{shown(now, isfc.Unit.MB_PER_S)}{more}"


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
