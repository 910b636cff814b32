"""Guests at the rates that are to be counted on, where links send more of them.

What is stated of chpids counts for all that ran at the same time; what becomes of a guest then
follows by the rules of relocation alone.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from isfc.layout.capacity import End, to_count_on
from scenarios.moves.evacuation import Evacuated, EvacuationOutcome
from scenarios.moves.relocation import Moved, RelocationEnd, by_rate
from scenarios.runs.result import MIB
from scenarios.runs.steady import Rate

_BY_RATE: Final = (RelocationEnd.MOVED, RelocationEnd.QUIESCE, RelocationEnd.TOTAL)
"""Ends that follow from a rate; the others are what somebody did."""


def rate_of(guest: Moved) -> float:
    """Bytes/s of all its passes."""
    return max(1, guest.length) / max(1e-9, guest.seconds)


def moved_by_rate(outcome: EvacuationOutcome) -> list[Evacuated]:
    """The guests whose ends follow from their rates."""
    return [guest for guest in outcome.guests if guest.end in _BY_RATE and guest.length]


def at_counted_rates(outcome: EvacuationOutcome) -> list[tuple[float, RelocationEnd]]:
    """Bytes/s of each guest that are to be counted on, and what becomes of it then."""
    known = moved_by_rate(outcome)
    shares = {
        id(guest): share for guest, share in zip(known, counted_shares(outcome, known), strict=True)
    }
    found = []
    for guest in outcome.guests:
        share = shares.get(id(guest), 1.0)
        rate = rate_of(guest) * share
        found.append((rate, guest.end if share == 1 else by_rate(guest.plan, rate).end))
    return found


def counted_shares(outcome: EvacuationOutcome, guests: Sequence[Evacuated]) -> list[float]:
    """What of the rate that each guest had is to be counted on, beside all that ran meanwhile.

    Of other traffic half is taken to go each way, over channels that both ways have in common.
    """
    collection, beside, found = outcome.evacuation.collection, dict[End, float](), []
    for each in outcome.meanwhile:
        nodes = collection.link(each.link).nodes
        beside |= dict.fromkeys((nodes, nodes[::-1]), each.rate.mb_per_s / 2)
    for guest in guests:
        sent, took_ns = defaultdict[End, float](float, beside), guest.end_ns - guest.begin_ns
        for other in guests:
            common_ns = min(guest.end_ns, other.end_ns) - max(guest.begin_ns, other.begin_ns)
            sent[other.source, other.to] += rate_of(other) / MIB * max(0, common_ns) / took_ns
        rates = {each: Rate(rate) for each, rate in sent.items() if rate}
        counted = to_count_on({collection.between(*each) for each in rates}, rates)
        found.append(counted[guest.source, guest.to].mb_per_s / sent[guest.source, guest.to])
    return found
