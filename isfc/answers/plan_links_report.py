"""Several links in a plan, alone and together, and what they share; of many what they come to."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from isfc.answers.check import RuleFound, rules_table
from isfc.answers.given import LINKS_IN_FULL
from isfc.answers.losses import ALL_LINKS, Cut, fewer_line
from isfc.answers.plan_link import PlannedLink, plan_report
from isfc.answers.plan_links import LinkTogether, PlannedLinks, SharedByLinks
from isfc.answers.shared import disks_known, disks_tables
from isfc.errors.in_words import counted, link_names
from isfc.layout.rules.rule import Severity
from isfc.reports.figure import Figure, Unit
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.units import range_note, shown, with_unit
from scenarios.runs.experiment import STATED_PAIRS, SUITE


def links_table(found: PlannedLinks) -> Table:
    """Each link alone and with the others."""
    columns = [
        Column("link", "link", value=lambda each: each.name),
        _way("alone\n->", "alone_from", lambda each: each.alone[0]),
        _way("\n<-", "alone_to", lambda each: each.alone[1]),
        _way("together\n->", "together_from", lambda each: each.together[0]),
        _way("\n<-", "together_to", lambda each: each.together[1]),
        Column("slower\nway", "slower"),
        Column("left\n%", "left", Unit.SHARE, value=lambda each: each.left_share),
        Column("traffic", "traffic", value=_traffic),
    ]
    caption = (
        "MB/s (2^20) from the first node of each link and to it, alone and all together, "
        f"{found.load}"
    )
    return Table(caption, columns, found.together or (), "links")


def _way(heading: str, field: str, rate: Callable[[LinkTogether], Figure]) -> Column:
    """A way that has nothing to send is empty."""
    return Column(heading, field, Unit.MB_PER_S, value=lambda each: rate(each).value or None)


def _traffic(each: LinkTogether) -> str:
    traffic = ", ".join(dict.fromkeys(load.partition(":")[2] for load in each.traffic))
    return traffic or f"{SUITE}:{STATED_PAIRS}"


def _moved(each: SharedByLinks) -> str:
    """What went over it for each link."""
    moved = (
        f"{share.name} {shown(share.mb_per_s_out, Unit.MB_PER_S)}/"
        f"{shown(share.mb_per_s_in, Unit.MB_PER_S)}"
        for share in each.links
        if share.mb_per_s_out or share.mb_per_s_in
    )
    return ", ".join(moved) or "nothing"


_WENT: Final = (
    Column("out", "out", Unit.MB_PER_S, value=lambda each: each.mb_per_s_out),
    Column("in", "back", Unit.MB_PER_S, value=lambda each: each.mb_per_s_in),
    Column("busy\n%", "busy", Unit.PERCENT, value=lambda each: each.busy_percent),
    Column("links: out/in", "links", value=_moved),
)
_CHANNELS: Final = (
    Column("channel", "name"),
    Column("fibre\nlink", "line", Unit.MB_PER_S, value=lambda each: each.line_mb_per_s),
    Column("processor", "processor", Unit.MB_PER_S, value=lambda each: each.processor_mb_per_s),
    *_WENT,
)
_PATHS: Final = (
    Column("inter-switch links", "name"),
    Column("each\nway", "line", Unit.MB_PER_S, value=lambda each: each.mb_per_s_max),
    *_WENT,
)


def shared_tables(found: PlannedLinks) -> list[Table]:
    """Channels and inter-switch links that several fibres share; none, no table."""
    channels = Table(
        "Channels that several fibres share, in MB/s of long messages: a fibre link carries so "
        "much each way, a data processor both ways together; busy is the fuller one",
        _CHANNELS,
        found.channels or (),
        "channels",
    )
    paths = Table(
        "Inter-switch links, in MB/s of long messages: what their rate and buffer credits let "
        "through each way",
        _PATHS,
        found.paths or (),
        "paths",
    )
    return [each for each in (channels, paths) if each.rows]


def planned_links_report(found: PlannedLinks) -> Report:
    """All together, if that was run, then each; of more than three so run what they come to."""
    if len(found.links) > LINKS_IN_FULL and not any(link.model for link in found.links):
        return _overview(found)
    every = [_marked(plan_report(each), each) for each in found.links]
    first, *rest = every if found.together is UNSET else [cluster_report(found), *every]
    return replace(first, sections=rest)


def _marked(report: Report, link: PlannedLink) -> Report:
    """The report of one of several links: its tables are named after it."""
    name = f"{link.nodes.first}-{link.nodes.second}"
    return replace(
        report, tables=[replace(each, name=f"{name}:{each.name}") for each in report.tables]
    )


def cluster_report(found: PlannedLinks) -> Report:
    """What all links carry, which keeps least, what limits them; then each, and what they share."""
    disks = found.disks
    return Report(
        f"{len(found.together or ())} links, alone and all together",
        [*_answer(found)],
        [
            links_table(found),
            *shared_tables(found),
            *(() if disks is UNSET else disks_tables(disks)),
        ],
        notes=[*found.known, *(() if disks is UNSET else (disks_known(disks),))],
        known=found.notes or (),
    )


def _answer(found: PlannedLinks) -> Iterator[tuple[str, str]]:
    if found.together is UNSET or found.rate is UNSET:
        return
    yield "Carry", f"{with_unit(found.rate)}, {ALL_LINKS}"
    least = min(found.together, key=lambda link: link.left_share)
    kept = shown(least.left_share, Unit.SHARE)
    yield "Keeps least", f"{least.name}: {kept} % of what it carries alone"
    if found.shared:
        busiest = max(found.shared, key=lambda each: each.busy_percent)
        yield "Busiest", f"{busiest.name}, {shown(busiest.busy_percent, Unit.PERCENT)} %"
    if found.limits is not UNSET:
        yield "Limited by", found.limits.named


def _overview(found: PlannedLinks) -> Report:
    """What many links come to together, and what is found."""
    ctcs = sum(len(link.ctcs) for link in found.links)
    cecs = f" in {found.cecs} CECs" if found.cecs else ""
    many, one = len(found.links), found.links[0].nodes
    counts = Counter((each.severity, each.id) for link in found.links for each in link.advice)
    rules = sorted(counts, key=lambda rule: rule[0] is Severity.INFO)
    known = range_note(each.rate for each in found.systems)
    return Report(
        f"{len(found.systems)} systems{cecs}, {counted(many, 'link')}, {counted(ctcs, 'CTC')}",
        [*_overview_answer(found)],
        [
            _systems_table(found),
            *_limits_tables(found),
            _cuts_table(found),
            rules_table([RuleFound(*rule, counts[rule], {}) for rule in rules], with_texts=False),
        ],
        remarks=[
            f"One link: --link {one.first}-{one.second}. What each loss leaves: 'isfc plan --lose'."
        ],
        notes=[known],
        asked="How figures were made, more losses and what is found",
        known=found.notes or (),
    )


def _overview_answer(found: PlannedLinks) -> Iterator[tuple[str, str]]:
    if found.rate is not UNSET:
        yield "Carries", f"{with_unit(found.rate)}, {ALL_LINKS}, {found.load}"
    if found.limits is not UNSET:
        yield "Limited by", found.limits.named
    for each in found.cuts[:1]:
        yield "Worst cut", _cut_line(each)
    yield "To do", found.to_do


def _cut_line(loss: Cut) -> str:
    """What goes with a piece of hardware."""
    down = f"down are {link_names(loss.cut)}" if loss.cut else "no link goes down"
    return f"{loss.name}: {down}{f'; CTCs left of {fewer_line(loss)}' if loss.fewer else ''}"


def _systems_table(found: PlannedLinks) -> Table:
    """What each system has, and carries with all links together if that was run."""
    columns = [
        Column("system", "name"),
        *([Column("out", "rate"), Column("in", "back", Unit.MB_PER_S)] if found.load else []),
        *headed(links="links", ctcs="CTCs", channels="channels"),
        Column("Gb/s", "gbps", Unit.GBPS),
    ]
    caption = f"What each system has{f', MB/s (2^20) {found.load}' if found.load else ''}"
    return Table(caption, columns, found.systems, "systems")


def _limits_tables(found: PlannedLinks) -> list[Table]:
    """What is busiest of what links share, and the slowest links; none, no table."""
    columns = [
        Column("shared by links", "name"),
        Column("busy\n%", "busy", Unit.SHARE),
        Column("links", "links"),
    ]
    slowest = "The slowest links, MB/s from the first node and to it"
    ways = [
        Column("link", "name"),
        Column("->", "out", Unit.MB_PER_S, value=lambda each: each.out or None),
        Column("<-", "back", Unit.MB_PER_S, value=lambda each: each.back or None),
    ]
    tables = (
        Table("What is busiest in that run", columns, found.busiest, "busiest"),
        Table(slowest, ways, found.slowest, "slowest"),
    )
    return [each for each in tables if each.rows]


def _cuts_table(found: PlannedLinks) -> Table:
    """The losses that cut most."""
    columns = [
        Column("what is lost", "lost", value=lambda each: each.name),
        Column("links\ndown", "down", value=lambda each: link_names(each.cut)),
        Column("links\nwith fewer CTCs", "fewer", value=fewer_line),
    ]
    return Table("The losses that cut most", columns, found.cuts, "cuts", detail=True)
