"""``isfc plan`` of many links: one page that leads, before any link is asked for by name."""

from collections.abc import Sequence
from functools import partial

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.judgement.advice import fewer_line, link_names
from isfc.cli.judgement.findings import Checked, findings_table
from isfc.cli.judgement.together import together_decision
from isfc.cli.output.notes import note_lines
from isfc.cli.output.progress import run_all
from isfc.cli.output.ranges import likely, range_note
from isfc.cli.output.table import plain_table
from isfc.cli.reports.terminal import ASK
from isfc.layout.collection import Collection
from isfc.layout.loss import Loss
from isfc.layout.note import Note
from isfc.layout.rules.book import find_in
from isfc.layout.sharing import open_questions
from scenarios.figures.cluster_overview import ClusterOverview, SystemOverview, cluster_overview
from scenarios.figures.rates import Carried, carry_all
from scenarios.runs.notes import SHARED_UNRANGED, cluster_notes


def overview(collection: Collection, *, rule: bool, notes: bool) -> RenderableType:
    """The whole page; nothing is run for it with ``rule``."""
    carried = None
    if not rule:
        carried = carry_all(collection, partial(run_all, is_said=True))
    found = cluster_overview(collection, carried)
    findings = find_in(collection)
    checked = [
        Checked("", each, nodes=collection.link(name).nodes) for name, each in findings.items()
    ]
    said = together_decision(carried, found.losses, findings, "see What is found")
    parts: list[RenderableType] = [
        Text(_heading(collection), "bold"),
        "",
        *(f"{heading}: {words}" for heading, words in said),
        "",
        _systems(found.systems, modelled=carried is not None),
    ]
    if carried is not None:
        parts += [_said(found, carried), *_limits(found)]
    parts += ["", Text("The losses that cut most", "bold"), losses_table(found.losses)]
    parts += ["", Text("What is found", "bold"), *findings_table(checked)]
    names = [link.name for link in collection.links]
    parts += [
        "",
        (
            f"One link: --link {names[0]} ({len(names)} of them). Each loss by the model: --lose. "
            "All findings: isfc check. All figures, each link alone too: --json."
        ),
    ]
    every: tuple[Note, ...] = open_questions(collection)
    if carried is not None:
        every = (*cluster_notes(collection), SHARED_UNRANGED)
    return Group(*parts, *(note_lines(every) if notes else ["", ASK]))


def _heading(collection: Collection) -> str:
    ctcs = sum(len(link.ctcs) for link in collection.links)
    cecs = f" in {len(collection.cecs)} CECs" if collection.cecs else ""
    return f"{len(collection.systems)} systems{cecs}, {len(collection.links)} links, {ctcs} CTCs"


def _systems(systems: Sequence[SystemOverview], *, modelled: bool) -> Table:
    figures = (">MB/s out", "~range", ">in") if modelled else ()
    table = plain_table("system", *figures, ">links", ">CTCs", ">channels", ">Gb/s")
    for each in systems:
        out = 0.0 if each.rate is None else each.rate.value
        rates = (f"{out:.0f}", likely(each.rate), f"{each.back or 0:.0f}")
        has = str(each.links), str(each.ctcs), str(each.channels), f"{each.gbps:g}"
        table.add_row(each.name, *(rates if modelled else ()), *has)
    return table


def _said(found: ClusterOverview, carried: Carried) -> str:
    known = range_note(each.rate for each in found.systems)
    return (
        f"MB/s (2^20) with all links together, until steady, {carried.load.words}; range: of what "
        f"goes out. {known}"
    )


def _limits(found: ClusterOverview) -> list[RenderableType]:
    """What is busiest of what links share, and the slowest links."""
    parts: list[RenderableType] = ["", Text("What is busiest in that run", "bold")]
    if found.busiest:
        parts += [
            f"{name}: {100 * busy:.0f} % busy, {links} link{'s' * (links > 1)}"
            for name, busy, links in found.busiest
        ]
    else:
        parts.append("No two links share a channel: --link says of each what limits it.")
    slowest = ", ".join(f"{name} {out:.0f} and {back:.0f}" for name, out, back in found.slowest)
    return [*parts, f"Slowest, MB/s from the first node and to it: {slowest}"]


def losses_table(losses: Sequence[Loss]) -> Table:
    """What each takes away."""
    table = plain_table("what is lost", "~links down", "~links with fewer CTCs")
    for loss in losses:
        table.add_row(
            loss.name, Text(link_names(loss.cut), "yellow" if loss.cut else ""), fewer_line(loss)
        )
    return table
