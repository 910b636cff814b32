"""What ``isfc relocate`` shows: every guest's passes, and what they cost."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table

from isfc.cli.output.curves import axis, labels, marks, nominal
from isfc.cli.output.picture import CURVES, HEIGHT, INK, PAPER, Spec, picture
from isfc.cli.output.table import plain_table
from isfc.cli.relocation.certainty import guest_line, ranges_line
from isfc.link.name import NodeName
from scenarios.figures.moved_ranges import MovesRange
from scenarios.moves.guest import GuestPlan, Moved, Pass
from scenarios.moves.guest_memory import KNOWN_GUESTS, GuestMemory
from scenarios.moves.orders import Response
from scenarios.moves.record import WouldMove
from scenarios.moves.relocated import Relocated
from scenarios.moves.relocation import Relocation
from scenarios.moves.vmrelocate import RelocationEnd
from scenarios.runs.result import MIB

GIB = 2**30


def relocation_page(
    found: Relocated, like: str | None = None, ranges: MovesRange | None = None
) -> RenderableType:
    """The whole page; ``like`` is the kind of guest that was asked for, if one was."""
    relocation = found.relocation
    parts: list[RenderableType] = [*_heading(relocation)]
    if like is not None:
        parts.append(f"{like}: {KNOWN_GUESTS[like].basis}")
    within = ranges.guests if ranges else [None] * len(found.guests)
    for guest, would, known in zip(found.guests, found.would_move, within, strict=True):
        parts += ["", *_titles(guest, relocation)]
        parts += [line for line in [guest_line(guest, known)] if line]
        parts.append(_passes(guest.passes))
        if would is not None:
            parts.append(_would_move(would))
    for response in found.outcome.responses:
        parts += ["", *response_lines(response)]
    sums = [line for line in (*_sums(found), ranges_line(ranges)) if line]
    return Group(*parts, *([""] if sums else []), *sums)


def _heading(relocation: Relocation) -> Iterator[str]:
    source, to = relocation.way
    count, together = len(relocation.guests), relocation.together
    guests = "a guest" if count == 1 else f"{count} guests"
    order = ", one by one" if together == 1 else f", {together} together"
    if together >= count:
        order = ", all together"
    yield f"Relocation of {guests} from {source} to {to}{order if count > 1 else ''}"
    if _alike(relocation.guests):
        yield _memory(relocation.guests[0].memory)


def _alike(guests: Sequence[GuestPlan]) -> bool:
    return all(guest.memory == guests[0].memory for guest in guests)


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


def _titles(guest: Moved, relocation: Relocation) -> Iterator[str]:
    yield f"{guest.plan.name} {_what(guest, relocation.way[0])}"
    if not _alike(relocation.guests):
        yield _memory(guest.plan.memory)


def _what(guest: Moved, source: NodeName) -> str:
    """What became of it, in a sentence."""
    stays = f"the guest stays on {source}"
    moved = f"{guest.length / GIB:.2f} GiB moved"
    match guest.end:
        case RelocationEnd.MOVED:
            return (
                f"was moved in {guest.seconds:.2f} s, {guest.quiesced_seconds:.2f} s of them "
                f"stopped; {moved}."
            )
        case RelocationEnd.CANCELLED:
            return f"was not moved: cancelled after {guest.seconds:.2f} s; {moved} until then."
        case RelocationEnd.TOTAL:
            return (
                f"was not moved: MAXTOTAL exceeded after {guest.seconds:.2f} s, {moved} until "
                f"then; {stays}."
            )
        case RelocationEnd.LINK if not guest.seconds:
            return "was not moved: the link was down."
        case RelocationEnd.LINK:
            return (
                f"was not moved: the link was lost after {guest.seconds:.2f} s; {moved} until then."
            )
        case _:
            return (
                f"was not moved: MAXQUIESCE exceeded after {guest.quiesced_seconds:.2f} s "
                f"stopped; {stays}."
            )


def _would_move(would: WouldMove) -> str:
    """What would let it be moved, in a sentence."""
    ways = []
    if would.change_bytes_per_s is not None:
        rates = ((would.change_bytes_per_s, "of change"), (would.write_bytes_per_s, "written"))
        ways.append(
            "at most "
            + " and ".join(f"{rate / MIB:.3g} MB/s {what}" for rate, what in rates if rate)
        )
    limits = (("MAXQUIESCE", would.max_quiesce_s), ("MAXTOTAL", would.max_total_s))
    if any(seconds for _, seconds in limits):
        ways.append(" and ".join(f"{name} {seconds}" for name, seconds in limits if seconds))
    if would.channels is not None:
        ways.append(f"{would.channels} channels")
    at = f"By the rules, at the {would.bytes_per_s / MIB:.0f} MB/s of its passes"
    if not ways:
        return f"{at}, neither less change nor more channels would let it be moved."
    return f"{at}, it would be moved with {', or '.join(ways)}."


def _passes(passes: Sequence[Pass]) -> Table:
    table = plain_table(
        "pass", ">begins s", ">takes s", ">moves GiB", ">MB/s one way", ">changed GiB"
    )
    for number, each in enumerate(passes, start=1):
        table.add_row(
            f"{number}{' stopped' if each.quiesced else ''}",
            f"{each.begin_ns / 1e9:.2f}",
            f"{each.seconds:.2f}",
            f"{(each.length + each.state_length) / GIB:.3f}",
            f"{(each.length + each.state_length) / max(1e-9, each.seconds) / MIB:.1f}",
            f"{each.changed_length / GIB:.3f}",
        )
    return table


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


def _sums(found: Relocated) -> Iterator[str]:
    relocation, outcome = found.relocation, found.outcome
    count = len(relocation.guests)
    if count > 1:
        moved = sum(guest.moved for guest in outcome.guests)
        yield f"{moved} of {count} guests moved in {outcome.seconds:.2f} s."
    alone = found.alone_per_s
    if relocation.background and outcome.background_per_s is not None and alone:
        workload, pairs = relocation.background
        yield (
            f"Meanwhile {pairs} pairs of {workload.name}: {outcome.background_per_s:.0f} "
            f"exchanges/s, {outcome.background_per_s / alone * 100:.0f} % of {alone:.0f} alone."
        )
        if (second := found.alone_second_per_s) is not None:
            yield (
                f"Alone it has two paces, of which it keeps the one it falls into: {alone:.0f} "
                f"exchanges/s, or {second:.0f} if its guests begin one after the other."
            )


_RUNS: Final = "the guest runs"
_STOPPED: Final = "it is stopped"
_ROW: Final = 30
"""Pixels that a guest has at least in a picture."""


def passes_picture(guests: Sequence[Moved], title: str, ranges: MovesRange | None) -> Spec:
    """A bar for each pass: as wide as it took, as high as what it moved.

    Guests stand one below the other; a line is from when to when each may end by its range.
    """
    most = max(each.length + each.state_length for guest in guests for each in guest.passes) or 1
    bars = [
        {
            "from": each.begin_ns / 1e9,
            "to": each.begin_ns / 1e9 + each.seconds,
            "top": row + 0.4 - 0.8 * (each.length + each.state_length) / most,
            "foot": row + 0.4,
            "of": _STOPPED if each.quiesced else _RUNS,
        }
        for row, guest in enumerate(guests)
        for each in guest.passes
    ]
    lines = [
        {
            "from": guests[row].begin_ns / 1e9 + found.seconds.likely.low,
            "to": guests[row].begin_ns / 1e9 + found.seconds.likely.high,
            "foot": row + 0.45,
        }
        for row, found in enumerate(ranges.guests if ranges else ())
        if found is not None
    ]
    said = "; line: when it ends in four of five cases" if ranges else ", without a range"
    x = axis("from", f"s; the highest bar is {most / GIB:.3g} GiB{said}")
    y = axis("foot", None, domain=[-0.6, len(guests) - 0.4], reverse=True, nice=False)
    y["axis"] = labels([[guest.plan.name, str(guest.end)] for guest in guests]) | {"grid": False}
    across = {"x": x, "x2": {"field": "to"}, "y": y}
    colour = nominal("of", (_RUNS, _STOPPED), (CURVES[0], CURVES[3]))
    shown = {**across, "y2": {"field": "top"}, "color": colour}
    layer = [
        marks("rect", bars, shown, stroke=PAPER, strokeWidth=0.5),
        marks("rule", lines, across, color=INK, strokeWidth=2),
    ]
    return picture(title, title=title, height=max(HEIGHT, _ROW * len(guests)), layer=layer)
