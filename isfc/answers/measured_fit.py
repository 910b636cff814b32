"""The model's constants as a site's figures tell them: a profile, and how well it is known."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Final

from msgspec import structs

from isfc.answers.measured_read import AboutFiles, From, Measured, WhatRan, measurements_of
from isfc.answers.relocate import Progress
from isfc.errors.arguments import Argument, Jobs, checked, spelt
from isfc.errors.in_words import find_node, listed
from isfc.errors.loading import check_library
from isfc.io.shared import parse_links, without_disks
from isfc.layout.catalogue import AnyLayout
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.pasted import lines_read
from isfc.layout.site import FitErrors
from isfc.layout.write import format_collection, with_comments
from isfc.link.name import NodeName
from isfc.reports.figure import Unit
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.units import amount
from isfc.site.seen import seen_intervals
from scenarios.figures.site_beside import alongside
from scenarios.runs.at_site import link_of, opened_at
from scenarios.search.site_cluster import Channels, Cluster, say_beside
from scenarios.search.site_fit import fit as fit_intervals
from scenarios.search.site_fit import runs_of
from scenarios.search.site_fitted import FitRefused, Fitted
from scenarios.search.site_search import INTERVALS_MAX, Runs, intervals_of
from scenarios.search.workers import calling

RIVALS: Final = 3
"""Explanations that the page of a fit names."""


@checked
def fit(
    layout: AnyLayout,
    measured: Measured,
    *,
    link: str | None = None,
    from_: From = None,
    ran: WhatRan = (),
    channels: Channels = (),
    about: AboutFiles | None = None,
    anyway: Annotated[
        bool, Argument("", "Take the fit even if it is refused; its profile says so.")
    ] = False,
    jobs: Jobs = 1,
    progress: Progress = None,
) -> Fitted:
    """Fit the model to a site, as a profile for --profile.

    A few constants of the features and of the link driver are scaled so that the judged figures
    come out nearest; those that the figures do not tell stay as they are. Errors
    are those of what was held back: each interval in turn, or each device of a single one.
    Ends with 1 if the fit is not to be believed; the reasons are printed, and nothing is written
    but the corrected layout, if another cause is nearer that a layout can say.

    Raises `FitRefused` for a fit that is not to be believed, unless ``anyway``, and
    `ConfigurationError` for what is wrong. ``progress`` is told what share of the runs is done.
    """
    check_library("scipy", "isfc measured fit")
    links, text = opened_at(layout, None)
    of_link = link_of(links, layout, link)
    client = None if from_ is None else find_node(spelt("from_"), from_, of_link.nodes)
    found = measurements_of(measured, about, ran, client)
    cluster = Cluster.of(links, of_link, found.measurements, channels)
    left_out = [*found.left_out]
    seen = seen_intervals(of_link, cluster.own, left_out, client)
    is_told = all(any(end.measurement.ran for end in one.ends) for one in seen)
    at_most = runs_of(of_link, min(len(seen), INTERVALS_MAX), is_told=is_told)
    with calling(jobs) as calls:
        runs = Runs(calls, lambda done: progress(done / at_most) if progress else None)
        intervals, passed = intervals_of(seen, cluster.derived, runs)
        fitted = fit_intervals(of_link, intervals, runs, partial(_corrected, links, text))
    beside = [one.derived.beside for one in intervals if one.derived.beside]
    said = dict.fromkeys(f"beside it ran {say_beside(each)}" for each in beside)
    texts = [*said] or [note.text for note in of_link.notes]
    notes = (*fitted.notes, *passed, *left_out, *texts)
    fitted = structs.replace(fitted, notes=notes, accounts=found.accounts)
    if fitted.doubts and not anyway:
        raise FitRefused(fitted)
    return fitted


def _corrected(links: Collection, text: str, laid: Layout) -> str:
    """The file of some links with one as ``laid``; what disks take there is a load of reads."""
    had = next(each for each in links.links if each.nodes == laid.nodes)
    usual, wanted = _of_disks(had), _of_disks(laid)
    alone = tuple(
        without_disks(laid if each is had else alongside(laid, each)) for each in links.links
    )
    io = dict(links.io)
    for path in (fibre.path for fibre in laid.fibres if fibre.path is not None):
        io["path"] = {**io["path"], path.name: {**io["path"][path.name], "km": path.km}}

    def written(rates: Mapping[_End, int]) -> str:
        first = len(io.get("io", ())) + 1
        beside = [
            {"name": f"beside-{n}", "system": node, "channels": [chpid], **READS, "rate": rate}
            for n, ((node, chpid), rate) in enumerate(rates.items(), first)
        ]
        more = {"io": [*io.get("io", ()), *beside]} if beside else {}
        return format_collection(replace(links, links=alone, io=io | more), heading=[_HEADING])

    rates = {at: _TRIED_PER_S for at, share in wanted.items() if share != usual[at]}
    if rates:
        tried = _of_disks(parse_links(written(rates)).link(laid.name))
        rates = {
            at: round(rate * (wanted[at] - usual[at]) / (tried[at] - usual[at]))
            for at, rate in rates.items()
        }
    return with_comments(written(rates), text)


_End = tuple[NodeName, str]


def _of_disks(link: Layout) -> dict[_End, float]:
    """The share of each channel's processor that disks take."""
    return {
        (node, fibre.chpid_names[end]): fibre.disks[end].processor
        for fibre in link.fibres
        for end, node in enumerate(link.nodes)
    }


READS: Final = {"protocol": "ficon", "block": 512}
"""What stands for disks of which only a share of the channel is known. Chosen: short reads, which
take much of the processor and little of the line."""

_TRIED_PER_S: Final = 1000
"""I/Os a second by which their share of a channel is told."""

_HEADING: Final = "Corrected by 'isfc measured fit', as the figures that were measured have it."


def measured_fit_report(fitted: Fitted) -> Report:
    """Whether the fit is accepted, what it changes, how good it is; then what is known of it."""
    return Report(
        _verdict(fitted),
        [*_answer(fitted)],
        [Table("Each constant, and between what it is", _COLUMNS, fitted.constants, "constants")],
        remarks=[f"{note.rstrip('.')}." for note in fitted.notes],
        read=lines_read(fitted.accounts),
    )


_COLUMNS: Final = (
    Column("constant", "constant"),
    *headed(Unit.TIMES, factor="factor", low="from", high="to"),
    Column("", "meaning", folds=True),
)


def _verdict(fitted: Fitted) -> str:
    if fitted.doubts:
        return "The fit is refused."
    if fitted.profile.held_back is None:
        return "Nothing was measured that tells a constant: the model stays as it is."
    return f"The fit is accepted. It changes {listed([*fitted.profile.factors]) or 'nothing'}."


def _answer(fitted: Fitted) -> Iterator[tuple[str, str]]:
    for doubt in fitted.doubts:
        yield "Refused", doubt
    if fitted.doubts:
        yield "Remedy", REMEDY if fitted.corrected is None else CORRECT
    held, before = fitted.profile.held_back, fitted.profile.before
    if held is not None and before is not None:
        yield "Held back", f"off by {_off(held)}; without the fit by {_off(before)}"
    if fitted.explanations:
        best, *others = fitted.explanations[:RIVALS]
        then = "".join(f"; then {each} ({round(each.aicc - best.aicc)} worse)" for each in others)
        yield "Nearest", f"by evidence (AICc, less is better) {best}{then}"


def _off(errors: FitErrors) -> str:
    """``2.3 % by the median, the worst by 14 %``."""
    median, worst = amount(errors.median, Unit.SPREAD), amount(errors.worst, Unit.PERCENT)
    return f"{median} by the median, the worst by {worst}"


REMEDY: Final = (
    "measure two or three intervals in which the link was busy, device rows and link activity of "
    "each, and say what ran: --ran FILE=NAME:PAIRS"
)
"""What to measure where a fit is refused."""

CORRECT: Final = "see whether that is what is there; -o FILE.toml writes the layout with it"
"""What to do where a cause is nearer that a layout can say."""
