"""Lists as messages and findings have them."""

from collections.abc import Iterable, Sequence


def listed(items: Iterable[object], word: str = "and") -> str:
    """``2, 4 and 8``, or with another word before the last."""
    *most, last = (f"{item:g}" if isinstance(item, float) else str(item) for item in items)
    return f"{', '.join(most)} {word} {last}" if most else last


def first_listed(items: Sequence[str], most: int) -> str:
    """``40, 41 and 3 more``: no more than the first ``most``; all with commas if there are few."""
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more} more" if more > 0 else "")
