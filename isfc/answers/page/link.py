"""The page's part on one link: its tables, what is said of them, and the chart of its timeline.

Colours of that are the page's own CSS variables, so that it follows dark mode and print.
"""

from collections.abc import Iterator
from typing import Any, Final

from markupsafe import Markup

from ctc.address import format_rdev
from ctc.subchannel import Command
from isfc.answers.advice import model_word, two_paces
from isfc.answers.drawing import drawing_svg
from isfc.answers.io_chart import curves, points_table
from isfc.answers.limit import limit_lines
from isfc.answers.losses import losses_chart, losses_of, losses_table
from isfc.answers.plan_link import PlannedLink, plan_report
from isfc.answers.plan_modelled import modelled_link, worst_loss
from isfc.answers.shared import disks_known, disks_tables, shared_by
from isfc.errors.in_words import exact
from isfc.layout.collection import Collection
from isfc.layout.loss import CHPID
from isfc.layout.rules.rule import warnings_first
from isfc.reports.figure import Unit
from isfc.reports.html import chart_of, render, table_of
from isfc.reports.picture import SCHEMA, Spec, axis, config, marks
from isfc.reports.report import Column, Lines, Table, headed
from isfc.reports.units import shown
from scenarios.moves.by_rate import moves_figures
from scenarios.runs.experiment import SATURATING_PAIRS, STATED_PAIRS, SUITE
from scenarios.runs.notes import BUSY, BUSY_UNRANGED, plan_notes, unranged
from scenarios.runs.timeline import Io, Timeline
from scenarios.search.report_runs import RELOCATED, TIMELINE_PAIRS, LinkRuns

_UNRANGED = unranged(f"collisions, the timeline, what an OSA carries, and {BUSY}")

ALIKE: Final = 0.03
"""Shares of the whole link in whose steps what is left is taken for the same."""


def link_article(runs: LinkRuns, *, overview: bool) -> Markup:
    """All about one link; with an ``overview`` of its directors, if it has some."""
    layout, disks = runs.layout, runs.disks and shared_by(runs.disks.now)
    overview &= any(fibre.directors for fibre in layout.fibres)
    found, lost = planned_of(runs), losses_of(runs.lefts)
    notes, plan = plan_notes(layout, runs.carried), plan_report(found)
    other = lost.worst_line if found.worst_chpid.gone != lost.worst else ""
    return render(
        "answers/page/link.html",
        runs=runs,
        suite=SUITE,
        saturating_pairs=SATURATING_PAIRS,
        stated_pairs=STATED_PAIRS,
        timeline_pairs=TIMELINE_PAIRS,
        decided=[*plan.answer, ("Worst loss", other)],
        notes=[note.text for note in (*notes, _UNRANGED) if note != BUSY_UNRANGED],
        directors=overview and drawing_svg(cluster=Collection.of(layout)),
        drawing=drawing_svg(layout, mark=runs.mark),
        findings=[
            (finding, " ".join(map(model_word, runs.tried.get(finding.id, ()))))
            for finding in warnings_first(runs.plan.advice)
        ],
        ways=Markup().join(map(table_of, plan.tables)),
        known=found.model.known if found.model else (),
        paces=two_paces(
            (f"{p.sender} with {p.experiment.pairs} pairs", p.rate) for p in runs.points
        ),
        load=_load(runs),
        alike=_alike(runs),
        losses=chart_of(losses_chart(lost), losses_table(lost)),
        relocation=chart_of(curves(runs.relocation), points_table(runs.relocation)),
        relocated=runs.relocated and table_of(Table(_MOVED_CAPTION, _MOVED, [*_relocated(runs)])),
        ios=table_of(
            Table("I/Os of the timeline, by CTC; times in ms per I/O", _IOS, [*_ios(runs)])
        ),
        disks=disks and Markup().join(map(table_of, disks_tables(disks))),
        disks_curves=runs.disks
        and [chart_of(curves(each), points_table(each)) for each in runs.disks.charts],
        disks_note=disks and disks_known(disks),
    )


def planned_of(runs: LinkRuns) -> PlannedLink:
    """What ``isfc plan`` answers."""
    whole, *lefts = runs.lefts
    chpids = [left for left in lefts if left.loss and left.loss.kind == CHPID]
    return modelled_link(runs.plan, runs.carried, runs.tried, worst_loss([whole, *chpids]))


def _load(runs: LinkRuns) -> Markup:
    """What each node sends over pairs, and how busy its CTCs are; collisions, where there are."""
    rows = [
        {
            "sender": p.sender,
            "pairs": p.experiment.pairs,
            **p.measured,
            **p.figures,
            "spread": p.run.rate.spread_mb_per_s,
        }
        for p in runs.points
    ]
    sender, pairs, rate, *rest = _LOAD
    busy, collisions = rest[1:]
    caption = f"What {runs.workload.name} gives over pairs, by sending node"
    collides = any(p.run.result.collisions_per_s for p in runs.points)
    up = [rate, busy, *([collisions] if collides else [])]
    drawn = Lines(caption=caption, rows=rows, across=pairs, up=up, of=sender)
    return chart_of(drawn, Table(caption, _LOAD, rows))


_LOAD: Final = (
    *headed(sender="sender", pairs="pairs", mb_per_s="MB/s sent"),
    Column("+-", "spread", Unit.MB_PER_S),
    Column("RDEV util %", "rdev_util_percent"),
    Column("collisions/s", "collisions_per_s", Unit.PER_S),
)


def _alike(runs: LinkRuns) -> str:
    """What limits the link, if no loss costs anything."""
    costs = [1 - left.share.value for left in runs.lefts[1:]]
    if not costs or max(costs) > ALIKE:
        return ""
    limits = " ".join(limit_lines(runs.carried)) or "something else limits the link."
    return f"No loss costs more than {shown(ALIKE, Unit.SHARE)} %: {limits}"


def _ios(runs: LinkRuns) -> Iterator[dict[str, Any]]:
    for end, node in enumerate(runs.layout.nodes):
        for ctc in runs.layout.device_list():
            ios = runs.timeline.of(node, ctc.rdevs[end])
            each_ms = 1e-6 / max(1, len(ios))
            yield {
                "node": node,
                "rdev": format_rdev(ctc.rdevs[end]),
                "ios": len(ios),
                "pend": sum(io.pend_ns for io in ios) * each_ms,
                "disc": sum(io.disc_ns for io in ios) * each_ms,
                "conn": sum(io.conn_ns for io in ios) * each_ms,
                "collisions": sum(io.outcome == "collided" for io in ios),
            }


_IOS: Final = (
    *headed(node="node", rdev="RDEV", ios="I/Os"),
    *headed(Unit.MS, pend="PEND", disc="DISC", conn="CONN"),
    Column("collisions", "collisions"),
)


def _relocated(runs: LinkRuns) -> Iterator[dict[str, Any]]:
    """Guests that were moved."""
    for found in runs.relocated:
        for guest, each in zip(found.guests, moves_figures(found).guests, strict=True):
            yield {
                "guest": RELOCATED,
                "source": guest.source,
                "seconds": each.seconds,
                "quiesced": each.quiesced,
                "passes": len(guest.passes),
                "length": guest.length,
                "moved": "yes" if guest.moved else f"no, {guest.end}",
            }


_MOVED_CAPTION: Final = "A guest as IBM measured, moved alone (isfc relocate --like has others)"
_MOVED: Final = (
    *headed(guest="guest", source="from", seconds="s", quiesced="stopped s", passes="passes"),
    Column("GiB", "length", Unit.BYTES),
    Column("moved", "moved"),
)


PHASES: Final = {
    "write (CONN)": "var(--write)",
    "read (CONN)": "var(--read)",
    "DISC": "var(--disc)",
    "PEND": "var(--pend)",
    "sense and other": "var(--other)",
}
_ROW: Final = 16


def timeline_chart(timeline: Timeline) -> Spec:
    """Every phase of every I/O; the page moves ``from_ms`` and ``to_ms``."""
    layout, whole_ms = timeline.layout, (timeline.end_ns - timeline.begin_ns) / 1e6
    rows = [
        f"{node} {format_rdev(ctc.rdevs[end])}"
        for end, node in enumerate(layout.nodes)
        for ctc in layout.device_list()
    ]
    ctc = {"field": "ctc", "type": "nominal", "title": None, "scale": {"domain": rows}}
    shown = [{"expr": "from_ms"}, {"expr": "to_ms"}]
    begin = axis("from", "ms", domain=shown, nice=False, zero=False)
    colours = {"domain": [*PHASES], "range": [*PHASES.values()]}
    phase = {"field": "phase", "type": "nominal", "title": None, "scale": colours}
    collided = [
        {"ctc": _row(io), "at": _ms(timeline, io.end_ns), "what": "collision"}
        for pair in timeline.collisions()
        for io in pair
    ]
    bars: Spec = {"y": ctc, "x": begin, "x2": {"field": "to"}, "color": phase}
    bars["tooltip"] = [{"field": field} for field in ("ctc", "what", "phase", "from", "to")]
    crosses: Spec = {"y": ctc, "x": {**begin, "field": "at"}}
    crosses["tooltip"] = [{"field": "what"}, {"field": "at"}]
    red = {"shape": "cross", "filled": True, "size": 60, "color": "var(--collision)"}
    looks = {"background": "transparent", "font": "system-ui, sans-serif"}
    return {
        "$schema": SCHEMA,
        "description": "Every I/O on every CTC, by phase; the table below it sums them up",
        "width": "container",
        "height": _ROW * len(rows),
        "config": config("currentColor") | looks,
        "params": [{"name": "from_ms", "value": 0}, {"name": "to_ms", "value": whole_ms}],
        "layer": [
            marks("bar", _phases(timeline), bars, clip=True),
            marks("point", collided, crosses, clip=True, **red),
        ],
    }


def _phases(timeline: Timeline) -> Iterator[Spec]:
    for io in timeline.ios:
        what = io.command.name.replace("_", " ").lower()
        if io.package is not None:
            what += f", package {io.package}: {io.message_count} messages, {exact(io.length)} bytes"
        for name, begin_ns, end_ns in io.phases():
            yield {
                "ctc": _row(io),
                "phase": _phase(io, name),
                "from": _ms(timeline, begin_ns),
                "to": _ms(timeline, end_ns),
                "what": what,
            }


def _phase(io: Io, name: str) -> str:
    if io.command is Command.WRITE:
        return "write (CONN)" if name == "CONN" else name
    return "read (CONN)" if io.command is Command.READ and name == "CONN" else "sense and other"


def _row(io: Io) -> str:
    return f"{io.node} {format_rdev(io.rdev)}"


def _ms(timeline: Timeline, at_ns: int) -> float:
    return round((at_ns - timeline.begin_ns) / 1e6, 4)
