"""What a loss leaves, in one sentence: what is gone, how much is left, and by which load."""

from collections.abc import Sequence

from isfc.cli.output.ranges import likely, percent
from scenarios.figures.after_loss import AfterLoss, worst_of

ALL_LINKS = "of the slower direction of each link"
"""What a rate of several links is of."""


def loss_words(left: AfterLoss) -> str:
    """``chpid 40 (50): 50 % (45-56) is left, A 196 (168-230) and B 201 (172-235) MB/s ...``."""
    within = left.share_range
    kept = f"{100 * left.share:.0f} %" if within is None else percent(within)
    return f"{left.gone}: {kept} is left, {_rates(left)}, {_by(left)}."


def worst_loss(lefts: Sequence[AfterLoss]) -> str:
    """The same of the worst loss, or that there is none; the whole is first of ``lefts``."""
    worst = worst_of(lefts)
    if worst is None:
        return ""
    if round(100 * worst.share) >= 100 and len(lefts) > 2:
        rates = f"without {worst.gone} {_rates(worst)}"
        return f"no piece takes 1 % or more; {rates}, {_by(worst)}."
    return loss_words(worst)


def _rates(left: AfterLoss) -> str:
    """What is carried, and between what that would lie: each way of one link."""
    assert left.whole is not None, "nothing is left of the whole"
    if len(left.whole.rest.links) > 1:
        return f"{left.mb_per_s:.0f}{_between(likely(left.range))} MB/s {ALL_LINKS}"
    (link,) = left.whole.rest.links
    rates = left.estimated if left.sent is None else [way.rate.mb_per_s for way in left.sent]
    each = (
        f"{node} {rate:.0f}{_between(likely(left.way_range(way)))}"
        for way, (node, rate) in enumerate(zip(link.nodes, rates, strict=True))
    )
    return f"{' and '.join(each)} MB/s one way"


def _between(interval: str) -> str:
    return f" ({interval})" if interval else ""


def _by(left: AfterLoss) -> str:
    return "by IBM's rule of thumb" if left.ways is None else left.load.words
