"""Rules for the fibres of a link: several speeds, the order in which they are met, and length."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from ctc.channel import (
    PORT_CREDITS,
    credits_for_full_frames,
    full_frames_by_credits,
    full_frames_mb_per_s,
)
from ctc.features import FEATURES
from isfc.errors.in_words import exact, grouped, listed, number
from isfc.layout.capacity import FULL_CTC_COUNT
from isfc.layout.layout import Down, Fibre, around
from isfc.layout.rules.rule import REPORT, Broken, ChangedLayout, Judged, RuleBook, Untried

_ENDS: Final = (
    "Put the fast chpids at both ends of the device list and the slow ones in the middle."
)
_MIDDLE: Final = "Put the fast chpid in the middle of the device list."
_MIB: Final = 2**20

SPEED_RULES: Final = RuleBook()
"""In the order in which they are listed."""


def fast_alone(down: Down) -> Down:
    """The chpids of the greatest speed; they take of the others' CTCs what fills them."""
    most = max(fibre.gbps for fibre in down)
    fast = [fibre for fibre in dict.fromkeys(down) if fibre.gbps == most]
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
    speeds = sorted({fibre.gbps for fibre in down}, reverse=True)
    if len({fibre for fibre in down if fibre.gbps == speeds[0]}) == 1:
        speeds.reverse()
    left: list[Fibre] = []
    right: list[Fibre] = []
    middle: list[Fibre] = []
    for gbps in speeds:
        alike = _fullest_outside([fibre for fibre in down if fibre.gbps == gbps])
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
    return around([fullest] * most, _fullest_outside([f for f in down if f != fullest]))


def _speeds(judged: Judged) -> list[float]:
    """The speed of every CTC, down the device list."""
    return [ctc.fibre.gbps for ctc in judged.layout.device_list()]


def _fast_count(judged: Judged) -> int:
    """How many fibres have the greatest speed."""
    speeds = [fibre.gbps for fibre in judged.layout.fibres]
    return speeds.count(max(speeds))


@SPEED_RULES.rule(
    "speed-beyond-feature",
    "A link is faster than its feature.",
    "A link may run slower than its feature can, never faster. A file or deck that says so is "
    "refused, so this is found only in layouts made in code.",
    "The speeds of the FICON features",
    "Correct `link_gbps` or `feature`.",
    Untried("it is about a mistake in the file"),
)
def _beyond_feature(judged: Judged) -> Iterator[Broken]:
    alike = grouped(
        (fibre.profile, fibre)
        for fibre in judged.layout.fibres
        if fibre.gbps > FEATURES[fibre.profile.feature].link_gbps
    )
    if alike:
        yield Broken(
            " ".join(
                f"{judged.place(*fibres)} {'is' if len(fibres) == 1 else 'are'} to run at "
                f"{profile.link_gbps:g} Gb/s, and {profile.feature} runs at "
                f"{FEATURES[profile.feature].link_gbps:g} at most."
                for profile, fibres in alike.items()
            ),
            fibres=tuple(fibre for fibres in alike.values() for fibre in fibres),
        )


@SPEED_RULES.rule(
    "speeds-mixed",
    "Links of several speeds are mixed.",
    "The scan does not know which chpid is fast.",
    "ACTIVATE ISLINK in z/VM CP Commands and Utilities Reference",
    "IBM advises one speed for a logical link.",
    (ChangedLayout("with the fast chpids alone", fast_alone),),
    is_remark=True,
)
def _mixed(judged: Judged) -> Iterator[Broken]:
    speeds = sorted(set(_speeds(judged)))
    if len(speeds) > 1:
        yield Broken(
            f"Links of {listed(speeds)} Gb/s are mixed. The scan goes by device number and takes "
            "a slow chpid as readily as a fast one."
        )


@SPEED_RULES.rule(
    "speeds-asymmetric",
    "The two nodes try fast and slow chpids in different orders.",
    "One direction then uses the fast chpids first, and the other the slow ones.",
    REPORT,
    f"{_ENDS} With one fast chpid: put it in the middle.",
    (ChangedLayout("in that order", fast_outside_or_inside),),
)
def _asymmetric(judged: Judged) -> Iterator[Broken]:
    if not _can_be_evener(_speeds(judged)):
        return
    devices = judged.layout.device_list()
    down = [fibre.gbps for fibre, _ in groupby(devices, key=lambda ctc: ctc.fibre)]
    first, second = judged.layout.nodes
    yield Broken(
        f"{first} meets chpids of {listed(down)} Gb/s, {second} of {listed(down[::-1])}, in that "
        "order, so the two directions are not equally fast.",
        _ENDS if _fast_count(judged) > 1 else _MIDDLE,
    )


def _can_be_evener(speeds: Sequence[float]) -> bool:
    """Whether another order lets both nodes meet more of the same speeds at the same time.

    Speeds with an odd number of CTCs cannot all be met alike.
    """
    half = len(speeds) // 2
    differing = sum(a != b for a, b in zip(speeds[:half], speeds[::-1], strict=False))
    odd = sum(count % 2 for count in Counter(speeds).values())
    return differing > odd // 2


@SPEED_RULES.rule(
    "speeds-slow-first",
    "Both nodes begin on a slow chpid, though several are fast.",
    "A lightly loaded link then runs at the slow chpids' speed.",
    REPORT,
    _ENDS,
    (ChangedLayout("in that order", fast_outside_or_inside),),
    is_remark=True,
)
def _slow_first(judged: Judged) -> Iterator[Broken]:
    speeds = _speeds(judged)
    if speeds == speeds[::-1] and _fast_count(judged) > 1 and speeds[0] < max(speeds):
        yield Broken("Both nodes begin on a slow chpid and reach the fast ones under load only.")


@SPEED_RULES.rule(
    "port-beyond-reach",
    "A fibre is longer than the buffer credits of a channel's port reach.",
    "A port sends a frame when it holds a credit, which comes back a round trip later. All "
    "figures of the model have it so. With a director in between, a path with isl says what "
    "its credits are.",
    "IBM, z15 FICON Express16SA performance: 90 credits a port, enough for 16 Gb/s over 10 km",
    "Put a director with more credits in between.",
    Untried("credits are the ports', and no change of the link's CTCs gives more"),
)
def _beyond_reach(judged: Judged) -> Iterator[Broken]:
    alike = grouped(
        ((fibre.gbps, fibre.km), fibre)
        for fibre in judged.layout.fibres
        if fibre.isl is None  # else a director's credits reach so far
    )
    for (gbps, km), fibres in alike.items():
        needed = credits_for_full_frames(gbps, km)
        if needed > PORT_CREDITS:
            yield Broken(
                f"{judged.place(*fibres)}: the {PORT_CREDITS} buffer credits of a channel's port "
                f"let through {_let_through(PORT_CREDITS, gbps, km)} {exact(needed)} are needed "
                "for full frames.",
                fibres=tuple(fibres),
            )


def _let_through(credits_: int, gbps: float, km: float) -> str:
    """``201 of 808 MB/s each way over 30 km.``; MB are 2^20 bytes, as everywhere of a link."""
    bytes_per_s = full_frames_by_credits(credits_, km, gbps)
    full = full_frames_mb_per_s(gbps) * 1e6
    return f"{number(bytes_per_s / _MIB)} of {number(full / _MIB)} MB/s each way over {km:g} km."


@SPEED_RULES.rule(
    "credits-too-few",
    "The buffer credits of an inter-switch link do not fill it so far away.",
    "A port sends a frame when it holds a credit, which comes back a round trip later. All "
    "fibres of the path share what is let through, whatever their chpids could carry.",
    "Derived: credits, a frame's time on the line and light's 5 us/km",
    "Give the ports of the inter-switch links more buffer credits.",
    Untried("credits are the directors', and no change of the link's CTCs gives more"),
)
def _few_credits(judged: Judged) -> Iterator[Broken]:
    alike = grouped((fibre.path, fibre) for fibre in judged.layout.fibres)
    for path, fibres in alike.items():
        if path is None or path.isl is None:
            continue
        gbps, needed = path.isl.gbps, credits_for_full_frames(path.isl.gbps, path.km)
        if path.isl.credits < needed:
            yield Broken(
                f"Path {path.name}: the {exact(path.isl.credits)} buffer credits of an "
                "inter-switch link let through "
                f"{_let_through(path.isl.credits, gbps, path.km)} {exact(needed)} are needed for "
                "full frames.",
                fibres=tuple(fibres),
            )
