"""What links carry alone and all together, and what they share: one report for every output."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from isfc.answers.advice import fewer_line, known_together, link_names
from isfc.answers.limit import limited
from isfc.answers.losses import ALL_LINKS
from isfc.layout.loss import Loss
from isfc.layout.note import Note
from isfc.reports.ranges import range_note
from isfc.reports.report import Column, Report, Table, caveats
from isfc.reports.units import shown, with_unit
from scenarios.figures.cluster_plan import ClusterOverview, ClusterPlan, LinkPlan
from scenarios.figures.figure import Figure, Unit
from scenarios.runs.channels import SharedResult


@dataclass(frozen=True, slots=True)
class TogetherRow:
    """A link from its first node, and to it: alone, and with all others; and its slower way."""

    link: str
    alone_from: float | None
    alone_to: float | None
    together_from: float | None
    together_to: float | None
    slower: Figure
    left: float
    traffic: str


def links_table(plan: ClusterPlan) -> Table:
    """Each link alone and with the others."""
    columns = [
        Column("link", "link"),
        Column("alone\n->", "alone_from", Unit.MB_PER_S),
        Column("\n<-", "alone_to", Unit.MB_PER_S),
        Column("together\n->", "together_from", Unit.MB_PER_S),
        Column("\n<-", "together_to", Unit.MB_PER_S),
        Column("slower\nway", "slower"),
        Column("left\n%", "left", Unit.SHARE),
        Column("traffic", "traffic"),
    ]
    caption = (
        "MB/s (2^20) from the first node of each link and to it, alone and all together, "
        f"{plan.together.load.words}"
    )
    return Table(caption, columns, [_link(each, plan) for each in plan.links])


def _link(each: LinkPlan, plan: ClusterPlan) -> TogetherRow:
    load = plan.together.load
    own = ", ".join(dict.fromkeys(load.partition(":")[2] for load in each.traffic))
    traffic = own or f"{load.workload.name}:{load.pairs}"
    out, back, beside_out, beside_back = (rate.mb_per_s or None for rate in each.rates)
    rates = out, back, beside_out, beside_back
    return TogetherRow(each.name, *rates, each.rate, each.share, traffic)


@dataclass(frozen=True, slots=True)
class SharedRow:
    """What several fibres share: what it can carry, what went over it, and for whom."""

    name: str
    line: float
    processor: float | None
    out: float
    back: float
    busy: float
    links: str


_WENT: Final = (
    Column("out", "out", Unit.MB_PER_S),
    Column("in", "back", Unit.MB_PER_S),
    Column("busy\n%", "busy", Unit.SHARE),
    Column("links: out/in", "links"),
)


def shared_tables(plan: ClusterPlan) -> list[Table]:
    """Channels and inter-switch links that several fibres share; none, no table."""
    channels = Table(
        "Channels that several fibres share, in MB/s of long messages: a line carries so much each "
        "way, a data processor both ways together; busy is what is nearest to its end",
        [
            Column("channel", "name"),
            Column("line", "line", Unit.MB_PER_S),
            Column("processor", "processor", Unit.MB_PER_S),
            *_WENT,
        ],
        [_shared(e, e.line_mb_per_s, e.processor_mb_per_s) for e in plan.together.channels],
    )
    paths = Table(
        "Inter-switch links, in MB/s of long messages: what their rate and buffer credits let "
        "through each way",
        [
            Column("inter-switch links", "name"),
            Column("each\nway", "line", Unit.MB_PER_S),
            *_WENT,
        ],
        [_shared(each, each.mb_per_s_max, None) for each in plan.together.paths],
    )
    return [each for each in (channels, paths) if each.rows]


def _shared(each: SharedResult, line: float, processor: float | None) -> SharedRow:
    moved = (
        f"{share.link} {shown(share.mb_per_s_out, Unit.MB_PER_S)}/"
        f"{shown(share.mb_per_s_in, Unit.MB_PER_S)}"
        for share in each.shares
        if share.mb_per_s_out or share.mb_per_s_in
    )
    went = each.mb_per_s_out, each.mb_per_s_in, each.busy
    return SharedRow(each.name, line, processor, *went, ", ".join(moved) or "nothing")


def cluster_report(plan: ClusterPlan, notes: Sequence[Note]) -> Report:
    """What all links carry, which keeps least, what limits them; then each, and what they share."""
    remarks, rest = caveats(notes)
    return Report(
        f"{len(plan.links)} links, alone and all together",
        [*_answer(plan)],
        [links_table(plan), *shared_tables(plan)],
        None,
        remarks,
        [*cluster_known(plan), *rest],
    )


def _answer(plan: ClusterPlan) -> Iterator[tuple[str, str]]:
    together, least = plan.together, min(plan.links, key=lambda link: link.share)
    yield "Carry", f"{with_unit(together.rate)} {ALL_LINKS}, in all"
    kept = shown(least.share, Unit.SHARE)
    yield "Keeps least", f"{least.name}: {kept} % of what it carries alone"
    shared = [*together.channels, *together.paths]
    if shared:
        busiest = max(shared, key=lambda each: each.busy)
        yield "Busiest", f"{busiest.name}, {shown(busiest.busy, Unit.SHARE)} %"
    if together.limit is not None:
        yield "Limited by", limited(together.limit)


def cluster_known(plan: ClusterPlan) -> list[str]:
    """How far the figures are known, and of which runs they are."""
    shared = (
        "What is shared is of the direction of the links in which it is busier. Who gets how much "
        "is out/in."
    )
    known = range_note(link.rate for link in plan.links), known_together(plan)
    return [*filter(None, known), *([shared] if shared_tables(plan) else [])]


@dataclass(frozen=True, slots=True)
class CutRow:
    """What hangs on a piece of hardware."""

    lost: str
    down: str
    fewer: str


def systems_table(found: ClusterOverview) -> Table:
    """What each system has, and carries with all links together if that was run."""
    is_run = found.together is not None
    load = "" if found.together is None else f", MB/s (2^20) {found.together.load.words}"
    columns = [
        Column("system", "name"),
        *([Column("out", "rate"), Column("in", "back", Unit.MB_PER_S)] if is_run else []),
        Column("links", "links"),
        Column("CTCs", "ctcs"),
        Column("channels", "channels"),
        Column("Gb/s", "gbps", Unit.GB_PER_S),
    ]
    return Table(f"What each system has, all links together{load}", columns, found.systems)


def limits_tables(found: ClusterOverview) -> list[Table]:
    """What is busiest of what links share, and the slowest links; none, no table."""
    busiest = [
        Column("what links share", "name"),
        Column("busy\n%", "busy", Unit.SHARE),
        Column("links", "links"),
    ]
    slowest = [
        Column("link", "name"),
        Column("->", "out", Unit.MB_PER_S),
        Column("<-", "back", Unit.MB_PER_S),
    ]
    tables = (
        Table("What is busiest in that run", busiest, found.busiest),
        Table("The slowest links, MB/s from the first node and to it", slowest, found.slowest),
    )
    return [each for each in tables if each.rows]


def cuts_table(losses: Sequence[Loss]) -> Table:
    """The losses that cut most."""
    columns = [
        Column("what is lost", "lost"),
        Column("links\ndown", "down"),
        Column("links\nwith fewer CTCs", "fewer"),
    ]
    rows = [CutRow(each.name, link_names(each.cut), fewer_line(each)) for each in losses]
    return Table("The losses that cut most", columns, rows)
