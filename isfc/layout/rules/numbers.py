"""Rules for device numbers at the two ends of a CTC, and for the names of systems."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from ctc.address import format_rdev
from isfc.errors.in_words import listed
from isfc.layout.layout import CtcPair
from isfc.layout.rules import GUIDE, REPORT
from isfc.layout.rules.rule import Broken, Judged, LayoutRule, Severity, Untried


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


RULES: Final = (
    LayoutRule(
        "rdevs-out-of-order",
        Severity.WARNING,
        "The device numbers of the two ends run in different orders.",
        "Both ends scan by the numbers of the node whose name comes first. Whoever reads the "
        "other's numbers takes the wrong CTCs for the first and the last. Two ranges that the ends "
        "use the other way round, as 4xyz to send and 5xyz to receive, are meant so, and left out.",
        f"{GUIDE}; {REPORT}",
        "Number the CTCs in the same order at both ends; best, with the same numbers.",
        _out_of_order,
        Untried("it is about who is misled; the order in which both ends scan stays"),
    ),
    LayoutRule(
        "rdevs-ambiguous",
        Severity.WARNING,
        "A device number names one CTC here and another there.",
        "DEACTIVE ISLINK or VARY OFF of the number takes the wrong CTC away.",
        f"{GUIDE}: the same number at both ends is recommended",
        "Give each CTC the same number at both ends, or numbers that the other end does not use.",
        _ambiguous,
        Untried("it is about who is misled; numbers carry nothing"),
    ),
    LayoutRule(
        "name-not-for-ssi",
        Severity.WARNING,
        "A system cannot be a member of an SSI cluster under its name.",
        "Members of an SSI cluster have names of letters and digits; nodes of ISFC may have "
        "$ # @ _ in them.",
        "IBM, z/VM 7.2, CP Planning and Administration: SSI statement",
        "Choose a name of letters and digits, if the system may become a member.",
        _not_for_ssi,
        Untried("it is about a name, which carries nothing"),
    ),
)
