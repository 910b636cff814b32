"""The page itself: one HTML document with its styles, scripts, charts and tables inside."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from html import escape

from ctc.address import format_chpid, format_rdev
from isfc import __version__
from isfc.cli.drawing.cluster import drawing_svg
from isfc.cli.html.channels import CHANNELS, channels_article
from isfc.cli.html.charts import ALIKE, charts, curve_specs, has_collisions
from isfc.cli.html.cluster import CLUSTER, cluster_article
from isfc.cli.html.decision import decision
from isfc.cli.html.parts import (
    curves,
    details,
    drawn,
    figure,
    greatest,
    navigation,
    ranged,
    resource,
    scroll_script,
    section,
    table,
)
from isfc.cli.judgement.advice import model_word, two_paces
from isfc.cli.judgement.limit import limit_lines, short_limit
from isfc.cli.judgement.worst_loss import gone_words, share_left
from isfc.cli.output.picture import script_bundle
from isfc.cli.output.ranges import range_note, ranges_of
from isfc.cli.results.shared import shared_note, shared_rows
from isfc.layout.capacity import WriteDirection
from isfc.layout.layout import Collection
from isfc.layout.note import Note
from isfc.layout.rules.rule import Finding, warnings_first
from isfc.library import check_library
from scenarios.figures.certainty import Range
from scenarios.figures.link_loss import AfterLoss, left_range
from scenarios.figures.moved_ranges import relocation_ranges
from scenarios.figures.report_runs import (
    TIMELINE_PAIRS,
    ChannelEstimates,
    ClusterRuns,
    DiskRuns,
    LinkRuns,
)
from scenarios.runs.notes import BUSY, BUSY_UNRANGED, believed, plan_notes, unranged
from scenarios.runs.saturation import SATURATING_PAIRS, STATED_PAIRS, SUITE, ModelledRate
from scenarios.runs.steady import Rate

_UNRANGED = unranged(f"collisions, the timeline, what an OSA carries, and {BUSY}")
_SUMMED = "summed over the sender's CTCs, over pairs; bars: four of five cases"
_SECTIONS = {
    "layout": "Layout",
    "findings": "Findings",
    "capacity": "Who writes where",
    "load": "Throughput",
    "loss": "Losses",
    "moving": "Relocation",
    "io": "Timeline",
    "disks": "Disks on the chpids",
}


def check_charts() -> None:
    """Raise `ConfigurationError` if what draws the charts is not installed."""
    check_library("vl_convert", "isfc report")


def bundle() -> str:
    """The page's script with all that it uses: Vega, Vega-Lite and Vega-Embed."""
    return script_bundle(resource("page.js"))


def document(
    links: Sequence[LinkRuns],
    script: str,
    channels: ChannelEstimates | None = None,
    cluster: ClusterRuns | None = None,
) -> str:
    """The whole page: a cluster that links make, each link below the other, then the channels.

    With `bundle` as script it needs nothing else.
    """
    titles = [f"{first} - {second}" for first, second in (each.layout.nodes for each in links)]
    title = f"ISFC link{'s' * (len(titles) > 1)} {', '.join(titles)}" if titles else "Channels"
    if cluster and not links:
        title = f"ISFC links of {', '.join(cluster.collection.systems)}"
    every = {name: spec for each in links for name, spec in charts(each).items()}
    parts = {f"link{each.mark}": " - ".join(each.layout.nodes) for each in links}
    articles = [_link(each, overview=cluster is None) for each in links]
    if cluster:
        parts = {CLUSTER: "All links together", **parts}
        articles.insert(0, cluster_article(cluster))
    if channels:
        every |= curve_specs(channels.charts)
        parts[CHANNELS] = "Channels"
        articles.append(channels_article(channels))
    specs = json.dumps(every, separators=(",", ":")).replace("<", "\\u003c")
    written = f"Written by isfc {__version__} on {written_on():%d %B %Y}."
    body = "\n".join(["<main>", *articles, f"<footer><p>{written}</p></footer>", "</main>"])
    if len(parts) > 1:
        contents = navigation("Parts of this page", parts)
        body = f"<header><p>{escape(title)}</p>\n{contents}</header>\n{body}"
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{escape(title)}</title>\n'
        f'<link rel="icon" href="data:,">\n<style>\n{resource("page.css")}</style>\n</head>\n'
        f"<body>\n{body}\n"
        f'<script type="application/json" id="charts">{specs}</script>\n'
        f"<script>\n{scroll_script()}</script>\n"
        f'<script type="module">{_inside_script(script)}</script>\n</body>\n</html>\n'
    )


def written_on() -> date:
    """Today, or the day that ``SOURCE_DATE_EPOCH`` names, for pages that are to be alike."""
    named = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.now(UTC)
    return (datetime.fromtimestamp(int(named), UTC) if named.isdigit() else now).date()


def _link(runs: LinkRuns, *, overview: bool) -> str:
    """All about one link; with an ``overview`` of its directors, if it has some."""
    title = f"ISFC link {' - '.join(runs.layout.nodes)}"
    sections = {
        "layout": _drawing(runs, overview=overview),
        "findings": _findings(runs),
        "capacity": _capacity(runs),
        "load": _load(runs),
        "loss": _loss(runs),
        "moving": _relocation(runs),
        "io": _io(runs),
    }
    if runs.disks:
        sections["disks"] = _disks(runs, runs.disks)
    content = "\n".join(
        section(name + runs.mark, _SECTIONS[name], text) for name, text in sections.items()
    )
    return f'<article id="link{runs.mark}">{_header(runs, title)}\n{content}</article>'


def _inside_script(text: str) -> str:
    """Text that does not end the element it stands in."""
    return re.sub("<(?=/script)", r"\\x3c", text, flags=re.IGNORECASE)


def _header(runs: LinkRuns, title: str) -> str:
    layout = runs.layout
    headings = {
        f"{name}{runs.mark}": heading
        for name, heading in _SECTIONS.items()
        if name != "disks" or runs.disks
    }
    notes = (each for each in plan_notes(layout, runs.carried) if each != BUSY_UNRANGED)
    told = "".join(f'<p class="note">{escape(note.text)}</p>\n' for note in (*notes, _UNRANGED))
    return (
        f"<header><h1>{escape(title)}</h1>\n<p>{escape(runs.name)}: {len(layout.ctcs)} CTCs on "
        f"{len(layout.fibres)} fibres.</p>\n{decision(runs)}\n{told}"
        f"{navigation(f'Sections of {title}', headings)}</header>"
    )


def _believed(way: WriteDirection, figure: ModelledRate, notes: Sequence[Note]) -> str:
    return f"{believed(way.estimated_mb_per_s, figure.saturated_mb_per_s, notes):.0f}"


def _drawing(runs: LinkRuns, *, overview: bool) -> str:
    has_directors = any(fibre.directors for fibre in runs.layout.fibres)
    svg = drawing_svg(runs.layout, mark=runs.mark)
    if not (overview and has_directors):
        return drawn("The layout drawn", svg)
    directors = drawing_svg(cluster=Collection((runs.layout,)))
    return drawn("Directors and channels drawn", directors) + drawn("The layout drawn", svg)


def _findings(runs: LinkRuns) -> str:
    if not runs.plan.advice:
        return "<p>Nothing to change.</p>"
    items = "".join(
        f'<li class="{finding.severity}"><strong>{escape(finding.severity)}</strong> '
        f"<code>{escape(finding.id)}</code><br>{escape(finding.text)} "
        f"<em>{escape(finding.remedy)}</em> {_model_words(runs, finding)}"
        f"<br><small>{escape(finding.rule.reason)} Source: {escape(finding.rule.source)}.</small>"
        "</li>"
        for finding in warnings_first(runs.plan.advice)
    )
    return f'<ul class="findings">{items}</ul>'


def _model_words(runs: LinkRuns, finding: Finding) -> str:
    return escape(" ".join(map(model_word, runs.tried.get(finding.id, ()))))


def _capacity(runs: LinkRuns) -> str:
    rows = [row for way in runs.plan.directions for row in _chpids(way)]
    order = "".join(
        f"<p><strong>{way.sender}</strong> writes on "
        f"{', '.join(map(format_rdev, way.write_order))}, in that order; only it writes on "
        f"{', '.join(map(format_rdev, way.exclusive)) or 'none'}.</p>"
        for way in runs.plan.directions
    )
    by_rule = table(
        "One-way capacity by IBM's rule of thumb, chpids in order of use",
        ("sender", "chpid", "feature", "CTCs written on", "MB/s one way"),
        rows,
    )
    return order + _rates(runs) + by_rule


def _rates(runs: LinkRuns) -> str:
    """The rule's figure for each direction beside the model's, and which is to be believed."""
    notes = plan_notes(runs.layout, runs.carried)
    most = greatest(within for each in runs.carried for within in ranges_of(each))
    known = range_note(within for each in runs.carried for within in ranges_of(each))
    rates = table(
        f"MB/s one way: by rule, and by the model of {SUITE} with {SATURATING_PAIRS} and "
        f"{STATED_PAIRS} pairs",
        ("sender", "rule", "model", f"{STATED_PAIRS} pairs", "believe"),
        (
            (
                way.sender,
                way.estimated_mb_per_s,
                ranged(f"{figure.saturated_mb_per_s:.0f}", ranges_of(figure)[0], most),
                ranged(f"{figure.stated_mb_per_s:.0f}", ranges_of(figure)[1], most),
                _believed(way, figure, notes),
            )
            for way, figure in zip(runs.plan.directions, runs.carried, strict=True)
        ),
    )
    why = "".join(f"<p>{escape(line)}</p>\n" for line in limit_lines(runs.carried))
    bars = f"{known} A bar is the range, its mark the figure."
    return f"{rates}{why}<p><small>{escape(bars)}</small></p>"


def _chpids(way: WriteDirection) -> Iterator[Sequence[object]]:
    for use in way.chpids:
        feature = f"{use.fibre.profile.feature}, {use.fibre.profile.link_gbps:g} Gb/s"
        chpid = format_chpid(use.chpid)
        yield way.sender, chpid, feature, use.ctc_count, f"{use.mb_per_s:.0f}"
    yield way.sender, "all", "", len(way.write_order), way.estimated_mb_per_s


def _load(runs: LinkRuns) -> str:
    rates = {p: runs.range_of(p, "mb_per_s") for p in runs.points}
    utils = {p: runs.range_of(p, "rdev_util_percent") for p in runs.points}
    figures = table(
        f"What {runs.workload.name} gives, by sending node and pairs",
        ("sender", "pairs", "MB/s sent", "+-", "RDEV util %", "collisions/s"),
        (
            (
                p.sender,
                p.pairs,
                ranged(f"{p.mb_per_s:.1f}", rates[p], greatest(rates.values())),
                f"{p.spread_mb_per_s:.1f}",
                ranged(f"{p.rdev_util_percent:.0f}", utils[p], greatest(utils.values())),
                f"{p.collisions_per_s:.1f}",
            )
            for p in runs.points
        ),
    )
    said = two_paces(
        (
            f"{p.sender} with {p.pairs} pairs",
            Rate(p.mb_per_s, p.spread_mb_per_s, p.second_mb_per_s),
        )
        for p in runs.points
    )
    return (
        figure("throughput", runs.mark, "MB/s sent over pairs; bars: four of five cases")
        + (f"<p>{escape(said)}</p>\n" if said else "")
        + figure("utilisation", runs.mark, f"RDEV util, {_SUMMED}")
        + _collisions(runs)
        + details("The figures", figures)
    )


def _collisions(runs: LinkRuns) -> str:
    """A chart, or a sentence where all that it would show is 0."""
    if has_collisions(runs):
        return figure("collisions", runs.mark, "Write collisions over pairs, without a range")
    pairs = [point.pairs for point in runs.points]
    return f"<p>No writes collide, with {min(pairs)} to {max(pairs)} pairs.</p>\n"


def _loss(runs: LinkRuns) -> str:
    first, second = runs.layout.nodes
    within = {left: [left_range(runs.layout, left, way) for way in (0, 1)] for left in runs.lefts}
    most = greatest(one for both in within.values() for one in both)
    rows = (
        (
            gone_words(left),
            left.ctc_count,
            *(
                cell
                for way, by_rule in enumerate(left.estimated)
                for cell in (f"{by_rule:.0f}", _after(left, within[left][way], way, most))
            ),
            "" if left.limit is None else short_limit(left.limit),
        )
        for left in runs.lefts
    )
    heads = (
        "gone",
        "CTCs left",
        f"{first} rule",
        f"{first} run",
        f"{second} rule",
        f"{second} run",
        "slower is limited by",
    )
    figures = table("MB/s each node can send, by rule of thumb and by run", heads, rows)
    caption = (
        f"MB/s each node can send with one piece gone ({SUITE}, {STATED_PAIRS} pairs); bars: four "
        "of five cases"
    )
    whole, *lefts = runs.lefts
    costs = [1 - share_left(left, whole) for left in lefts]
    said = ""
    if costs and max(costs) <= ALIKE:
        limits = " ".join(limit_lines(runs.carried)) or "something else limits the link."
        said = f"<p>No loss costs more than {100 * ALIKE:.0f} %: {escape(limits)}</p>\n"
    return said + figure("losses", runs.mark, caption) + details("The figures", figures)


def _after(left: AfterLoss, within: Range | None, way: int, most: float) -> str:
    rates = left.measured_mb_per_s
    return ranged("0" if rates is None else f"{rates[way]:.0f}", within, most)


def _io(runs: LinkRuns) -> str:
    timeline = runs.timeline
    rows = []
    for end, node in enumerate(runs.layout.nodes):
        for ctc in runs.layout.device_list():
            ios = timeline.of(node, ctc.rdevs[end])
            sums = [sum(io.pend_ns for io in ios), sum(io.disc_ns for io in ios)]
            sums.append(sum(io.conn_ns for io in ios))
            each = (f"{total / max(1, len(ios)) / 1e6:.2f}" for total in sums)
            collided = sum(io.outcome == "collided" for io in ios)
            rows.append((node, format_rdev(ctc.rdevs[end]), len(ios), *each, collided))
    figures = table(
        "I/Os of the timeline, by CTC; times in ms per I/O",
        ("node", "RDEV", "I/Os", "PEND", "DISC", "CONN", "collisions"),
        rows,
    )
    milliseconds = (timeline.end_ns - timeline.begin_ns) / 1e6
    caption = (
        f"{milliseconds:g} ms of {runs.workload.name} with {TIMELINE_PAIRS} pairs, clients on "
        f"{runs.layout.nodes[0]}. A cross is a collision. Keys: + and - zoom, arrows move, "
        "0 shows all; drag moves, Ctrl and wheel zoom."
    )
    buttons = "".join(
        f'<button type="button" data-do="{do}" aria-label="{label}">{sign}</button>'
        for do, label, sign in (
            ("in", "Zoom in", "+"),
            ("out", "Zoom out", "&minus;"),
            ("left", "Earlier", "&larr;"),
            ("right", "Later", "&rarr;"),
            ("all", "Show all", "All"),
        )
    )
    tools = (
        '<div class="tools" role="group" aria-label="Timeline zoom">'
        f"{buttons}<output></output></div>"
    )
    return figure("timeline", runs.mark, caption, tools) + details("The figures", figures)


def _relocation(runs: LinkRuns) -> str:
    return (
        f"<p>Memory alone, moved once: over the link as the model carries {SUITE} with "
        f"{STATED_PAIRS} pairs, over an OSA as one stream fills it. <code>isfc relocate</code> "
        "runs a relocation, in which what changes meanwhile is moved again.</p>"
        + curves({"relocation": runs.relocation}, runs.mark)
        + _relocated(runs)
    )


def _relocated(runs: LinkRuns) -> str:
    """Guests that were moved, message by message."""
    known = {found: relocation_ranges(found.relocation, found.guests) for found in runs.relocated}
    every = [each for found in known.values() if found for each in found.guests if each]
    longest = greatest(each.seconds for each in every)
    stopped = greatest(each.quiesced for each in every)
    rows = [
        (
            *(guest.plan.name, found.relocation.way[0]),
            ranged(f"{guest.seconds:.2f}", each.seconds if each else None, longest),
            ranged(f"{guest.quiesced_seconds:.2f}", each.quiesced if each else None, stopped),
            *(len(guest.passes), f"{guest.length / 2**30:.2f}"),
            "yes" if guest.moved else f"no, {guest.end}",
        )
        for found in runs.relocated
        for ranges in [known[found]]
        for guest, each in zip(
            found.guests, ranges.guests if ranges else [None] * len(found.guests), strict=True
        )
    ]
    if not rows:
        return ""
    return table(
        "A guest as IBM measured, moved alone (isfc relocate --like has others)",
        ("guest", "from", "s", "stopped s", "passes", "GiB", "moved"),
        rows,
    )


def _disks(runs: LinkRuns, disks: DiskRuns) -> str:
    alone = table(
        f"CTCs ({SUITE}, {STATED_PAIRS} pairs) and disks, each alone and beside the other",
        ("", "alone", "beside"),
        shared_rows(disks.now),
    )
    alone += f"<p>{escape(shared_note(disks.now))}</p>"
    return alone + curves(disks.charts, runs.mark)
