"""Which piece of a link costs most when it is gone, in one sentence."""

from collections.abc import Sequence

from isfc.cli.output.ranges import percent, plain
from isfc.layout.layout import Layout
from scenarios.figures.link_loss import AfterLoss, left_range, share_range
from scenarios.runs.saturation import STATED_PAIRS


def worst_loss(layout: Layout, lefts: Sequence[AfterLoss]) -> str:
    """``chpid 40 (50): 50 % is left, A 196 (168-230) and ...``; the whole is first of ``lefts``.

    A CEC counts only where nothing else may be lost: no link survives that of its systems.
    """
    whole, *after = lefts
    cecs = [left for left in after if left.loss is not None and left.loss.kind == "cec"]
    shares = [
        (share_left(left, whole), left) for left in after if left not in cecs or after == cecs
    ]
    share, worst = min(shares, key=lambda each: each[0], default=(1.0, None))
    if worst is None:
        return ""
    ways = (share_range(layout, worst, whole, way) for way in (0, 1))
    known = min(filter(None, ways), key=lambda each: each.value, default=None)
    kept = f"{100 * share:.0f} %" if known is None else percent(known)
    rates = " and ".join(
        f"{node} {rate:.0f}{f' ({plain(within.likely)})' if within else ''}"
        for way, (node, rate) in enumerate(zip(layout.nodes, _rates(worst), strict=True))
        for within in [left_range(layout, worst, way)]
    )
    by = f"with {STATED_PAIRS} pairs" if worst.measured else "by IBM's rule of thumb"
    gone = gone_words(worst)
    if round(100 * share) >= 100 and len(after) > 1:
        return f"no piece takes 1 % or more; without {gone} {rates} MB/s one way {by}."
    return f"{gone}: {kept} is left, {rates} MB/s one way {by}."


def gone_words(left: AfterLoss) -> str:
    """``director 1`` of what options call ``director:1``."""
    piece, colon, name = left.gone.partition(":")
    return f"{piece} {name}" if colon and piece.islower() else left.gone


def share_left(left: AfterLoss, whole: AfterLoss) -> float:
    """What is left of the direction that loses more."""
    both = zip(_rates(left), _rates(whole), strict=True)
    return min((rate / of for rate, of in both if of), default=0.0)


def _rates(left: AfterLoss) -> tuple[float, float]:
    return left.measured_mb_per_s or left.estimated
