"""What several links carried together in a run: all, each link, system and shared channel."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from msgspec import UNSET, UnsetType, field
from msgspec.structs import asdict, replace

from isfc.answers.limit import LimitedBy, limits_answer
from isfc.answers.link_run import ceiling_notes, seeds_differ
from isfc.answers.shared import Shared, disks_answer, disks_tables
from isfc.errors.loading import named
from isfc.layout.capacity import End
from isfc.layout.sharing import channel_name
from isfc.reports.figure import Figure, Note, Reported, Unit
from isfc.reports.measures import run_words
from isfc.reports.report import Column, Report, Table, data_table, headed
from isfc.reports.units import range_note, shown, with_unit
from scenarios.figures.ranges import flat_range, links_rate
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import SHARED_UNRANGED, beyond_measured_cluster, cluster_notes
from scenarios.runs.operation import ConsoleEntry
from scenarios.runs.report import CarriedRates, ClusterRow
from scenarios.runs.timeline import Timeline

_LINKS_MAX: Final = 6
_SHOWN: Final = 5
"""Links that a page holds, those of four members; and of more, and of what they share, how many."""

_FLAT: Final = (
    *("name", "traffic", "mb_per_s_out", "mb_per_s_in", "mb_per_s", "messages_per_s"),
    *("collisions_per_s", "busy_percent", "spread_percent"),
)


class CarriedPart(CarriedRates, frozen=True, kw_only=True):
    """What a link, a system, a channel or all carried; null is what is not of it."""

    traffic: str = ""
    """of a link"""
    figures: dict[str, Figure] = field(default_factory=dict)
    """`mb_per_s` with its range; none of what several fibres share"""


class SharedPart(CarriedPart, frozen=True, kw_only=True):
    """What a channel or a path carried that several fibres share."""

    links: tuple[CarriedPart, ...]
    """what each moves over it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksRun(Reported):
    """What several links carried in one run; means, if it was repeated with several seeds."""

    reported_by = "isfc.answers.links_run.links_run_report"

    seconds: float
    """virtual time that was measured"""
    warmup: float
    """virtual time before that"""
    seed: int
    seeds: int
    """how many the means are of"""
    links: tuple[CarriedPart, ...]
    """those with traffic"""
    systems: tuple[CarriedPart, ...]
    """the same of each over all its links"""
    channels: tuple[SharedPart, ...]
    """those that several fibres share or one has both ends on"""
    paths: tuple[SharedPart, ...]
    """the same of each path whose inter-switch links several fibres take"""
    together: CarriedPart
    """the same of all links"""
    shared_channels: tuple[str, ...]
    """the channels that several systems, fibres, or CTCs and disks share, in words"""
    extrapolated: list[str]
    """what no published figure identifies: [extrapolation](extrapolation.md)"""
    notes: list[Note]
    version: str
    """what printed it"""
    command: str
    limits: LimitedBy | UnsetType = UNSET
    """of all together, as of one link"""
    cp: list[ConsoleEntry] | UnsetType = UNSET
    """as of one link"""
    disks: Shared | UnsetType = UNSET
    timelines: tuple[Timeline, ...] = dataclasses.field(default=(), repr=False, compare=False)
    """of each link every I/O, if it was kept"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each link, system, shared channel and path, and for all.

        MB/s have the ends of their ranges, None where there is none.
        """
        every = [
            *(("link", each) for each in self.links),
            *(("system", each) for each in self.systems),
            *_parts("channel", self.channels),
            *_parts("path", self.paths),
            ("all", self.together),
        ]
        ranges = [
            flat_range("mb_per_s", each.figures["mb_per_s"]) if each.figures else {}
            for _, each in every
        ]
        columns = dict.fromkeys(key for one in ranges for key in one)
        return [
            {
                "kind": kind,
                **{name: getattr(each, name) for name in _FLAT},
                **{key: one.get(key) for key in columns},
            }
            for (kind, each), one in zip(every, ranges, strict=True)
        ]


def _parts(kind: str, shared: Sequence[SharedPart]) -> Iterator[tuple[str, CarriedPart]]:
    for each in shared:
        yield kind, each
        yield from (("share", link) for link in each.links)


def links_run(
    experiment: Experiment,
    rows: Sequence[ClusterRow],
    seeds: int | None = None,
    command: str = "",
    **more: Any,
) -> LinksRun:
    """The record of a run, or of the means of several; ``more`` are further fields."""
    shared: dict[str, list[SharedPart]] = {"channel": [], "path": []}
    kind = ""
    for row in rows:
        if row.kind in shared:
            kind = row.kind
            shared[kind].append(SharedPart(**_fields(experiment, row), links=()))
        elif row.kind == "share":
            part = CarriedPart(**_fields(experiment, row))
            whole = shared[kind].pop()
            shared[kind].append(replace(whole, links=(*whole.links, part)))
    links, systems, every = (
        tuple(CarriedPart(**_fields(experiment, row)) for row in rows if row.kind == kind)
        for kind in ("link", "system", "all")
    )
    known = map(channel_name, experiment.collection.shared_channels)
    names = dict.fromkeys([*known, *(each.name for each in shared["channel"])])
    return LinksRun(
        seconds=experiment.seconds,
        warmup=experiment.warmup,
        seed=experiment.seed,
        seeds=seeds or 1,
        links=links,
        systems=systems,
        channels=tuple(shared["channel"]),
        paths=tuple(shared["path"]),
        together=every[0],
        shared_channels=tuple(names),
        extrapolated=beyond_measured_cluster(experiment.collection),
        notes=[
            *cluster_notes(experiment.collection),
            *ceiling_notes(experiment.collection.links, _sent(experiment, links)),
            SHARED_UNRANGED,
        ],
        version=named("isfc.__version__"),
        command=command,
        **more,
    )


def _sent(experiment: Experiment, parts: Sequence[CarriedPart]) -> dict[End, float]:
    """MB/s by end of what each link carried."""
    nodes = {link.name: link.nodes for link in experiment.collection.links}
    out = {nodes[each.name]: each.mb_per_s_out for each in parts}
    return out | {nodes[each.name][::-1]: each.mb_per_s_in for each in parts}


def _fields(experiment: Experiment, row: ClusterRow) -> dict[str, Any]:
    """The figures of a row; the range is of MB/s together, and none of what fibres share."""
    fields = asdict(row)
    del fields["kind"]
    every = experiment.collection.links
    links = {
        "link": [link for link in every if link.name == row.name],
        "system": [link for link in every if row.name in link.nodes],
        "all": every,
    }.get(row.kind)
    return {**fields, "figures": {"mb_per_s": links_rate(row.mb_per_s, links)} if links else {}}


def links_run_report(found: LinksRun) -> Report:
    """What all carry and what limits them, then links, systems, and what several fibres share."""
    links = sorted(found.links, key=lambda each: each.mb_per_s)[:_SHOWN]
    many = len(found.links) > _LINKS_MAX
    slowest = f"The slowest {len(links)} of {len(found.links)} links, MB/s"
    shown_links = links if many else found.links
    spread = found.seeds > 1
    shared = [] if found.disks is UNSET else [*disks_tables(found.disks)]
    return Report(
        f"{len(found.links)} logical link{'s' * (len(found.links) > 1)} of "
        f"{', '.join(each.name for each in found.systems)}, together",
        [*_answer(found)],
        [
            data_table("All", found.rows(), "rows"),
            Table(
                slowest if many else "Links, MB/s (2^20); out is from the first node",
                _columns("link", traffic=True, spread=spread),
                shown_links,
                "links",
            ),
            Table("Systems, MB/s", _columns("system"), (*found.systems, found.together), "systems"),
            *_busiest(found),
            *shared,
        ],
        notes=[*_known(found)],
        known=found.notes,
    )


def _answer(found: LinksRun) -> Iterator[tuple[str, str]]:
    yield "Together", f"{with_unit(found.together.figures['mb_per_s'])} both ways"
    if found.seeds > 1:
        yield "Seeds", seeds_differ(found.seeds, found.together.spread_percent)
    yield from limits_answer(found.limits)
    if found.disks is not UNSET:
        yield from disks_answer(found.disks)
    elif busy := [each for each in (*found.channels, *found.paths) if each.busy_percent]:
        most = max(busy, key=lambda each: each.busy_percent or 0.0)
        yield "Busiest", f"{most.name}: {shown(most.busy_percent or 0.0, Unit.PERCENT)} %"


def _columns(head: str, *, traffic: bool = False, spread: bool = False) -> list[Column]:
    return [
        Column(head, "name"),
        *headed(Unit.MB_PER_S, mb_per_s_out="out", mb_per_s_in="in"),
        Column("both", "mb_per_s", value=lambda part: part.figures["mb_per_s"]),
        *headed(Unit.PER_S, messages_per_s="msg/s", collisions_per_s="coll/s"),
        *([Column("spread\n%", "spread_percent", Unit.PERCENT)] if spread else []),
        *([Column("traffic", "traffic", folds=True, value=_arrows)] if traffic else []),
    ]


def _arrows(part: CarriedPart) -> str:
    """``HL:50 ->`` if the clients are on the first node of the link, ``<- HL:50`` if not."""
    first, arrows = part.name.partition("-")[0], list[str]()
    for each in filter(None, part.traffic.split(", ")):
        ends, _, load = each.partition(":")
        arrows.append(f"{load} ->" if ends.partition("-")[0] == first else f"<- {load}")
    return ", ".join(arrows)


_OVER: Final = (
    *headed(Unit.MB_PER_S, mb_per_s_out="out", mb_per_s_in="in"),
    Column("busy %", "busy_percent", Unit.PERCENT),
)


def _busiest(found: LinksRun) -> Iterator[Table]:
    """What several fibres share, the busiest; and what each link moves over each, as a detail."""
    shared = sorted((*found.channels, *found.paths), key=lambda each: -(each.busy_percent or 0.0))
    if not shared:
        return
    of = f"the busiest {_SHOWN} of {len(shared)}" if len(shared) > _SHOWN else "all"
    caption = f"What several fibres share, MB/s: {of}"
    yield Table(caption, (Column("what", "name", folds=True), *_OVER), shared[:_SHOWN], "shared")
    every = [
        part for each in shared for part in (each, *(link for link in each.links if link.mb_per_s))
    ]
    columns = (
        Column("what", "name", folds=True, value=lambda part: _named(part, SharedPart)),
        Column("link", "link", value=lambda part: _named(part, CarriedPart)),
        *_OVER,
    )
    yield Table("What each link moves over it, MB/s", columns, every, "shares", detail=True)


def _named(part: CarriedPart, kind: type[CarriedPart]) -> str:
    return part.name if type(part) is kind else ""


def _known(found: LinksRun) -> Iterator[str]:
    yield f"{run_words(found.seconds, found.warmup, found.seed, found.seeds)}."
    parts = (*found.links, *found.systems, found.together)
    known = range_note(part.figures["mb_per_s"] for part in parts)
    yield f"A range is of MB/s both ways, and of the others in proportion. {known}".rstrip()
