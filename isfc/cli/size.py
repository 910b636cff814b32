"""``isfc size``: how many chpids and CTCs a link needs to carry so much with one piece gone."""

import os
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct
from rich.console import RenderableType

from ctc.profiles import find_profile
from isfc.answers.limit import limit_line, limits_of
from isfc.answers.limit_record import Limits
from isfc.cli.options.experiment import complete_workload
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption
from isfc.cli.options.number import JobsOption, bounded
from isfc.cli.options.option import valued
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption, check_file, output_option
from isfc.cli.output.progress import progress_bar
from isfc.cli.output.streams import show, show_json, write_file
from isfc.layout.checked_toml import within
from isfc.layout.document import KM_MAX
from isfc.layout.new import read_nodes
from isfc.layout.note import Note
from isfc.layout.write import format_layout
from isfc.reports.ranges import RangeJson, range_note
from isfc.reports.record import record_of
from isfc.reports.table import apart, plain_table
from isfc.reports.units import range_of
from isfc.search.sized import LinkSizing, LostPiece, SizedLink
from isfc.search.sizing import DEFAULT_FEATURES, MB_PER_S_MAX, RUNS_MAX
from isfc.search.sizing import size as size_link
from scenarios.runs.experiment import PAIRS_MAX
from scenarios.runs.notes import BUSY_UNRANGED, run_notes
from scenarios.runs.saturation import SATURATING_PAIRS, SUITE

_GONE = {
    LostPiece.NONE: "with nothing gone",
    LostPiece.CTC: "with a CTC gone",
    LostPiece.CHPID: "with a chpid gone",
    LostPiece.DIRECTOR: "with one of two directors gone",
}


class WantedOptions(Struct, frozen=True):
    """What the link has to carry, and what it may be made of."""

    mb_per_s: Annotated[
        float, bounded("MB/s", 1, MB_PER_S_MAX, "What the link has to carry, each way.")
    ]
    lost: Annotated[
        LostPiece, typer.Option(help="What is gone then; of directors there are two.")
    ] = LostPiece.CHPID
    feature: Annotated[
        list[str] | None,
        valued(
            "FEATURE",
            "A FICON feature to choose from; may be repeated. "
            f"{', '.join(DEFAULT_FEATURES)} if not said.",
        ),
    ] = None
    km: Annotated[float, bounded("KM", 0, KM_MAX, "How long the fibres are.")] = 0.0
    workload: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="What runs over the link.", autocompletion=complete_workload
        ),
    ] = SUITE
    pairs: Annotated[
        int, bounded("N", 1, PAIRS_MAX, "Pairs of guests: with so many, more carry no more.")
    ] = SATURATING_PAIRS
    systems: Annotated[str, valued("NAME,NAME", "The two systems.")] = "ATLANTA,BOSTON"

    def __post_init__(self) -> None:
        with within("--feature"):
            for each in self.feature or ():
                find_profile(each)
        with within(f"--systems {self.systems[:40]!r}"):
            read_nodes(self.systems)

    def sized(self, jobs: int | None) -> LinkSizing:
        """The links that were tried, with a bar over the runs."""
        features = tuple(self.feature or DEFAULT_FEATURES)
        with progress_bar(
            RUNS_MAX * len(features),
            "runs at most",
            lambda _: "interrupted; nothing is kept",
            is_said=True,
        ) as advance:
            return size_link(
                self.mb_per_s,
                lost=self.lost.value,
                feature=features,
                km=self.km,
                workload=self.workload,
                pairs=self.pairs,
                systems=self.systems,
                jobs=jobs or os.cpu_count() or 1,
                progress=advance,
            )


@flattened
def size(
    wanted: WantedOptions,
    *,
    output: Annotated[
        Path | None, output_option("Write the layout of the best to a file.", "FILE.toml")
    ] = None,
    force: ForceOption = False,
    jobs: JobsOption = None,
    json: JsonOption = False,
) -> None:
    """Say how many chpids and CTCs a link needs, with one piece gone.

    For each feature the fewest chpids that carry it by the model, and one chpid more if fewer CTCs
    do then; with -o the best as a layout. Ends with 1 if no link carries it, and says what
    limits the one that carries most.
    """
    check_file("-o", output, (".toml",), force=force)
    found = wanted.sized(jobs)
    best = found.best
    if output is not None and best is not None:
        write_file(output, format_layout(best.layout, heading=[_verdict(found)], explained=True))
    if json:
        show_json(size_json(found))
    else:
        show(sizing_page(found))
    if best is None:
        raise typer.Exit(ExitCode.FAILED)


class SizedLinkJson(Struct, frozen=True):
    """A link that was tried."""

    feature: str
    chpids: int
    """of each system"""
    ctcs: int
    """of the link"""
    ports: int
    """of directors, for both systems; cables from chpid to chpid need none"""
    whole_mb_per_s: float
    """one way, in its slower direction"""
    whole_range: RangeJson | None
    """between what that would lie"""
    left_mb_per_s: float
    """the same with the piece gone"""
    range: RangeJson
    """between what this would lie"""
    odds: float
    """how likely it is that it reaches what is wanted on real hardware, of 1"""
    reaches: bool
    """whether it does by the model"""


class LinkSizeJson(Struct, frozen=True):
    """``isfc size --json``. Names and meanings of the keys stay between releases."""

    wanted_mb_per_s: float
    """each way"""
    lost: str
    """what is gone then"""
    km: float
    workload: str
    pairs: int
    best: SizedLinkJson | None
    """the same as one of `links`; null if no link carries what is wanted"""
    links: list[SizedLinkJson]
    """by feature"""
    limits: Limits | None
    """what limits the one that carries most, where none carries what is wanted"""
    notes: list[Note]
    """what belongs to the figures of the best, or of the one that carries most"""


def size_json(found: LinkSizing) -> LinkSizeJson:
    """The record of what was sized."""
    best, limit = found.best, found.limit
    return LinkSizeJson(
        found.mb_per_s,
        found.lost.value,
        found.km,
        found.load.workload.name,
        found.load.pairs,
        None if best is None else _link_json(best, found),
        [_link_json(each, found) for each in found.links],
        None if limit is None else limits_of(limit, found.most.left.value),
        list(_notes(found)),
    )


def _notes(found: LinkSizing) -> tuple[Note, ...]:
    """What belongs to the figures of the link that is proposed, or carries most."""
    link, load = found.best or found.most, found.load
    known = run_notes(link.layout, load.workload, load.pairs, link.whole.value)
    return known if found.limit is None else (*known, BUSY_UNRANGED)


def _link_json(link: SizedLink, found: LinkSizing) -> SizedLinkJson:
    return record_of(
        SizedLinkJson,
        link,
        whole_mb_per_s=link.whole.value,
        whole_range=link.whole,
        left_mb_per_s=link.left.value,
        range=link.left,
        odds=link.odds.share,
        reaches=found.reaches(link),
    )


def sizing_page(found: LinkSizing) -> RenderableType:
    """The verdict, and a line for each candidate."""
    load, gone = found.load, _GONE[found.lost]
    sizes = (">chpids", ">CTCs", ">ports")
    rates = (">whole", "range", ">left", "range", f"odds of\n{found.mb_per_s:.10g}")
    table = plain_table("feature", *sizes, *rates, gap=1, no_wrap=True)
    for link in found.links:
        table.add_row(
            *(link.feature, str(link.chpids), str(link.ctcs), str(link.ports)),
            *(f"{link.whole.value:.0f}", range_of(link.whole)),
            *(f"{link.left.value:.0f}", range_of(link.left), str(link.odds)),
            style="bold green" if link is found.best else "",
        )
    heading = (
        f"MB/s (2^20) one way, of the slower direction, with {load.pairs} pairs of "
        f"{load.workload.name}{f' over {found.km:g} km' if found.km else ''}; "
        f"left is what it carries {gone}"
    )
    known = [figure for link in found.links for figure in (link.whole, link.left)]
    notes = (note.text for note in _notes(found))
    return apart([_verdict(found), heading, table, range_note(known), *notes])


def _verdict(found: LinkSizing) -> str:
    """What to order, or why nothing helps."""
    wanted, gone, best = f"{found.mb_per_s:,g} MB/s each way", _GONE[found.lost], found.best
    if best is None:
        most = found.most
        why = "" if found.limit is None else limit_line(found.limit, most.left.value)
        return (
            f"Not reachable: no link carries {wanted} {gone}. {most.chpids} chpids of "
            f"{most.feature} carry most, {most.left.value:,.0f}, {why} MB/s."
        )
    each = f"{best.ctcs // best.chpids} on each" if best.chpids > 1 else "all on it"
    return (
        f"Best: {best.chpids} chpid{'s' * (best.chpids > 1)} of {best.feature} at each system, "
        f"{best.ctcs} CTC{'s' * (best.ctcs > 1)}, {each}; "
        f"{best.left.value:,.0f} MB/s each way {gone}. "
        f"The odds of {found.mb_per_s:,g} are {best.odds}."
    )
