"""What an import tells as it goes, for people to read: what is not paired, notices, remarks."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Final

from isfc.cli.output.streams import show_log
from isfc.deck.deck import Deck
from isfc.deck.pairing import Unpaired
from isfc.layout.in_words import first_listed
from isfc.layout.write import format_rdevs

_WIDTH: Final = 80
_LINES_MAX: Final = 8
"""Lines of a deck that a notice names."""


def show_told(told: Deck | Sequence[Unpaired] | str) -> None:
    """Say on stderr what a user should know of the layout that goes to stdout."""
    lines: Iterable[str]
    if isinstance(told, str):
        lines = [told]
    else:
        lines = _notices(told) if isinstance(told, Deck) else _unpaired(told)
    for line in lines:
        show_log(line)


def _unpaired(unpaired: Sequence[Unpaired]) -> Iterator[str]:
    """One paragraph for all devices of a statement that have the same reason.

    Those that lead to their own partition come last, and only their number: nothing is wrong.
    """
    left = [each for each in unpaired if not each.is_expected]
    if left:
        yield f"Not paired: {len(left)} devices"
    for (node, place, text), devices in groupby(
        left, key=lambda each: (each.node, each.device.place, each.text)
    ):
        rdevs = format_rdevs(each.device.rdev for each in devices)
        yield from _wrapped(f"  {node} {rdevs} ({place.file}, line {place.line}): {text}")
    own = len(unpaired) - len(left)
    if own:
        yield from _wrapped(
            f"isfc: note: {own} devices are the far ends that partitions on one channel have of "
            "each other: each leads to its own partition, and NOTPART or PARTITION shuts that out "
            "of it, as it should. They are in no link; --json names them"
        )


def _notices(deck: Deck) -> Iterator[str]:
    """What a reader should know of the cards of a deck, each sentence with all its lines."""
    for text in dict.fromkeys(notice.text for notice in deck.notices):
        lines = [str(notice.place.line) for notice in deck.notices if notice.text == text]
        where = f"line{'s' * (len(lines) > 1)} {first_listed(lines, _LINES_MAX)}"
        yield from _wrapped(f"{deck.file}, {where}: {text}")


def _wrapped(text: str) -> list[str]:
    return wrap(
        text, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
