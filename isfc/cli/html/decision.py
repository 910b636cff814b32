"""What the page says first of a link: what it carries, why, its worst loss, and what to do."""

from isfc.cli.judgement.advice import to_do
from isfc.cli.judgement.limit import limit_lines
from isfc.cli.judgement.worst_loss import worst_loss
from isfc.cli.output.ranges import plain, ranges_of
from scenarios.figures.report_runs import LinkRuns
from scenarios.runs.notes import believed, plan_notes
from scenarios.runs.saturation import SUITE


def decision(runs: LinkRuns) -> tuple[tuple[str, str], ...]:
    """The list that the page of a link begins with: headings, and what is said below each."""
    return (
        ("Carries", _carries(runs)),
        ("Limited by", " ".join(limit_lines(runs.carried, brief=True))),
        ("Worst loss", worst_loss(runs.layout, runs.lefts)),
        ("To do", to_do(runs.plan.advice, runs.tried, runs.carried, "see Findings")),
    )


def _carries(runs: LinkRuns) -> str:
    """What each node can send, and between what that would lie."""
    notes = plan_notes(runs.layout, runs.carried)
    said = []
    for way, figure in zip(runs.plan.directions, runs.carried, strict=True):
        rate = believed(way.estimated_mb_per_s, figure.saturated_mb_per_s, notes)
        within, _ = ranges_of(figure)
        between = "" if within is None else f" ({plain(within.likely)} in four of five cases)"
        said.append(f"can send {rate:.0f} MB/s{between}")
    senders = ("Each system",) if len({*said}) == 1 else runs.layout.nodes
    each = ", ".join(f"{sender} {rate}" for sender, rate in zip(senders, said, strict=False))
    return f"{each}. MB/s (2^20) one way, {SUITE}."
