"""The judgement of a layout as parts of the page: order, capacity, findings, what has changed.

What the rules say is there with the drawing; what the model says comes into the same tables as it
is known.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final

import isfc
from isfc.cli.drawing.difference import differences as changed
from isfc.cli.html.parts import greatest, ranged, table
from isfc.cli.judgement.carried import CAPTION, differences
from isfc.cli.judgement.opened import UNRANGED, compared, ranged_rate, util_range
from isfc.cli.output.ranges import ranges_of
from isfc.cli.studio.tasks import Question, Subject, Why, whys

Known = Callable[[Question], isfc.ModelledRate | None]
"""What the model has said so far; None if it was not asked yet."""

KnownWhy = Callable[[Why], str | None]
"""What limits a link, in a sentence; None if it was not asked yet."""

PENDING: Final = "…"


def capacity(
    subject: Subject, opened: Subject, pairs: int, known: Known, known_why: KnownWhy
) -> str:
    """What each node can send, by rule and by model, and the difference to the layout as opened.

    And what limits the slower direction.

    A note that is of several links comes once, below them.
    """
    before = {
        (name, way.sender): way.estimated_mb_per_s
        for name, plan in opened.plans().items()
        for way in plan.directions
    }
    parts = []
    notes: dict[str, None] = {}
    asked_why = whys(subject, pairs, known)
    for name, plan in subject.plans().items():
        asked = [Question(subject, name, way.sender, pairs) for way in plan.directions]
        answers = [ranged_rate(plan.layout, known(question), pairs) for question in asked]
        most = greatest(within for each in answers if each for within in ranges_of(each))
        earlier = [known(Question(opened, name, way.sender, pairs)) for way in plan.directions]
        rows = [
            (
                way.sender,
                with_difference(way.estimated_mb_per_s, before.get((name, way.sender))),
                *_modelled(plan.layout, pairs, answer, was, most),
            )
            for way, answer, was in zip(plan.directions, answers, earlier, strict=True)
        ]
        parts.append(verdict(answers, earlier, pairs) if subject != opened else "")
        heads = (name, "rule", "saturated", f"{pairs} pairs", "collisions/s", "RDEV util %")
        figures = [answer for answer in answers if answer is not None]
        figures = figures if len(figures) == len(answers) else []
        parts.append(table(CAPTION, heads, rows))
        if (why := asked_why.get(name)) and (said := known_why(why)):
            parts.append(f"<p>{escape(said)}</p>")
        if figures:
            parts.append(_small(" ".join(differences(plan, figures, pairs=pairs))))
        notes |= dict.fromkeys(note.text for note in isfc.plan_notes(plan.layout, figures))
    return "".join([*parts, *map(_small, notes), _small(UNRANGED.text)])


def verdict(
    now: Sequence[isfc.ModelledRate | None], before: Sequence[isfc.ModelledRate | None], pairs: int
) -> str:
    """Whether a link is better than it was opened: what the slower direction carries, by the model.

    Nothing until the model has said all.
    """
    figures = [each for each in now if each is not None]
    earlier = [each for each in before if each is not None]
    if len(figures) != len(now) or len(earlier) != len(before):
        return ""
    both = (earlier, figures)
    saturated = [min(some, key=lambda each: each.saturated_mb_per_s).saturated for some in both]
    stated = [min(some, key=lambda each: each.stated_mb_per_s).stated for some in both]
    loads = [compared(was, comes) for was, comes in (saturated, stated)]
    kinds = {kind for kind, _ in loads}
    kinds -= {"alike"} if len(kinds) > 1 else set()
    kind = kinds.pop() if len(kinds) == 1 else "mixed"
    full, some = (words for _, words in loads)
    return (
        f'<p class="verdict {kind}"><strong>{_VERDICTS[kind]}</strong> The slower direction '
        f"carries saturated {full}, and with {pairs} pairs {some}.</p>"
    )


_VERDICTS: Final = {
    "better": "Better than as opened.",
    "worse": "Worse than as opened.",
    "alike": "As fast as when it was opened.",
    "mixed": "Better at one load than as opened, worse at the other.",
}


def _small(text: str) -> str:
    return f"<p><small>{escape(text)}</small></p>"


def _modelled(
    layout: isfc.Layout,
    pairs: int,
    answer: isfc.ModelledRate | None,
    before: isfc.ModelledRate | None,
    most: float,
) -> Iterator[str]:
    """The cells of what the model says, with ranges as bars: those of MB/s end at ``most``."""
    util = util_range(layout, answer, pairs)
    saturated, stated = (None, None) if answer is None else ranges_of(answer)
    for measure, within, end in (
        (_saturated, saturated, most),
        (_stated, stated, most),
        (_collisions, None, 0.0),
        (_util, util, greatest([util])),
    ):
        now, then = (None if each is None else measure(each) for each in (answer, before))
        yield PENDING if now is None else ranged(with_difference(now, then), within, end)


def _saturated(answer: isfc.ModelledRate) -> float | None:
    return answer.saturated_mb_per_s


def _stated(answer: isfc.ModelledRate) -> float | None:
    return answer.stated_mb_per_s


def _collisions(answer: isfc.ModelledRate) -> float | None:
    return None if answer.seen is None else answer.seen.collisions_per_s


def _util(answer: isfc.ModelledRate) -> float | None:
    return None if answer.seen is None else answer.seen.rdev_util_percent


def with_difference(now: float, before: float | None) -> str:
    """``306 (+12)``; without brackets where nothing has changed, or nothing is known of before."""
    difference = 0 if before is None else round(now) - round(before)
    return f"{now:.0f} ({difference:+d})" if difference else f"{now:.0f}"


def orders(judged: Mapping[str, isfc.Plan]) -> str:
    """Who writes on what, in which order."""
    return "".join(
        f"<p><strong>{escape(way.sender)}</strong> writes to {escape(partner)} on "
        f'<span class="order" data-sender="{escape(way.sender)}">'
        f"{', '.join(f'{rdev:04X}' for rdev in way.write_order)}</span>, in that order; only it "
        f"writes on {', '.join(f'{rdev:04X}' for rdev in way.exclusive) or 'none'}.</p>"
        for plan in judged.values()
        for way, partner in zip(plan.directions, plan.layout.nodes[::-1], strict=True)
    )


def findings(judged: Mapping[str, isfc.Plan], *, able: bool = True) -> str:
    """What `isfc check` finds, warnings first; each with the ways to do what it advises.

    Each names its fibres, which the page shows in the drawing. Nothing can be done, as not
    ``able``, while something is struck out: findings are then of what is left of the layout.
    """
    found = [(name, plan, finding) for name, plan in judged.items() for finding in plan.advice]
    found.sort(key=lambda each: each[2].severity != "warning")
    items = "".join(
        f'<li class="{finding.severity}" tabindex="0" '
        f'data-fibres="{escape(" ".join(fibre.name for fibre in finding.fibres))}">'
        f"<strong>{escape(finding.severity)}</strong> <code>{escape(finding.id)}</code>"
        f"{f' of {escape(name)}' if len(judged) > 1 else ''}<br>"
        f"{escape(finding.text)} <em>{escape(finding.remedy)}</em>"
        f"{_buttons(name, finding.id, plan.ways(finding.id)) if able else ''}</li>"
        for name, plan, finding in found
    )
    if not items:
        return "<p>Nothing to change.</p>"
    hint = (_HINT if "<button" in items else "") if able else _STRUCK_HINT
    return (f'<p class="hint">{hint}</p>' if hint else "") + f'<ul class="findings">{items}</ul>'


_HINT: Final = (
    "Begin with the first. <em>Do it</em> changes the layout as the finding advises, and what is "
    "said above tells whether that is better; Undo takes it back."
)

_STRUCK_HINT: Final = (
    "These are of what is left. Take back what is struck out to change the layout."
)


def _buttons(name: str, finding: str, ways: Mapping[int, str]) -> str:
    """A button for each way to do what a finding advises; of several, each with its words."""
    buttons = "".join(
        f'<button type="button" data-link="{escape(name)}" data-finding="{escape(finding)}" '
        f'data-way="{number}">Do it{f" {escape(words)}" if len(ways) > 1 else ""}'
        f'<span class="unseen"> ({escape(finding)})</span></button>'
        for number, words in ways.items()
    )
    return f'<div class="tools">{buttons}</div>' if buttons else ""


def changes(opened: isfc.Collection, now: isfc.Collection, struck: Iterable[str] = ()) -> str:
    """What has changed since the layout was opened, in words; then what is struck out."""
    lines = [
        *changed(opened, now),
        *(f"fibre {name}: struck out, to be taken back" for name in struck),
    ]
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else "<p>Nothing: this is the layout as it was opened.</p>"
