"""What the page says first of a link: what it carries, why, its worst loss, and what to do."""

from html import escape

from isfc.cli.judgement.advice import to_do
from isfc.cli.judgement.limit import limit_lines
from isfc.cli.output.ranges import percent, plain, ranges_of
from scenarios.figures.link_loss import AfterLoss, left_range, share_range
from scenarios.figures.report_runs import LinkRuns
from scenarios.runs.notes import believed, plan_notes
from scenarios.runs.saturation import STATED_PAIRS, SUITE


def decision(runs: LinkRuns) -> str:
    """The list that the page of a link begins with."""
    lines = (
        ("Carries", _carries(runs)),
        ("Limited by", " ".join(limit_lines(runs.carried)).replace(" limited by:", ":")),
        ("Worst loss", _worst_loss(runs)),
        ("To do", _to_do(runs)),
    )
    items = "".join(f"<dt>{what}</dt><dd>{escape(said)}</dd>\n" for what, said in lines if said)
    return f'<dl class="decision">\n{items}</dl>'


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


def _worst_loss(runs: LinkRuns) -> str:
    """The piece whose loss leaves least, and how much of the whole link that is."""
    whole, *lefts = runs.lefts
    shares = [(share_left(left, whole), left) for left in lefts]
    share, worst = min(shares, key=lambda each: each[0], default=(1.0, None))
    if worst is None:
        return ""
    ways = (share_range(runs.layout, worst, whole, way) for way in (0, 1))
    known = min(filter(None, ways), key=lambda each: each.value, default=None)
    kept = f"{share:.0%}" if known is None else percent(known)
    rates = " and ".join(
        f"{node} {rate:.0f}{f' ({plain(within.likely)})' if within else ''}"
        for way, (node, rate) in enumerate(zip(runs.layout.nodes, _rates(worst), strict=True))
        for within in [left_range(runs.layout, worst, way)]
    )
    by = f"with {STATED_PAIRS} pairs" if worst.measured else "by IBM's rule of thumb"
    piece, colon, name = worst.gone.partition(":")
    gone = f"{piece} {name}" if colon and piece.islower() else worst.gone
    return f"{gone}: {kept} is left, {rates} MB/s one way {by}."


def _rates(left: AfterLoss) -> tuple[float, float]:
    return left.measured_mb_per_s or left.estimated


def share_left(left: AfterLoss, whole: AfterLoss) -> float:
    """What is left of the direction that loses more."""
    both = zip(_rates(left), _rates(whole), strict=True)
    return min((rate / of for rate, of in both if of), default=0.0)


def _to_do(runs: LinkRuns) -> str:
    """The first advice that the model does not contradict, and how many there are."""
    return to_do(runs.plan.advice, runs.tried, "see Findings")
