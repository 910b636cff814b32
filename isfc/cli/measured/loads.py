"""``isfc loads``: a link's load by the time of day, and what is left."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct, structs

from isfc.answers.guest_file import read_guests
from isfc.arguments import as_options, read_size
from isfc.cli.measured.loads_page import loads_notes, loads_page, loads_picture
from isfc.cli.measured.options import MeasuredFiles
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, open_layout
from isfc.cli.options.number import JobsOption, bounded
from isfc.cli.options.option import valued
from isfc.cli.options.profile import ProfileOption
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption
from isfc.cli.output.picture import check_picture, write_picture
from isfc.cli.output.progress import run_all
from isfc.cli.output.streams import show, show_json, show_log
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from isfc.layout.layout import Layout
from isfc.layout.note import Note
from isfc.layout.site_file import with_site
from isfc.measured.figures import Reading
from isfc.measured.file import read_content
from isfc.measured.intervals import CarriedInterval, is_interval_table
from isfc.reports.ranges import RangeJson, range_json
from isfc.reports.record import record_of
from isfc.search import loads
from isfc.search.sized import LostPiece
from scenarios.moves.evacuation import TOGETHER_MAX
from scenarios.moves.guest import GuestPlan
from scenarios.moves.guest_memory import GuestMemory
from scenarios.moves.vmrelocate import Limits
from scenarios.runs.at_site import given_site


class Period(StrEnum):
    """After which time the load is taken to be the same again."""

    DAY = "day"
    WEEK = "week"


class AskedLoads(Struct, frozen=True):
    """What is asked of a link's loads."""

    percentile: Annotated[
        float, bounded("PERCENT", 1, 100, "Of the time: what is to be carried for so much of it.")
    ] = 95.0
    period: Annotated[
        Period, typer.Option(help="What the load repeats after: a day, or a week.")
    ] = Period.DAY
    lost: Annotated[LostPiece, typer.Option(help="What may be gone while it is carried.")] = (
        LostPiece.CHPID
    )
    growth: Annotated[
        float, bounded("PERCENT", 0, 100, "By how much the load grows each month.")
    ] = 0.0
    months: Annotated[
        int, bounded("N", 1, loads.MONTHS_MAX, "For how many months headroom is shown.")
    ] = 12
    move: Annotated[
        str | None, valued("SIZE", "Find when a guest of that memory, as 512G, leaves soonest.")
    ] = None
    guests: Annotated[
        Path | None,
        valued(
            "FILE.csv",
            "Find when these leave soonest: name,memory,change_rate, as for 'isfc evacuate'.",
        ),
    ] = None
    together: Annotated[
        int, bounded("N", 1, TOGETHER_MAX, "How many guests leave at the same time.")
    ] = 1
    source: Annotated[
        str | None, valued("NODE", "The system that they leave; else the first.", "--from")
    ] = None

    def question(self) -> loads.LoadQuestion:
        """The same for `loads_of`."""
        if self.source is not None and self.move is None and self.guests is None:
            raise ConfigurationError("--from: expected --guests FILE.csv or --move SIZE with it")
        return loads.LoadQuestion(
            *(self.percentile, self.period.value, self.lost.value, self.growth, self.months),
            *(self._leaving(), self.together, self.source),
        )

    def _leaving(self) -> tuple[GuestPlan, ...]:
        if self.move is not None and self.guests is not None:
            raise ConfigurationError("--move and --guests: expected one of them")
        if self.move is not None:
            size = read_size("--move", self.move)
            with within("--move"):
                return loads.leaving_guests(GuestMemory(size=size, touched=size))
        if self.guests is None:
            return ()
        with as_options():
            lines = read_guests(self.guests, has_destination=False, defaults=Limits())
        return tuple(line.plan for line in lines)


@flattened
def show_loads(
    layout: LayoutArgument,
    files: MeasuredFiles,
    *,
    link: LinkOption = None,
    profile: ProfileOption = None,
    asked: AskedLoads,
    plot: Annotated[
        Path | None, valued("FILE", "Draw the load by time, and what the layout carries.")
    ] = None,
    force: ForceOption = False,
    jobs: JobsOption = None,
    json: JsonOption = False,
) -> None:
    """Show a link's load by the time of day, and what is left.

    Link activity of any format, or a CSV table of begin, end and a column for each node with the
    MB/s that it sent, is held against what the layout carries by the model, with one piece gone.
    Ends with 1 if the layout does not carry the percentile.
    """
    check_picture(plot, force=force)
    question = asked.question()
    opened = with_site(open_layout(layout, link), given_site(profile))
    intervals = _read(files, opened)
    run_each = partial(run_all, jobs=jobs, is_said=True)
    found = loads.loads_of(opened, intervals, question, run_each)
    if plot is not None:
        write_picture(plot, loads_picture(found))
    if json:
        show_json(loads_json(found))
    else:
        show(loads_page(found))
    if any(way.headroom() < 0 for way in found.ways):
        raise typer.Exit(ExitCode.FAILED)


def _read(files: MeasuredFiles, link: Layout) -> list[CarriedInterval]:
    """What the link carried, of tables and of what else there is; bad rows are told if left out."""
    if files.ran:
        raise ConfigurationError("--ran: what ran does not matter here; expected none")
    contents = {path: read_content(path) for path in files.files}
    tables = {path: data for path, data in contents.items() if is_interval_table(data, link)}
    rest = [path for path in files.files if path not in tables]
    measured = structs.replace(files, files=rest).read(contents=contents) if rest else []
    reading = Reading(usable=files.usable, decimal_comma=files.decimal_comma)
    intervals = loads.link_intervals(link, measured, tables, reading)
    for problem in reading.problems:
        show_log(f"isfc: left out: {problem}")
    return intervals


class CarriesJson(Struct, frozen=True):
    """What a node can send over a layout."""

    mb_per_s: float
    """by the model, saturated"""
    range: RangeJson | None
    """between what that would lie; null if no CTC is left"""
    gone: str
    """what it is without; empty if nothing"""


class WayLoadJson(Struct, frozen=True):
    """What a node sent, and what it can send."""

    sender: str
    mean_mb_per_s: float
    """of all intervals"""
    percentile_mb_per_s: float
    """for so many percent of the time it sent no more"""
    busiest_mb_per_s: float
    """the most of an interval"""
    busiest: str
    """when that began"""
    whole: CarriesJson
    left: CarriesJson | None
    """with the piece gone that costs most; null with `--lost none`"""
    headroom: list[float | None]
    """by month from now on: by how much more than the percentile it carries then, of 1; null if
    nothing was sent"""
    headroom_likely: list[tuple[float, float] | None]
    """between what that lies in four of five cases"""
    months_left: int | None
    """after how many months it does not carry the percentile; null if never in ten years"""
    months_left_likely: tuple[int, int] | None
    """between what that lies in four of five cases"""


class SlotJson(Struct, frozen=True):
    """A quarter of an hour of the day or the week."""

    begin: str
    mean_mb_per_s: dict[str, float]
    """by sender"""
    percentile_mb_per_s: dict[str, float]
    """by sender"""


class WindowJson(Struct, frozen=True):
    """When guests may begin to leave."""

    begin: str
    seconds: float
    """until the last is gone, beside the percentile of each quarter of an hour"""
    likely_seconds: tuple[float, float]
    """between what that lies in four of five cases"""
    stays: list[str]
    """guests that a limit kept"""
    less_mb_per_s: float
    """that the other traffic of their system has meanwhile, of what it sends when they begin"""


class LoadsJson(Struct, frozen=True):
    """``isfc loads --json``. Names and meanings of the keys stay between releases."""

    nodes: list[str]
    intervals: int
    """how many were read"""
    begin: str
    """of the first, as its source prints it"""
    end: str
    """of the last"""
    percentile: float
    period: str
    lost: str
    growth_percent: float
    """a month"""
    ways: list[WayLoadJson]
    """by sender"""
    slots: list[SlotJson]
    """those of the period that some interval is in"""
    guests: list[str]
    """that leave; empty without `--guests` or `--move`"""
    move_bytes: int
    """of their memory, that they have ever touched"""
    together: int
    source: str | None
    """where they leave"""
    windows: list[WindowJson]
    """when they may begin to: first where fewest stay, of these the shortest"""
    notes: list[Note]
    """as of `isfc plan --json`"""


def loads_json(found: loads.Loads) -> LoadsJson:
    """The record of the loads of a link."""
    nodes, leaving = found.layout.nodes, found.leaving
    return LoadsJson(
        [*nodes],
        len(found.intervals),
        str(found.intervals[0].begin),
        str(found.intervals[-1].end),
        found.percentile,
        found.period,
        found.lost.value,
        100 * found.growth,
        [_way_json(found, way) for way in found.ways],
        [
            SlotJson(
                slot.label,
                dict(zip(nodes, slot.mean_mb_per_s, strict=True)),
                dict(zip(nodes, slot.mb_per_s, strict=True)),
            )
            for slot in found.slots
        ],
        [] if leaving is None else [guest.name for guest in leaving.guests],
        0 if leaving is None else sum(guest.memory.touched for guest in leaving.guests),
        0 if leaving is None else leaving.together,
        None if leaving is None else leaving.source,
        [
            record_of(WindowJson, each, begin=each.label, likely_seconds=each.likely_s)
            for each in found.windows
        ],
        list(loads_notes(found)),
    )


def _carries_json(carries: loads.Carries) -> CarriesJson:
    return CarriesJson(carries.rate.value, range_json(carries.rate), carries.gone)


def _way_json(found: loads.Loads, way: loads.WayLoad) -> WayLoadJson:
    left = way.months_left(found.growth)
    months = range(found.months + 1)
    return record_of(
        WayLoadJson,
        way,
        percentile_mb_per_s=way.mb_per_s,
        whole=_carries_json(way.whole),
        left=None if way.left is None else _carries_json(way.left),
        headroom=[way.headroom(m, found.growth) if way.mb_per_s else None for m in months],
        headroom_likely=[
            way.headroom_likely(m, found.growth) if way.mb_per_s else None for m in months
        ],
        months_left=None if left is None else left[1],
        months_left_likely=None if left is None else (left[0], left[2]),
    )
