"""What the rules advise, carried out: the fibre of each CTC down the device list, changed.

The device list decides what a link carries, so that each change takes it and returns another. None
means that the advice cannot be carried out with these chpids and CTCs.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from ctc.address import CHPID_MAX, ChpidId
from isfc.layout.capacity import FULL_CTC_COUNT
from isfc.layout.layout import Fibre, first_free
from isfc.link.scan import CTCS_MAX, stop_short

CROSSED_CTCS_MAX: Final = 14
"""CTCs a chpid times chpids, unidirectional ones not counted (published: IBM's "z/VM live guest
relocation with Linux", recommendations)."""

EIGHT: Final = 8
"""The most CTCs of which each scan leaves out one only: see `stop_short`."""

Down = Sequence[Fibre]
"""The fibre of each CTC, down the device list."""


def four_of_each(down: Down) -> Down:
    """Four CTCs on each chpid that has one."""
    return [fibre for fibre in dict.fromkeys(down) for _ in range(FULL_CTC_COUNT)]


def thinned(down: Down) -> Down:
    """No more CTCs on a chpid than fill it; the others are left out."""
    return _rehoused(down, lambda _: None)


def moved(down: Down) -> Down:
    """No more CTCs on a chpid than fill it; the others on chpids with room, or on further ones."""
    fibres = list(dict.fromkeys(down))
    room = {fibre: FULL_CTC_COUNT - held for fibre, held in Counter(down).items()}

    def home(crowded: Fibre) -> Fibre:
        free = next((fibre for fibre in fibres if room[fibre] > 0), None)
        if free is None:
            free = replace(crowded, name=f"another {len(fibres)}", chpids=unused_chpids(fibres))
            fibres.append(free)
            room[free] = FULL_CTC_COUNT
        room[free] -= 1
        return free

    return _rehoused(down, home)


def _rehoused(down: Down, home: Callable[[Fibre], Fibre | None]) -> Down:
    """What crowds a chpid goes ``home`` to another, or nowhere."""
    held: Counter[Fibre] = Counter()
    housed = []
    for fibre in down:
        held[fibre] += 1
        housed.append(fibre if held[fibre] <= FULL_CTC_COUNT else home(fibre))
    return [fibre for fibre in housed if fibre is not None]


def unused_chpids(fibres: Down) -> tuple[ChpidId, ChpidId]:
    """A chpid at each end that no fibre has."""
    used = [{int(fibre.chpids[end]) for fibre in fibres} for end in (0, 1)]
    near = first_free(0, CHPID_MAX + 1, used[0])
    return ChpidId(near), ChpidId(first_free(0, CHPID_MAX + 1, used[1] | {near}))


def crossed_each(chpids: int) -> int:
    """CTCs on each of so many chpids, the unidirectional ones not counted.

    It begins with the four that fill a chpid, and is reduced until all are 14 at most.
    """
    return min(FULL_CTC_COUNT, CROSSED_CTCS_MAX // chpids)


def selected_in_addition(down: Down) -> Down:
    """As many CTCs on each chpid, 14 at most; the unidirectional ones in addition on the first."""
    fibres = list(dict.fromkeys(down))[:CROSSED_CTCS_MAX]
    selected, each = fibres[0], crossed_each(len(fibres))
    ends = 2 * stop_short(CTCS_MAX)
    held = each + min(ends, CTCS_MAX - each * len(fibres))
    outer = min(held, ends)
    others = [fibre for fibre in fibres[1:] for _ in range(each)]
    return _around([selected] * outer, [*[selected] * (held - outer), *others])


def selected_at_both_ends(down: Down) -> Down:
    """The unidirectional CTCs on the chpid with most CTCs, which gives others for them."""
    ends = stop_short(len(down))
    ((selected, _),) = Counter(down).most_common(1)
    changed = list(down)
    for end in (*range(ends), *range(len(down) - ends, len(down))):
        if changed[end] != selected:
            given = [n for n in range(ends, len(down) - ends) if changed[n] == selected]
            if given:
                changed[min(given, key=lambda n: abs(n - end))] = changed[end]
            changed[end] = selected
    return changed


def with_eight_ctcs(down: Down) -> Down:
    """Eight CTCs: the last of the chpid with most go, one after the other."""
    kept = list(down)
    while len(kept) > EIGHT:
        ((fullest, _),) = Counter(kept).most_common(1)
        del kept[len(kept) - 1 - kept[::-1].index(fullest)]
    return kept


def fast_alone(down: Down) -> Down:
    """The chpids of the greatest speed; they take of the others' CTCs what fills them."""
    fast = [fibre for fibre in dict.fromkeys(down) if _gbps(fibre) == max(map(_gbps, down))]
    held = Counter(down)
    changed = []
    for fibre in down:
        if fibre in fast:
            changed.append(fibre)
        elif free := next((other for other in fast if held[other] < FULL_CTC_COUNT), None):
            changed.append(free)
            held[free] += 1
    return changed


def fast_outside_or_inside(down: Down) -> Down:
    """The fast chpids at both ends of the list; if there is one only, in the middle.

    The others follow inwards by speed, the same ones at both ends as far as their numbers allow.
    """
    single = len({fibre for fibre in down if _gbps(fibre) == max(map(_gbps, down))}) == 1
    left: list[Fibre] = []
    right: list[Fibre] = []
    middle: list[Fibre] = []
    for gbps in sorted(set(map(_gbps, down)), reverse=not single):
        alike = _fullest_outside([fibre for fibre in down if _gbps(fibre) == gbps])
        half = len(alike) // 2
        left += alike[:half]
        middle += alike[half : len(alike) - half]
        right = [*alike[len(alike) - half :], *right]
    return [*left, *middle, *right]


def _fullest_outside(down: Down) -> Down:
    """Chpid by chpid; those with more CTCs around the others, which would else be left out."""
    held = Counter(down)
    if len(set(held.values())) <= 1:
        return [*held.elements()]
    ((fullest, most),) = held.most_common(1)
    return _around([fullest] * most, _fullest_outside([f for f in down if f != fullest]))


def alike_at_both_ends(down: Down) -> Down | None:
    """Chpids of the same speed and with equally many CTCs at both ends, the fastest there are.

    If there are no two such, one chpid has half of its CTCs at either end; None if none has enough.
    """
    held, least = Counter(down), stop_short(len(down)) + 1
    fibres = sorted(held, key=lambda fibre: (-_gbps(fibre), -held[fibre]))
    outer: list[Fibre] | None = None
    for n, fibre in enumerate(fibres):
        alike = [o for o in fibres[n + 1 :] if (_gbps(o), held[o]) == (_gbps(fibre), held[fibre])]
        if alike and held[fibre] >= least:
            outer = [fibre, alike[0]]
            break
    else:
        outer = [fibre for fibre in fibres if held[fibre] >= 2 * least][:1]
    if not outer:
        return None
    inner = [fibre for fibre in down if fibre not in outer]
    return _around([fibre for fibre in outer for _ in range(held[fibre])], inner)


def _around(outer: Down, inner: Down) -> Down:
    """Half of the one, the other, and the other half of the one."""
    half = len(outer) // 2
    return [*outer[:half], *inner, *outer[half:]]


def _gbps(fibre: Fibre) -> float:
    return fibre.profile.link_gbps
