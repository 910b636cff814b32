"""A configuration of what a sizing calls best: the file, and what ``isfc io plan`` warns of it."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from ctc.channel import credits_for_full_frames
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.demand import far_ns
from isfc.io.mix import IoLoad
from isfc.io.plan import IoAdvice, advise, make_io_plan
from isfc.io.sizing import FEATURES, DistanceNeed, Guidelines, Sizing, works_of
from isfc.layout.rules.rule import Severity
from isfc.layout.write import format_string, format_table

_FIRST_CHPID: Final = 0x50
_ALIKE: Final = 1.1
"""Loads whose bytes differ by less are written as one, if the average stays within the guidelines
(chosen)."""

_ITEMS_IN_LINE: Final = 12
_NAME_LENGTH_MAX: Final = 32
_RATE_WHOLE: Final = 100.0
"""I/Os a second from which on a fraction of one is left out (chosen)."""

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


_Groups = list[list[IoLoad]]
"""Loads that are written as one each: so many I/Os a second of their average."""


def proposal(sizing: Sizing) -> str:
    """The file, which `isfc io plan` and `isfc io run` take; the load is the grown one.

    Storage is as far as the farthest of the sizing's distances, and chpids are numbered from 50.
    Loads of about the same bytes are one where ``isfc io plan`` warns of no more than it does of
    each load by itself.
    """
    loads = sizing.grown.loads
    return _text(sizing, _within(sizing, _alike(loads, _ALIKE), _alike(loads, 1.0)))


def _within(sizing: Sizing, alike: _Groups, same: _Groups) -> _Groups:
    """The groups of ``alike``, but in place of one whose average warns those of ``same``."""
    found = set[str]() if alike == same else _warned(sizing, alike)
    if not found or found <= (most := _warned(sizing, same)):
        return alike
    kept = same
    for group in alike:
        parts = [one for one in same if one[0] in group]
        joined = [group if one is parts[0] else one for one in kept if one not in parts[1:]]
        if _warned(sizing, joined) <= most:
            kept = joined
    return kept


def _warned(sizing: Sizing, groups: _Groups) -> set[str]:
    """The ids of what ``isfc io plan`` warns of these groups."""
    return {one.id for one in warnings_of(_text(sizing, groups), sizing.guidelines)}


def warnings_of(text: str, guidelines: Guidelines) -> list[IoAdvice]:
    """What ``isfc io plan`` warns of a proposal: sizing leaves open exchanges out, for one."""
    plan = make_io_plan(parse_io_configuration(text.encode(), "the best"))
    return [one for one in advise(plan, guidelines) if one.severity is Severity.WARNING]


def _text(sizing: Sizing, groups: _Groups) -> str:
    return "\n".join(_lines(sizing, groups)) + "\n"


def _lines(sizing: Sizing, groups: _Groups) -> Iterator[str]:
    best, far = sizing.best, max(sizing.distances, key=lambda distance: distance.km)
    far = replace(far, km=float(f"{far.km:g}"))  # as it is written, so that credits are of it
    chpids = [f"{_FIRST_CHPID + place:02X}" for place in range(best.channels_grown)]
    yield f"# The best for {sizing.mix.name}, under the load that it grows to."
    for chpid in chpids:
        path = "far" if far.km else None
        yield from format_table(f"[channel.{chpid}]", {"feature": best.feature, "path": path})
    if far.km:
        yield "\n[path.far]"
        yield f"km = {far.km:g}"
        credits_ = enough_credits(sizing, far)
        if credits_ > far.credits:
            yield f"# {far.credits} credits would do for the load as a whole,"
            yield f"# {credits_} for full frames on a full line, and for each workload's own."
        isl = f"count = {far.isls}, gbps = {far.link_gbps:g}, credits = {credits_}"
        yield f"isl = {{ {isl} }}"
    if _BARE.fullmatch(sizing.mix.system) and sizing.saps.saps is not None:
        yield from format_table(f"[system.{sizing.mix.system}]", {"saps": sizing.saps.saps})
    for loads in groups:
        rate = sum(load.io_per_s for load in loads)
        moved = sum(load.mb_per_s for load in loads)
        read = sum(load.mb_per_s * load.read_share for load in loads)
        hits = sum(load.io_per_s * load.cache_hit for load in loads)
        yield "\n[[io]]"
        yield f"name = {format_string(_name(loads))}"
        yield from _channels(chpids)
        yield f'protocol = "{best.protocol}"'
        yield f"rate = {rate:.0f}" if rate >= _RATE_WHOLE else f"rate = {rate:.3g}"
        yield f"block = {moved * 1e6 / rate:.0f}"
        yield f"read_percent = {100 * read / moved:.1f}"
        if hits < rate:
            yield f"cache_hit_percent = {100 * hits / rate:.1f}"


def _alike(loads: Sequence[IoLoad], factor: float) -> _Groups:
    """Loads put together of which none has more than so many times the bytes of another."""
    groups: _Groups = []
    for load in sorted(loads, key=lambda load: load.io_bytes):
        if groups and load.io_bytes <= factor * groups[-1][0].io_bytes:
            groups[-1].append(load)
        else:
            groups.append([load])
    return groups


def _name(loads: Sequence[IoLoad]) -> str:
    names = sorted({load.name for load in loads})
    whole = ", ".join(names)
    if len(whole) <= _NAME_LENGTH_MAX:
        return whole
    return f"{names[0][:16]} and {len(loads) - 1} more"


def _channels(chpids: Sequence[str]) -> Iterator[str]:
    """The key ``channels``, in lines that a reader of files takes however many there are."""
    items = [format_string(chpid) for chpid in chpids]
    if len(items) <= _ITEMS_IN_LINE:
        yield f"channels = [{', '.join(items)}]"
        return
    yield "channels = ["
    for first in range(0, len(items), _ITEMS_IN_LINE):
        yield f"    {', '.join(items[first : first + _ITEMS_IN_LINE])},"
    yield "]"


_CREDITS_FACTOR_MAX: Final = 64
"""So many times the credits leave nothing that waits for one: frames are 32 to 2,084 bytes."""


def enough_credits(sizing: Sizing, far: DistanceNeed) -> int:
    """Credits with which no command asks for more: for full frames, and for each load's own frames.

    Small frames take as many credits as full ones, so that with the average of all too few are
    counted.
    """
    profile = next(one for one in FEATURES if one.feature == sizing.best.feature)
    works = works_of(profile, sizing.best.protocol, sizing.grown)
    ways = [
        [(rate, work.to_channel) for rate, work in works],
        [(rate, work.to_control_unit) for rate, work in works],
    ]

    def use(credits_: int) -> float:
        """Of the busier direction of all inter-switch links, the share that these credits take."""
        busy_ns = (
            sum(rate * far_ns(frames, far.link_gbps, credits_, far.km) for rate, frames in way)
            for way in ways
        )
        return max(busy_ns) / far.isls / 1e9

    credits_ = max(far.credits, credits_for_full_frames(far.link_gbps, far.km))
    limit = max(sizing.guidelines.bus_percent / 100, use(credits_ * _CREDITS_FACTOR_MAX))
    while use(credits_) > limit:
        credits_ += max(1, credits_ // 20)
    return credits_
