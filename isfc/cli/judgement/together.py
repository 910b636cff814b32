"""What is said first of several links: what they carry together, and why, and what to do."""

from collections.abc import Iterator, Sequence

from isfc.cli.judgement.advice import fewer_line, link_names, to_do
from isfc.cli.judgement.limit import limit_line
from isfc.cli.judgement.losses import worst_loss
from isfc.cli.output.ranges import plain
from isfc.layout.collection import Collection
from isfc.layout.loss import Loss
from isfc.layout.rules.book import find_all
from scenarios.figures.cluster_overview import most_cut
from scenarios.figures.losses import AfterLoss
from scenarios.figures.rates import Carried


def together_decision(
    collection: Collection, carried: Carried | None, lefts: Sequence[AfterLoss], where: str
) -> Iterator[tuple[str, str]]:
    """Headings and what is said below them; findings are ``where``.

    No rate is said if nothing was run, and of losses that were not run what they cut.
    """
    if carried is not None and (within := carried.range) is not None:
        between = f"{plain(within.likely)} in four of five cases"
        what = f"the slower direction of each link, in all, {carried.load.words}"
        yield "Carries", f"{carried.mb_per_s:.0f} MB/s ({between}): {what}. MB are 2^20 bytes."
    if carried is not None and carried.limit is not None:
        words = limit_line(carried.limit, carried.mb_per_s).removeprefix("limited by: ")
        yield "Limited by", f"{words} MB/s."
    if lefts:
        yield "Worst loss", worst_loss(lefts)
    elif losses := most_cut(collection):
        yield "Most is cut by", _cut(losses[0])
    findings = [
        finding
        for link in collection.links
        for finding in find_all(link, collection.beside(link), collection)
    ]
    yield "To do", to_do(findings, {}, (), where)


def _cut(loss: Loss) -> str:
    said = [f"{loss.name}: no link is down"]
    if loss.cut:
        said = [f"{loss.name}: down are {link_names(loss.cut)}"]
    if loss.fewer:
        said.append(f"CTCs left of {fewer_line(loss)}")
    return f"{'; '.join(said)}. What each loss leaves by the model: isfc plan --lose."
