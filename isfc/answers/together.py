"""What is said first of several links: what they carry together, and why, and what to do."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from isfc.answers.advice import Cutting, fewer_line, link_names, to_do
from isfc.answers.limit import limit_line
from isfc.answers.losses import Losses
from isfc.layout.loss import Loss
from isfc.layout.rules.rule import Finding
from isfc.reports.units import range_of, shown
from scenarios.figures.figure import Unit
from scenarios.figures.rates import Carried


def together_decision(
    carried: Carried | None,
    losses: Losses | Sequence[Loss],
    findings: Mapping[str, Sequence[Finding]],
    where: str,
) -> Iterator[tuple[str, str]]:
    """Headings and what is said below them; ``findings`` of each link are ``where``.

    No rate is said if nothing was run. ``losses`` are what each leaves, the whole first, or, where
    that was not run, the pieces that cut most.
    """
    if carried is not None and carried.rate.range is not None:
        between = f"{range_of(carried.rate)} in four of five cases"
        what = f"the slower direction of each link, in all, {carried.load.words}"
        rate = shown(carried.rate.value, Unit.MB_PER_S)
        yield "Carries", f"{rate} MB/s ({between}): {what}. MB are 2^20 bytes."
    if carried is not None and carried.limit is not None:
        words = limit_line(carried.limit, carried.rate.value).removeprefix("limited by: ")
        yield "Limited by", f"{words} MB/s."
    if isinstance(losses, Losses):
        yield "Worst loss", losses.worst_line
    else:
        yield from (("Most is cut by", cut_line(each)) for each in losses[:1])
    yield "To do", to_do([*chain.from_iterable(findings.values())], {}, (), where)


def cut_line(loss: Cutting) -> str:
    """What goes with a piece of hardware."""
    said = [f"{loss.name}: no link is down"]
    if loss.cut:
        said = [f"{loss.name}: down are {link_names(loss.cut)}"]
    if loss.fewer:
        said.append(f"CTCs left of {fewer_line(loss)}")
    return f"{'; '.join(said)}. What each loss leaves by the model: isfc plan --lose."
