"""In words, that a link may keep one of two paces (`scenarios.steady`): both figures, and when."""

from collections.abc import Iterable

from scenarios.steady import Rate


def paces(rate: Rate) -> str:
    """``340``, or ``340 or 380`` where there is a second pace."""
    return " or ".join(f"{each:.0f}" for each in rate.paces)


def two_paces(rates: Iterable[tuple[str, Rate]]) -> str:
    """A sentence on all rates that have a second pace, each with what it is of; nothing if none."""
    each = [
        f"{what} {paces(rate)} MB/s" for what, rate in rates if rate.second_mb_per_s is not None
    ]
    if not each:
        return ""
    return (
        f"Two paces, of which a run keeps the one it falls into: {'; '.join(each)}. "
        "The first is that of guests that begin together, the second that of guests that begin "
        "one after the other."
    )
