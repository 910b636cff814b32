"""The text of ``docs/fidelity.md``, from what was replayed and what is known about it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Final

import msgspec

from scenarios.published import Role, Value
from tools.goals import GOALS, MEASURES, OTHER_GOALS, Criterion, Figure, Goal
from tools.knobs import present_values
from tools.replayed import Replay
from tools.sensitivity import MOVE, Sensitivity

WORST_COUNT: Final = 10

MADE: Final = (
    "This page is made from a replay of the published tables; `make docs` makes it again, "
    "`make fidelity` measures anew what each constant does."
)
SENSITIVITY: Final = """
How much worse the fit to the calibration rows gets when one constant is moved by {move:.0%} and
all others stay. The fit's loss is that of `tools/loss.py`. From seed to seed it varies by
{noise:.1%} (one standard deviation), and a constant is *felt* if a move changes it by more than
twice that: what is not felt cannot have been found by the fit. A loss below 0 means that the fit
would gain from such a move."""

LEFT_OUT: Final = """
Fitted to the calibration rows of three suites, the fourth predicted: MB/s of its rows with
several CTCs. The goal is a median of at most 15 %."""

ROLES: Final = {Role.CALIBRATION: "calibration", Role.ACCEPTANCE: "prediction"}
"""What a row is for, as the page says it."""

UNKNOWN: Final = "Not known."

INTRODUCTION: Final = """\
# Fidelity: how near the emulator comes to what IBM measured

{how}
Constants were fitted to **calibration** rows only. The others are **predictions**, and only they
say what the model is worth. Every figure of this page, IBM's and ours, is in
[fidelity.csv](fidelity.csv); [sources](sources.md) has every constant with its value and origin,
[timing](timing.md) the model.
"""


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why some runs are off, one way or the other, as far as we know."""

    where: dict[str, list[Value]]
    faster: bool
    text: str


@dataclass(frozen=True, slots=True)
class Material:
    """All that the page tells. ``pictures`` are file names, by suite."""

    how: str
    replays: Mapping[str, Replay]
    pictures: Mapping[str, str]
    reasons: Sequence[Reason]
    sensitivity: Mapping[str, Sensitivity]
    left_out: Sequence[Mapping[str, str]]


def page(material: Material) -> str:
    """The whole page, in Markdown."""
    parts = [
        INTRODUCTION.format(how=_filled(f"{MADE} {material.how}")),
        "## Goals, and what is reached\n",
        _goals(material.replays),
        "## Pictures\n",
        _pictures(material.pictures),
        f"## The {WORST_COUNT} worst runs\n",
        _worst(material.replays["transport"], material.reasons),
        "## What each calibrated constant does\n",
        _sensitivity(material.sensitivity),
        "## A suite left out\n",
        _left_out(material.left_out),
    ]
    return "\n".join(parts)


def explain(reasons: Iterable[Reason], figure: Figure) -> str:
    """What is known of why a run is off."""
    for reason in reasons:
        if figure.row.is_in(reason.where) and reason.faster == (figure.error > 0):
            return reason.text.strip()
    return UNKNOWN


def _goals(replays: Mapping[str, Replay]) -> str:
    replayed = [goal for goal in GOALS if _is_replayed(goal, replays)]
    verdicts = [line for goal in replayed for line in _goal_lines(goal, replays[goal.table])]
    met = sum(line[-1] == "yes" for line in verdicts)
    text = f"{met} of {len(verdicts)} goals of the tables that are replayed are met.\n\n" + _table(
        ("table", "rows", "measure", "goal", "calibration", "prediction", "all", "met"), verdicts
    )
    waiting = [goal for goal in GOALS if goal not in replayed]
    lines = [
        *(
            (f"`{g.table}`", g.rows, MEASURES[g.measure], ", ".join(map(str, g.criteria)), "no")
            for g in waiting
        ),
        *((f"`{g.table}`", g.rows, "", g.text, g.state) for g in OTHER_GOALS),
    ]
    names = ", ".join(dict.fromkeys(f"`{goal.table}`" for goal in waiting))
    if waiting:
        text += "\n" + _filled(
            f"**Not replayed yet**, so nothing is known of how near we come: {names}."
        )
    return text + "\n" + _table(("table", "rows", "measure", "goal", "replayed"), lines)


def _is_replayed(goal: Goal, replays: Mapping[str, Replay]) -> bool:
    return goal.table in replays and goal.measure in replays[goal.table].table.measures


def _goal_lines(goal: Goal, replay: Replay) -> Iterator[tuple[str, ...]]:
    """A line for each criterion: what calibration rows, predictions and all rows reach."""
    figures = [f for f in replay.figures()[goal.measure] if goal.takes(f.row)]
    groups = [[f for f in figures if f.row.role is role] for role in Role] + [figures]
    for criterion in goal.criteria:
        yield (
            *(f"`{goal.table}`", goal.rows, MEASURES[goal.measure], str(criterion)),
            *(_reached(criterion, group) for group in groups),
            "yes" if criterion.met(criterion.reached(figures)) else "**no**",
        )


def _reached(criterion: Criterion, figures: Sequence[Figure]) -> str:
    if not figures:
        return "no rows"
    return f"{criterion.shown(criterion.reached(figures))} of {len(figures)}"


def _pictures(pictures: Mapping[str, str]) -> str:
    lines = [
        "IBM's figures are dots on a line, ours crosses on a broken one; bars go from the least",
        "to the greatest of the seeds. A line for each number of pairs.\n",
    ]
    lines += [
        f"![{suite}: published against emulated]({name})\n" for suite, name in pictures.items()
    ]
    return "\n".join(lines)


def _worst(replay: Replay, reasons: Sequence[Reason]) -> str:
    figures = sorted(replay.figures()["mb_per_s"], key=lambda figure: -abs(figure.error))
    chosen = figures[:WORST_COUNT]
    found = dict.fromkeys(explain(reasons, figure) for figure in chosen)
    numbers = {reason: str(number) for number, reason in enumerate(found, start=1)}
    lines = [
        (
            *(figure.row.key, f"{figure.published:g}", f"{figure.emulated:.4g}"),
            *(f"{figure.error:+.0%}", ROLES[figure.row.role], numbers[explain(reasons, figure)]),
        )
        for figure in chosen
    ]
    heading = ("run", "IBM", "ours", "error", "role", "why")
    return (
        "MB/s of the transport table; a run is suite/CTCs/pairs.\n\n"
        + _table(heading, lines)
        + "\n"
        + "".join(f"{_filled(f'{number}. {reason}')}" for reason, number in numbers.items())
    )


def _sensitivity(found: Mapping[str, Sensitivity]) -> str:
    if not found:
        return "Not measured yet: `python -m tools.sensitivity`.\n"
    rows = sorted(found.values(), key=lambda row: -row.loss)
    present = present_values()
    lines = [
        (
            *(f"`{row.name}`", f"{row.value:,.4g}"),
            *(f"{(loss - row.unmoved) / row.unmoved:+.1%}" for loss in (row.down, row.up)),
            *(f"{row.loss:+.1%}", "yes" if row.felt else "**no**"),
        )
        for row in rows
    ]
    noise = rows[0].noise / rows[0].unmoved
    text = _filled(SENSITIVITY.format(move=MOVE, noise=noise)) + "\n"
    stale = [row.name for row in rows if row.value != present.get(row.name)]
    missing = [f"`{name}`" for name in present if name not in found]
    if missing:
        text += _filled(f"**Not measured yet**: {', '.join(missing)}.") + "\n"
    if stale:
        text += (
            _filled(
                f"**Measured before the latest fit**: {len(stale)} of these constants have other "
                "values by now (`make fidelity` measures again)."
            )
            + "\n"
        )
    heading = ("constant", "value", f"-{MOVE:.0%}", f"+{MOVE:.0%}", "on average", "felt")
    return text + _table(heading, lines)


def _left_out(rows: Sequence[Mapping[str, str]]) -> str:
    text = _filled(LEFT_OUT) + "\n"
    if not rows:
        return text + "Not done yet: `python -m tools.calibrate --leave-out SUITE --record`.\n"
    lines = [
        (
            *(row["suite"], row["rows"]),
            *(f"{float(row[name]):.1%}" for name in ("median", "p90", "worst")),
            *(row["worst_row"], row["generations"]),
        )
        for row in rows
    ]
    heading = ("suite", "rows", "median", "90 % within", "worst", "at", "generations")
    return text + _table(heading, lines)


def _filled(text: str) -> str:
    """A paragraph in lines of ordinary length."""
    return fill(" ".join(text.split()), 96, break_long_words=False, break_on_hyphens=False) + "\n"


def _table(heading: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [heading, ["---"] * len(heading), *lines]
    return "".join(f"| {' | '.join(' '.join(cell.split()) for cell in row)} |\n" for row in rows)
