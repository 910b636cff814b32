"""The page of guests that were moved: first what the moves come to."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec.structs import asdict

from isfc.answers.limit import limits_answer
from isfc.answers.moves import MovedGuest, Moves
from isfc.errors.arguments import spelt
from isfc.errors.in_words import first_listed, listed
from isfc.reports.figure import Unit
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.units import FORMATS, bytes_words, range_note, shown, with_unit
from scenarios.moves.guest import GuestMemory
from scenarios.moves.orders import Response
from scenarios.moves.relocation import Pass, RelocationEnd
from scenarios.runs.experiment import NS_PER_S

_ON_PAGE: Final = 12
"""Guests whose table is on a page that nobody asked for notes on."""
_NAMED: Final = 4
"""Guests that a sentence names."""
_MIB: Final = 2**20


def moves_report(found: Moves, moved: str, stays: str) -> Report:
    """What came of moves; ``moved`` is the label of how long they take, or ``stays`` of who did."""
    count = len(found.guests)
    few = 1 < count <= _ON_PAGE
    return Report(
        _title(found),
        [*_answer(found, moved, stays)],
        [
            _guests(found, detail=not few),
            *([_stayed(found)] if count > _ON_PAGE and found.stayed else []),
            passes_table(found, detail=count > 1),
            *commands_tables(found.responses),
            *([_traffic(found)] if found.traffic else []),
            *([_tried(found)] if found.tried else []),
        ],
        remarks=[*_at_other_end(found)],
        notes=[*_known(found)],
        known=found.notes,
    )


def relocate_report(found: Moves) -> Report:
    """When all guests run elsewhere, how long one stops, what limits; then each pass or guest."""
    return moves_report(found, "Moved", "Not moved")


def _title(found: Moves) -> str:
    """``3 guests from ALPHA to BETA, one by one``: how many, where, and how many together."""
    count = len(found.guests)
    way = f"from {listed(found.sources)} to {listed(found.destinations)}"
    memories = {guest.memory for guest in found.guests}
    memory = _memory(*memories) if len(memories) == 1 else ""
    if count == 1:
        return f"Relocation of {found.guests[0].name} {way}{memory and f': {memory}'}"
    return f"Relocation of {count} guests {way}, {_order(found)}{memory and f': each {memory}'}"


def _order(found: Moves) -> str:
    if found.together >= len(found.guests):
        return "all together"
    return "one by one" if found.together == 1 else f"{found.together} together"


def _memory(memory: GuestMemory) -> str:
    parts = [bytes_words(memory.size)]
    if memory.touched < memory.size:
        parts.append(f"{bytes_words(memory.touched)} of it touched")
    if memory.change_rate or not memory.hot_set:
        parts.append(f"changing at {memory.change_rate / _MIB:g} MB/s")
    if memory.hot_set:
        written = f"written with {memory.write_rate / _MIB:g} MB/s"
        parts.append(f"{bytes_words(memory.hot_set)} hot, {written}")
    return ", ".join(parts)


def _answer(found: Moves, moved: str, stays: str) -> Iterator[tuple[str, str]]:
    if found.all_moved:
        yield moved, f"after {with_unit(found.seconds)}"
    else:
        yield stays, _who_stays(found)
    one = len(found.guests) == 1
    stop = with_unit(found.longest_stop)
    if not found.longest_stop.value:
        yield "Stopped", "not at all"
    elif one:
        yield "Stopped", f"for {stop}"
    else:
        yield "Longest stop", f"{found.longest_stopped}: {stop}"
    yield from limits_answer(found.limits)
    if found.tried:
        tried = ", ".join(f"{each.together}: {with_unit(each.seconds)}" for each in found.tried)
        yield "Best together", f"{found.together}; tried: {tried}"
    elif not one:
        yield "To try", f"{spelt('best')}: finds how many guests at a time move soonest"
    if found.traffic:
        least = min(found.traffic, key=lambda each: each.left)
        left = f"{shown(least.left, Unit.SHARE)} % of its exchanges"
        which = f"{least.link} keeps least: " if len(found.traffic) > 1 else "keeps "
        yield "Other traffic", f"{which}{left}"


def _who_stays(found: Moves) -> str:
    """Who was not moved and why; of one what would let it be moved."""
    stayed = found.stayed
    if len(stayed) == 1:
        (guest,) = stayed
        return f"{guest.name} {_what_became(guest)}. {_would(guest)}".rstrip()
    each = first_listed([f"{guest.name} ({guest.end})" for guest in stayed], _NAMED)
    return f"{len(stayed)} of {len(found.guests)} guests stay: {each}"


def _what_became(guest: MovedGuest) -> str:
    """``stays on ALPHA: stopped for longer than MAXQUIESCE, 10 s``: of one that was not moved."""
    limits, after = guest.limits, with_unit(guest.seconds)
    why = {
        RelocationEnd.CANCELLED: f"cancelled after {after}",
        RelocationEnd.TOTAL: f"not there after MAXTOTAL, {limits.max_total:g} s",
        RelocationEnd.QUIESCE: f"stopped for longer than MAXQUIESCE, {limits.max_quiesce:g} s",
        RelocationEnd.LINK: f"the link was lost after {after}"
        if guest.seconds.value
        else "the link was down",
    }
    moved = f"{shown(guest.length, Unit.BYTES)} {FORMATS[Unit.BYTES].name}"
    return f"stays on {guest.source}: {why[RelocationEnd(guest.end)]}, with {moved} moved by then"


def _would(guest: MovedGuest) -> str:
    """What would let it be moved, in a sentence; nothing of one that no limit ended."""
    would = guest.would_move
    if would is None:
        return ""
    ways = []
    if would.change_bytes_per_s is not None:
        rates = ((would.change_bytes_per_s, "of change"), (would.write_bytes_per_s, "written"))
        ways.append(
            "at most "
            + " and ".join(
                f"{shown(rate / _MIB, Unit.OWN)} MB/s {what}" for rate, what in rates if rate
            )
        )
    limits = (("MAXQUIESCE", would.max_quiesce_s), ("MAXTOTAL", would.max_total_s))
    if any(seconds for _, seconds in limits):
        ways.append(" and ".join(f"{name} {seconds}" for name, seconds in limits if seconds))
    if would.channels is not None:
        ways.append(f"{would.channels} channels")
    at = f"By the rules, at the {shown(would.bytes_per_s / _MIB, Unit.MB_PER_S)} MB/s of its passes"
    if not ways:
        return f"{at}, neither less change nor more channels would let it be moved."
    return f"{at}, it would be moved with {', or '.join(ways)}."


def _guests(found: Moves, *, detail: bool) -> Table:
    several = len({guest.source for guest in found.guests}) > 1
    elsewhere = any(guest.instead_of for guest in found.guests)
    columns = (
        Column("guest", "name"),
        *([Column("from", "source")] if several else []),
        Column("to", "to"),
        *([Column("instead\nof", "instead_of")] if elsewhere else []),
        Column("GiB", "size", Unit.BYTES),
        Column("begins\ns", "begin_s", Unit.SECONDS),
        *headed(seconds="takes\ns", stopped="stop\ns"),
        *([] if found.all_moved else [Column("", "stays")]),
    )
    caption = "Guests, in the order in which they begin"
    return Table(caption, columns, found.guests, "guests", detail)


def _stayed(found: Moves) -> Table:
    columns = (
        Column("guest", "guest", value=lambda guest: guest.name),
        Column("end", "end"),
        Column("what would let it go", "would", value=_would),
    )
    caption = f"Guests that stay{f', the first {_ON_PAGE}' * (len(found.stayed) > _ON_PAGE)}"
    return Table(caption, columns, found.stayed[:_ON_PAGE], "stays")


def passes_table(found: Moves, *, detail: bool = False) -> Table:
    """Each pass over the memory of each guest."""
    columns = (
        *headed(guest="guest", number="pass"),
        *headed(Unit.SECONDS, begin_s="begins\ns", seconds="takes\ns"),
        Column("moves\nGiB", "bytes", Unit.BYTES),
        Column("MB/s\none way", "mb_per_s", Unit.MB_PER_S),
        Column("changed\nGiB", "changed_bytes", Unit.BYTES),
        Column("the guest", "state"),
    )
    rows = [
        _pass_row(guest, number, each)
        for guest in found.guests
        for number, each in enumerate(guest.passes, start=1)
    ]
    return Table("Passes over memory", columns, rows, "passes", detail)


def _pass_row(guest: MovedGuest, number: int, each: Pass) -> dict[str, Any]:
    length = each.length + each.state_length
    return {
        "guest": guest.name,
        "number": number,
        "begin_s": each.begin_ns / NS_PER_S,
        "seconds": each.seconds,
        "bytes": length,
        "mb_per_s": length / max(1e-9, each.seconds) / _MIB,
        "changed_bytes": each.changed_length,
        "state": "stopped" if each.quiesced else "runs",
    }


def commands_tables(responses: Iterable[Response]) -> Iterator[Table]:
    """What commands came to that were given meanwhile; nothing without any."""
    given = [*responses]
    if not given:
        return
    at = Column("at s", "at_s", Unit.SECONDS)
    columns = at, *headed(command="command", told="what came of it")
    yield Table("Commands meanwhile", columns, given, "commands")
    lines = [{"at_s": each.at_s, **asdict(line)} for each in given for line in each.lines]
    if lines:
        status = (
            *(at, *headed(user="User", source="From", to="To")),
            *(Column("Elapsed\ns", "elapsed_s", Unit.SECONDS), Column("Status", "stage")),
        )
        yield Table("VMRELOCATE STATUS", status, lines, "status")


def _traffic(found: Moves) -> Table:
    columns = (
        *headed(load="load", alone="alone\nMB/s", meanwhile="meanwhile\nMB/s"),
        Column("left\n%", "left", Unit.SHARE),
        Column("exchanges/s\nalone", "alone_exchanges_per_s", Unit.PER_S),
        Column("\nmeanwhile", "meanwhile_exchanges_per_s", Unit.PER_S),
    )
    return Table("Other traffic, both ways", columns, found.traffic, "traffic", detail=True)


def _tried(found: Moves) -> Table:
    columns = (
        *headed(together="together", seconds="takes\ns", longest_stop="longest stop\ns"),
        Column("moved", "moved"),
        *([Column("left of other\ntraffic %", "left", Unit.SHARE)] if found.traffic else []),
    )
    return Table("Guests together that were tried", columns, found.tried, "tried", detail=True)


def _known(found: Moves) -> Iterator[str]:
    """How far times are known, and all that limits."""
    figures = [found.seconds, *(guest.seconds for guest in found.guests)]
    if said := range_note([*figures, *(each.alone for each in found.traffic)]):
        yield f"{said} Times are those of the same passes at the ends of what the link would carry."
    yield f"Moving is {found.limits.text} MB/s."
    paces = [
        f"{each.link} {shown(each.alone.value, Unit.MB_PER_S)} or "
        f"{shown(each.alone.second, Unit.MB_PER_S)}"
        for each in found.traffic
        if each.alone.second is not None
    ]
    if paces:
        yield f"Alone, other traffic keeps the pace it falls into: {', '.join(paces)} MB/s."


def _at_other_end(found: Moves) -> Iterator[str]:
    """Of whom something else becomes at an end of the range."""
    for moved, would in ((True, "would not be"), (False, "would be")):
        names = [each.name for each in found.guests if each.other_end and each.moved is moved]
        if names:
            yield f"At one end of the range of times, {first_listed(names, _NAMED)} {would} moved."
