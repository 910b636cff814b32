"""Rules for the CTCs: who may write on each, and its device numbers at the two ends; and names."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from ctc.address import format_chpid, format_rdev
from isfc.errors.in_words import listed
from isfc.layout.layout import CtcPair, Down, Fibre, around
from isfc.layout.rules.rule import GUIDE, REPORT, Broken, ChangedLayout, Judged, RuleBook, Untried
from isfc.link.scan import stop_short

CTC_RULES: Final = RuleBook()
"""In the order in which they are listed."""

EIGHT: Final = 8
"""The most CTCs of which each scan leaves out one only: see `stop_short`."""


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


def alike_at_both_ends(down: Down) -> Down | None:
    """Chpids of the same speed and with equally many CTCs at both ends, the fastest there are.

    If there are no two such, one chpid has half of its CTCs at either end; None if none has enough.
    """
    held, least = Counter(down), stop_short(len(down)) + 1
    fibres = sorted(held, key=lambda fibre: (-fibre.gbps, -held[fibre]))
    outer: list[Fibre] | None = None
    for n, fibre in enumerate(fibres):
        like = fibre.gbps, held[fibre]
        alike = [o for o in fibres[n + 1 :] if (o.gbps, held[o]) == like]
        if alike and held[fibre] >= least:
            outer = [fibre, alike[0]]
            break
    else:
        outer = [fibre for fibre in fibres if held[fibre] >= 2 * least][:1]
    if not outer:
        return None
    inner = [fibre for fibre in down if fibre not in outer]
    return around([fibre for fibre in outer for _ in range(held[fibre])], inner)


@CTC_RULES.rule(
    "directions-unequal",
    "One node can use fewer chpids than the other, or slower ones.",
    "Each scan stops short of its end, and what is left out there is lost to that direction.",
    REPORT,
    "Let the device list begin and end with chpids of the same speed and with equally many "
    "CTCs, more than each scan stops short by.",
    (ChangedLayout("in such an order", alike_at_both_ends),),
)
def _unequal(judged: Judged) -> Iterator[Broken]:
    layout = judged.layout
    weak, strong = sorted(
        judged.directions, key=lambda way: (way.estimated_mb_per_s, len(way.chpids))
    )
    if (len(weak.chpids), weak.estimated_mb_per_s) == (
        len(strong.chpids),
        strong.estimated_mb_per_s,
    ):
        return
    end = layout.nodes.index(weak.sender)
    scanned = [ctc.rdevs[end] for ctc in layout.device_list()]
    left_out = [format_rdev(rdev) for rdev in scanned if rdev not in weak.write_order]
    yield Broken(
        f"{weak.sender} can write on {len(weak.chpids)} of {len(layout.fibres)} chpids "
        f"({weak.estimated_mb_per_s} MB/s), {strong.sender} on {len(strong.chpids)} "
        f"({strong.estimated_mb_per_s} MB/s), because {weak.sender} never writes on its "
        f"{listed(left_out)}.",
        "Let the device list begin and end with chpids of the same speed and with equally many "
        f"CTCs, more than {len(left_out)} each.",
    )


@CTC_RULES.rule(
    "one-chpid-writes",
    "All CTCs that one end may write are on one chpid.",
    "When that chpid fails, this end has no CTC to write on until the link is arranged again.",
    f"Derived from the write rule: {REPORT}",
    "Give each of the chpids at least two CTCs more than each scan stops short by.",
    Untried("it is about what a loss leaves, not about what is carried"),
)
def _one_chpid_writes(judged: Judged) -> Iterator[Broken]:
    if len(judged.layout.fibres) == 1:
        return  # `one-chpid` says so
    only = {way.sender: way.chpids[0] for way in judged.directions if len(way.chpids) == 1}
    if only:
        where = (
            f"All CTCs that {node} may write on are on its chpid {format_chpid(use.chpid)}."
            for node, use in only.items()
        )
        yield Broken(
            f"{' '.join(where)} When such a chpid fails, its node has none left until both ends "
            "have arranged again what remains.",
            fibres=tuple(use.fibre for use in only.values()),
        )


@CTC_RULES.rule(
    "unidirectional-spread",
    "CTCs that only one end may write are on several chpids.",
    "IBM advises to keep them on one selected chpid, where they come on top of those that both "
    "ends may write: then all other chpids are used alike by both ends.",
    f"{GUIDE}, recommendations",
    "Put them on one chpid, beside its other CTCs.",
    (ChangedLayout("that way", selected_at_both_ends),),
    is_remark=True,
)
def _unidirectional_spread(judged: Judged) -> Iterator[Broken]:
    layout = judged.layout
    ends = []
    fibres = set()
    for end, way in enumerate(judged.directions):
        by_rdev = {ctc.rdevs[end]: ctc.fibre for ctc in layout.ctcs}
        fibres |= {by_rdev[rdev] for rdev in way.exclusive}
        if way.exclusive:
            ends.append(f"{way.sender}'s {listed(map(format_rdev, sorted(way.exclusive)))}")
    if len(fibres) > 1 and len(layout.ctcs) > 2 * stop_short(len(layout.ctcs)):
        yield Broken(
            f"The CTCs that only one end may write, {' and '.join(ends)}, are on {len(fibres)} "
            "chpids.",
            "Give one chpid, beside its other CTCs, both of them: the first and the last numbers "
            "of the device list.",
        )


@CTC_RULES.rule(
    "few-beyond-eight",
    "The 9th and the 10th CTC gain at most one to write on.",
    "From 9 CTCs on, each scan stops short by two instead of one.",
    f"Derived from the write rule: {REPORT}",
    "Keep to eight CTCs, or define eleven and more.",
    (ChangedLayout("with eight CTCs", with_eight_ctcs),),
    is_remark=True,
)
def _few_beyond_eight(judged: Judged) -> Iterator[Broken]:
    count = len(judged.layout.ctcs)
    if count in (9, 10):
        write, before = count - stop_short(count), 8 - stop_short(8)
        gain = "none" if write == before else "only one"
        yield Broken(
            f"Each scan stops short by two from the 9th CTC on, so the {count} CTCs give each end "
            f"{write} to write on; eight give it {before}. What is beyond eight gains {gain}."
        )


@CTC_RULES.rule(
    "rdevs-out-of-order",
    "The device numbers of the two ends run in different orders.",
    "Both ends scan by the numbers of the node whose name comes first. Whoever reads the "
    "other's numbers takes the wrong CTCs for the first and the last. Two ranges that the ends "
    "use the other way round, as 4xyz to send and 5xyz to receive, are meant so, and left out.",
    f"{GUIDE}; {REPORT}",
    "Number the CTCs in the same order at both ends; best, with the same numbers.",
    Untried("it is about who is misled; the order in which both ends scan stays"),
)
def _out_of_order(judged: Judged) -> Iterator[Broken]:
    first, second = judged.layout.nodes
    devices = judged.layout.device_list()
    numbers = [ctc.rdevs[1] for ctc in devices]
    if trades_ranges(devices):
        return
    for before, after in pairwise(numbers):
        if after < before:
            yield Broken(
                f"Down the device list, which {first}'s numbers order, {second}'s "
                f"{format_rdev(after)} comes behind its {format_rdev(before)}. {second} writes in "
                "an order that its own numbers do not show."
            )
            return


@CTC_RULES.rule(
    "rdevs-ambiguous",
    "A device number names one CTC here and another there.",
    "DEACTIVE ISLINK or VARY OFF of the number takes the wrong CTC away.",
    f"{GUIDE}: the same number at both ends is recommended",
    "Give each CTC the same number at both ends, or numbers that the other end does not use.",
    Untried("it is about who is misled; numbers carry nothing"),
)
def _ambiguous(judged: Judged) -> Iterator[Broken]:
    first, second = judged.layout.nodes
    theirs = {ctc.rdevs[1]: ctc.rdevs[0] for ctc in judged.layout.ctcs}
    for ctc in judged.layout.device_list():
        here, there = ctc.rdevs
        if here != there and here in theirs:
            yield Broken(
                f"{format_rdev(here)} means one CTC at {first} and another at {second}: "
                f"{first}'s {format_rdev(here)} is joined to {second}'s {format_rdev(there)}, "
                f"{second}'s {format_rdev(here)} to {first}'s {format_rdev(theirs[here])}.",
                fibres=(ctc.fibre,),
            )
            return


@CTC_RULES.rule(
    "name-not-for-ssi",
    "A system cannot be a member of an SSI cluster under its name.",
    "Members of an SSI cluster have names of letters and digits; nodes of ISFC may have "
    "$ # @ _ in them.",
    "IBM, z/VM 7.2, CP Planning and Administration: SSI statement",
    "Choose a name of letters and digits, if the system may become a member.",
    Untried("it is about a name, which carries nothing"),
)
def _not_for_ssi(judged: Judged) -> Iterator[Broken]:
    odd = [node for node in judged.layout.nodes if not node.isalnum()]
    if odd:
        characters = "".join(sorted({c for node in odd for c in node if not c.isalnum()}))
        verb = "is no name" if len(odd) == 1 else "are no names"
        yield Broken(
            f"{listed(odd)} {verb} of an SSI member, whose names have no {' '.join(characters)}. "
            "ISFC alone allows it."
        )


def trades_ranges(devices: Sequence[CtcPair]) -> bool:
    """Whether the CTCs of a device list have two ranges that its ends use the other way round.

    As 4xyz and 5xyz do: one is for what a system sends, one for what it receives, so the first
    digits of a CTC are 4 here and 5 there, or 5 here and 4 there. Within each range the numbers
    run in the same order at both ends. Published: IBM, IOCP User's Guide, "Examples: FICON CTC
    shared channels"; the order in which both ends scan is that of the first node's numbers.
    """
    kinds = {(ctc.rdevs[0] >> 12, ctc.rdevs[1] >> 12) for ctc in devices}
    if len(kinds) != 2:
        return False
    one, other = kinds
    if one != other[::-1]:
        return False
    for kind in kinds:
        theirs = [ctc.rdevs[1] for ctc in devices if ctc.rdevs[0] >> 12 == kind[0]]
        if theirs != sorted(theirs):
            return False
    return True
