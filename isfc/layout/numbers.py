"""How a site numbers its CTCs: what a device number says by its digits."""

from collections.abc import Sequence

from isfc.layout.layout import CtcPair


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
