"""What is said first of several links: what they carry together, and why, and what to do."""

from collections.abc import Iterator

from isfc.cli.judgement.advice import fewer_line, link_names, to_do
from isfc.cli.judgement.limit import limit_line
from isfc.cli.output.ranges import plain
from isfc.layout.collection import Collection
from isfc.layout.loss import ClusterLoss
from isfc.layout.rules.book import find_all
from scenarios.figures.cluster_overview import worst_losses
from scenarios.figures.limit import Limit
from scenarios.figures.ranges import links_range
from scenarios.runs.saturation import STATED_PAIRS, SUITE


def together_decision(
    collection: Collection, mb_per_s: float | None, limit: Limit | None, where: str
) -> Iterator[tuple[str, str]]:
    """Headings and what is said below them; findings are ``where``, no rate if nothing was run."""
    if mb_per_s is not None:
        within = links_range(mb_per_s, collection.links)
        what = f"all links together, both ways, with {traffic_words(collection)}"
        between = f"{plain(within.likely)} in four of five cases"
        yield "Carries", f"{mb_per_s:.0f} MB/s ({between}): {what}. MB are 2^20 bytes."
    if mb_per_s is not None and limit is not None:
        words = limit_line(limit, mb_per_s).removeprefix("limited by: ")
        yield "Limited by", f"{words} MB/s."
    if losses := worst_losses(collection):
        yield "Worst loss", _lost(losses[0])
    findings = [
        finding
        for link in collection.links
        for finding in find_all(link, collection.beside(link), collection)
    ]
    yield "To do", to_do(findings, {}, (), where)


def traffic_words(collection: Collection) -> str:
    """What runs over the links together."""
    if collection.traffic:
        return "the traffic of the file"
    return f"{SUITE} of {STATED_PAIRS} pairs each way"


def _lost(loss: ClusterLoss) -> str:
    said = [f"{loss.name} takes no link down"]
    if loss.cut:
        said = [f"{loss.name} takes down {link_names(loss.cut)}"]
    if loss.fewer:
        said.append(f"CTCs left of {fewer_line(loss)}")
    return f"{'; '.join(said)}."
