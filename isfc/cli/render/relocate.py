"""What ``isfc relocate`` shows: every guest's passes, and what they cost."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table

from scenarios.relocation import End, Moved, Outcome, Pass, Relocation

_GIB = 2**30
_MIB = 2**20


def relocation_page(
    relocation: Relocation, outcome: Outcome, alone: float | None
) -> RenderableType:
    """The whole page; ``alone`` is the rate of the background traffic without relocation."""
    parts: list[RenderableType] = [_heading(relocation)]
    for number, guest in enumerate(outcome.guests, start=1):
        title = _title(number, relocation, guest)
        parts += ["", title, _passes(guest.passes)]
    sums = [*_sums(relocation, outcome, alone)]
    return Group(*parts, *([""] if sums else []), *sums)


def _heading(relocation: Relocation) -> str:
    first, second = relocation.layout.nodes
    source = relocation.source or first
    target = second if source == first else first
    count = relocation.guests
    guests = "a guest" if count == 1 else f"{count} guests"
    order = "" if count == 1 else (", all together" if relocation.at_once else ", one by one")
    return f"Relocation of {guests} from {source} to {target}{order}\n{_memory(relocation)}"


def _memory(relocation: Relocation) -> str:
    memory = relocation.guest_memory
    parts = [f"memory {memory.size / _GIB:g} GiB"]
    if memory.touched < memory.size:
        parts.append(f"{memory.touched / _GIB:.3g} GiB of it touched")
    if memory.change_rate or not memory.hot_set:
        parts.append(f"of which {memory.change_rate / _MIB:g} MB/s change")
    if memory.hot_set:
        written = f"{memory.write_rate / _MIB:g} MB/s"
        parts.append(f"{memory.hot_set / _GIB:.3g} GiB hot, written with {written}")
    return ", ".join(parts)


def _title(number: int, relocation: Relocation, guest: Moved) -> str:
    named = "The guest" if relocation.guests == 1 else f"Guest {number}"
    if guest.end is End.TOTAL:
        return f"{named} was not moved: the {relocation.total_max:g} s that it may take were over."
    if guest.quiesced_seconds and not guest.moved:
        return f"{named} was not moved: it was stopped for {relocation.quiesce_max:g} s."
    if not guest.moved:
        return f"{named} was not moved: it would be stopped for too long."
    return (
        f"{named} was moved in {guest.seconds:.2f} s, {guest.quiesced_seconds:.2f} s of them "
        f"stopped; {guest.length / _GIB:.2f} GiB moved."
    )


def _passes(passes: Sequence[Pass]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("pass")
    for heading in ("begins s", "takes s", "moves GiB", "MB/s", "changed GiB"):
        table.add_column(heading, justify="right")
    for number, each in enumerate(passes, start=1):
        table.add_row(
            f"{number}{' stopped' if each.quiesced else ''}",
            f"{each.begin_ns / 1e9:.2f}",
            f"{each.seconds:.2f}",
            f"{each.length / _GIB:.3f}",
            f"{each.length / each.seconds / _MIB:.1f}",
            f"{each.changed_length / _GIB:.3f}",
        )
    return table


def _sums(relocation: Relocation, outcome: Outcome, alone: float | None) -> Iterator[str]:
    moved = sum(guest.moved for guest in outcome.guests)
    if relocation.guests > 1:
        yield f"{moved} of {relocation.guests} guests moved in {outcome.seconds:.2f} s."
    if relocation.background and outcome.background_per_s is not None and alone:
        workload, pairs = relocation.background
        yield (
            f"Meanwhile {pairs} pairs of {workload.name}: {outcome.background_per_s:.0f} "
            f"exchanges/s, {outcome.background_per_s / alone * 100:.0f} % of {alone:.0f} alone."
        )
