"""What is shown of guests that were moved: when each was, its passes, and what that cost others."""

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.answers.advice import paces, two_paces
from isfc.answers.moves import (
    GIB,
    PASS_HEADS,
    each_guest,
    guest_line,
    pass_rows,
    ranges_line,
    what_became,
    with_range,
    would_line,
)
from isfc.layout.in_words import first_listed
from isfc.reports.ranges import range_note
from isfc.reports.table import plain_table
from isfc.reports.units import range_of
from scenarios.figures.figure import Figure
from scenarios.figures.ranges import links_rate
from scenarios.moves.evacuation import Evacuated, Evacuation, EvacuationOutcome
from scenarios.moves.figures import MovedFigures, MovesFigures
from scenarios.moves.guest_memory import KNOWN_GUESTS, GuestMemory
from scenarios.moves.orders import Response
from scenarios.moves.record import WouldMove
from scenarios.runs.result import MIB

_COLUMNS: Final = 14
"""Of the chart."""

_SHOWN: Final = 16
"""Guests whose passes are on a page, of more those that were not moved first."""


def moves_page(
    outcome: EvacuationOutcome, figures: MovesFigures, like: str | None = None
) -> RenderableType:
    """The whole page; ``like`` is the kind of guest that was asked for, if one was."""
    evacuation, guests = outcome.evacuation, outcome.guests
    parts: list[RenderableType] = [f"Relocation of {moves_in_words(evacuation)}"]
    is_alike = len({plan.memory for plan in evacuation.plans}) == 1
    if is_alike:
        parts.append(_memory(evacuation.plans[0].memory))
    if like is not None:
        parts.append(f"{like}: {KNOWN_GUESTS[like].basis}")
    if len(guests) > 1:
        parts += ["", *_sums(outcome), "", _schedule(outcome, figures)]
    shown = [*each_guest(outcome, figures)]
    if len(shown) > _SHOWN:
        shown = [each for each in shown if not each[0].moved][:_SHOWN]
        parts += ["", "Passes of every guest: --csv or --json."]
    for guest, would, within in shown:
        parts += ["", *_guest(guest, would, within, "" if is_alike else _memory(guest.plan.memory))]
    for response in outcome.responses:
        parts += ["", *response_lines(response)]
    if outcome.alone:
        parts += ["", *_traffic(outcome)]
    return Group(*parts, *(["", ranges_line(figures)] if figures.rates else []))


def moves_in_words(evacuation: Evacuation) -> str:
    """``3 guests from ALPHA to BETA, one by one``: how many, where, and how many together."""
    count, together = len(evacuation.tenants), evacuation.together
    way = f"from {evacuation.name} to {evacuation.destination}"
    if count == 1:
        return f"a guest {way}"
    order = "one by one" if together == 1 else f"{together} together"
    if together >= count:
        order = "all together"
    return f"{count} guests {way}, {order}"


def _sums(outcome: EvacuationOutcome) -> Iterator[str]:
    yield (
        f"{outcome.moved_count} of {len(outcome.guests)} guests moved in {outcome.seconds:.2f} s; "
        f"the longest stop of a guest is {outcome.longest_stop_s:.2f} s."
    )
    other = [f"{each.plan.name} ({each.meant})" for each in outcome.guests if each.elsewhere]
    if other:
        yield f"Elsewhere, as the link to where they were to go was down: {first_listed(other, 8)}."


def _memory(memory: GuestMemory) -> str:
    is_small = memory.size < GIB
    parts = [f"memory {memory.size / (MIB if is_small else GIB):g} {'MiB' if is_small else 'GiB'}"]
    if memory.touched < memory.size:
        parts.append(f"{memory.touched / GIB:.3g} GiB of it touched")
    if memory.change_rate or not memory.hot_set:
        parts.append(f"of which {memory.change_rate / MIB:g} MB/s change")
    if memory.hot_set:
        written = f"{memory.write_rate / MIB:g} MB/s"
        parts.append(f"{memory.hot_set / GIB:.3g} GiB hot, written with {written}")
    return ", ".join(parts)


def _schedule(outcome: EvacuationOutcome, figures: MovesFigures) -> Table:
    heads = (">begins", ">takes", "~range", ">stop", "~range")
    sources = len({each.source for each in outcome.guests}) > 1
    table = plain_table("guest", *["from"] * sources, "to", ">GiB", *heads, "", gap=1)
    for each, _, known in each_guest(outcome, figures):
        table.add_row(
            Text(each.plan.name),
            *[each.source] * sources,
            each.to,
            f"{each.plan.memory.size / GIB:g}",
            f"{each.begin_s:.2f}",
            *with_range(known.seconds),
            *with_range(known.quiesced),
            Text(_bar(each, outcome.seconds), "cyan", no_wrap=True)
            if each.moved
            else Text(f"not moved, {each.end}", "yellow"),
        )
    return table


def _bar(each: Evacuated, seconds: float) -> str:
    """When it was under way, of all the time."""
    begin = int(each.begin_s / seconds * _COLUMNS)
    end = max(begin + 1, round(each.end_s / seconds * _COLUMNS))
    return " " * begin + "=" * (end - begin)


def _guest(
    guest: Evacuated, would: WouldMove | None, within: MovedFigures, memory: str
) -> Iterator[RenderableType]:
    """What became of one, its passes, and what would let it be moved."""
    yield what_became(guest)
    yield from filter(None, (memory, guest_line(guest, within)))
    table = plain_table(*(f"{'>' * bool(place)}{head}" for place, head in enumerate(PASS_HEADS)))
    for row in pass_rows(guest.passes):
        table.add_row(*row)
    yield table
    if would is not None:
        yield would_line(would)


def response_lines(response: Response) -> Iterator[RenderableType]:
    """A command as the operator gave it, and what it came to."""
    yield f"{response.at_s:g} s: {response.command}"
    if response.told:
        yield response.told
    if response.lines:
        table = plain_table("User", "From", "To", "Elapsed", "Status")
        for line in response.lines:
            hours, rest = divmod(int(line.elapsed_s), 3600)
            elapsed = f"{hours:02}:{rest // 60:02}:{rest % 60:02}"
            table.add_row(line.user, line.source, line.to, elapsed, line.stage)
        yield table


def traffic_rate(outcome: EvacuationOutcome, link: str, mb_per_s: float) -> Figure:
    """What the other traffic of a link carries."""
    return links_rate(mb_per_s, [outcome.evacuation.collection.link(link)])


def _traffic(outcome: EvacuationOutcome) -> Iterator[RenderableType]:
    figures = (">without", "~range", ">meanwhile", "~range", ">left %")
    exchanges = (">exchanges/s\nwithout", ">\nmeanwhile")
    table = plain_table("other traffic,\nMB/s both ways", *figures, *exchanges, gap=1)
    ranges = []
    for alone, meanwhile in zip(outcome.alone, outcome.meanwhile, strict=True):
        rates = [each.rate.mb_per_s for each in (alone, meanwhile)]
        within = [traffic_rate(outcome, alone.link, rate) for rate in rates]
        ranges += within
        loads = outcome.evacuation.loads_of(alone.link)
        table.add_row(
            " ".join([alone.link, *(f"{load.workload.name}:{load.pairs}" for load in loads)]),
            paces(alone.rate),
            range_of(within[0]),
            f"{rates[1]:.0f}",
            range_of(within[1]),
            f"{100 * rates[1] / max(1e-9, rates[0]):.0f}",
            f"{alone.exchanges_per_s:.0f}",
            f"{meanwhile.exchanges_per_s:.0f}",
        )
    yield table
    yield range_note(ranges)
    if second := two_paces((each.link, each.rate) for each in outcome.alone):
        yield second
