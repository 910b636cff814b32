"""What is active at the ends of a link: as QUERY ISLINK shows it, and as a layout says."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from isfc.layout.catalogue import given_collection


def up(answer: Sequence[str]) -> Iterator[str]:
    """The devices that a response of QUERY ISLINK shows to be up."""
    lines = [line.split() for line in answer]
    for number, line in enumerate(lines):
        if line[:2] == ["Link", "device:"] and lines[number + 2][1] == "Up":
            yield line[2]


def active(layout: Path | str) -> list[set[str]]:
    """The devices of the only link of a layout, at each end."""
    (link,) = given_collection(layout).links
    return [{f"{ctc.rdevs[end]:04X}" for ctc in link.ctcs} for end in (0, 1)]
