"""What could not be paired, with the reason, for people to read."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Final

from isfc.deck.pairing import Unpaired
from isfc.layout.write import format_rdevs

_WIDTH: Final = 80


def unpaired_lines(unpaired: Sequence[Unpaired]) -> Iterator[str]:
    """One paragraph for all devices of a statement that have the same reason."""
    if unpaired:
        yield f"Not paired: {len(unpaired)} devices"
    for (node, place, text), devices in groupby(
        unpaired, key=lambda each: (each.node, each.device.place, each.text)
    ):
        rdevs = format_rdevs(each.device.rdev for each in devices)
        yield from wrap(
            f"  {node} {rdevs} ({place.file}, line {place.line}): {text}",
            _WIDTH,
            subsequent_indent="    ",
            break_long_words=False,
        )
