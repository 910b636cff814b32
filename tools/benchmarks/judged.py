"""Runs in turn, so that all meet the same machine; what is judged of them, and how it is told.

What is judged is a median: of a figure, or of what it is over a peer's figure of the same round.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Final

from msgspec import Struct

import isfc.link.logical_link

COMPILED: Final = not str(isfc.link.logical_link.__file__).endswith(".py")
"""Whether it is the compiled package that is timed."""

MEMORY_MB_MAX: Final = 150.0
"""Peak memory of a run, in units of 2^20 bytes."""
MEMORY_GROWTH_MAX: Final = 1.05
"""Peak memory of a run four times as long, over that of the shorter: flat but for noise."""

Sample = Mapping[str, float]
"""What one run came to: figures by name."""
Taken = Mapping[str, Sequence[Sample]]
"""The runs of a case in their order, by contender."""
Runs = Mapping[str, Taken]
"""By case."""


def in_turn(contenders: Mapping[str, Callable[[], Sample]], rounds: int) -> Taken:
    """Run each contender once, then each again, and so on."""
    taken: dict[str, list[Sample]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            taken[name].append(run())
    return taken


class Goal(Struct, frozen=True):
    """A figure that may be ``limit`` at most, or at least; over that of a peer, if one is named."""

    case: str
    figure: str
    limit: float
    ours: str = "isfc"
    peer: str = ""
    at_least: bool = False

    def reached(self, runs: Runs) -> float | None:
        """What it came to; None where the case or the peer was not run."""
        taken = runs.get(self.case, {})
        if not {self.ours, self.peer or self.ours} <= taken.keys():
            return None
        figures = [run[self.figure] for run in taken[self.ours]]
        if self.peer:
            theirs = [run[self.figure] for run in taken[self.peer]]
            figures = [our / their for our, their in zip(figures, theirs, strict=True)]
        return median(figures)

    def is_met(self, reached: float) -> bool:
        """Whether that is enough."""
        return reached >= self.limit if self.at_least else reached <= self.limit

    def line(self, reached: float) -> str:
        """What is said of it."""
        over = f", {self.ours} / {self.peer}" if self.peer else ""
        bound = f"at {'least' if self.at_least else 'most'} {self.limit:g}"
        verdict = "ok" if self.is_met(reached) else "MISSED"
        return f"{f'{self.case}: {self.figure}{over}':52}{reached:8.2f}   {bound}: {verdict}"


def judge(runs: Runs, goals: Sequence[Goal]) -> dict[Goal, float]:
    """The goals of what was run, and what they came to."""
    reached = {goal: goal.reached(runs) for goal in goals}
    return {goal: value for goal, value in reached.items() if value is not None}


def table(heading: str, taken: Taken) -> str:
    """A case: a line for each figure, and of each contender the median and half the spread."""
    lines = [heading, " " * 22 + "".join(f"{name:>18}" for name in taken)]
    figures = dict.fromkeys(name for runs in taken.values() for name in runs[0])
    for figure in figures:
        cells = ""
        for runs in taken.values():
            values = [run[figure] for run in runs]
            wide = (max(values) - min(values)) / 2
            cells += f"{f'{_shown(median(values))} +-{_shown(wide)}':>18}"
        lines.append(f"  {figure:20}{cells}")
    return "\n".join(lines)


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def say(text: str) -> None:
    """Print it immediately: what comes next takes a while."""
    print(text, flush=True)


def end(runs: Runs, goals: Sequence[Goal]) -> int:
    """Print what is judged; return the exit status."""
    judged = judge(runs, goals).items()
    print("", *(goal.line(reached) for goal, reached in judged), sep="\n")
    return 0 if all(goal.is_met(reached) for goal, reached in judged) else 1
