"""Which column of its table each word of a row stands below, in every report that people paste.

Widths of columns are not published, and blanks and cells get lost. So a row is read in every way
that it can be meant, and its reader leaves out those that its figures contradict: what is left has
to say the same.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from isfc.errors import ConfigurationError

Names = tuple[str, ...]
"""The columns of a heading, or of the words of a row, from the left."""

_OFF_MAX: Final = 2
"""Characters by which a figure may end beside its column; columns are four apart at least."""


class Word(Struct, frozen=True):
    """A word of a text, and where it stands; lines and columns count from 1.

    ``shift`` is what a line of the file has in front that was taken off.
    """

    text: str
    line: int
    column: int
    shift: int = 0

    @property
    def end(self) -> int:
        """The column of its last character."""
        return self.column + len(self.text) - 1

    @property
    def place(self) -> str:
        """How to speak of it in a message."""
        return f"line {self.line} column {self.column + self.shift}"

    def error(self, text: str) -> ConfigurationError:
        """What is wrong where it stands."""
        return ConfigurationError(f"{self.place}: {text}")


def words_of(line: str, number: int, shift: int = 0) -> list[Word]:
    """The words of a line."""
    found = re.finditer(r"\S+", line)
    return [Word(match[0], number, match.start() + 1, shift) for match in found]


def has_places(words: Sequence[Word]) -> bool:
    """Whether they are where they were printed: in one line, whose blanks were not squeezed."""
    return len({word.line for word in words}) == 1 and any(
        other.column - one.column - len(one.text) > 1 for one, other in pairwise(words)
    )


def ways(
    words: Sequence[Word],
    heading: Sequence[Word],
    names: Names,
    counted: Iterable[Names],
    is_whole: Callable[[Names], bool],
    exact: Collection[str],
) -> Iterator[Names]:
    """The columns of the words of a row, in each way that they can be meant.

    These are the ``names`` of the words of ``heading`` below which they stand, if a row can have
    these cells alone, as ``is_whole`` says; and those of ``counted`` that are as many. A row whose
    words end where their names do, as far as these are ``exact``, is meant as it stands.
    """
    placed = _below(words, heading) if has_places(words) and has_places(heading) else []
    found = tuple(names[at] for at, _ in placed)
    is_placed = bool(placed) and is_whole(found)
    if not is_placed or any(off > _OFF_MAX for at, off in placed if names[at] in exact):
        yield from (each for each in counted if len(each) == len(words))
    if is_placed:
        yield found


def _below(words: Sequence[Word], heading: Sequence[Word]) -> list[tuple[int, int]]:
    """The index of the name that each word stands below, and by how much it ends beside it.

    Figures end where the name of their column does, and may begin before it. Empty where one
    touches no name, or two stand below the same.
    """
    found: list[tuple[int, int]] = []
    for word in words:
        over = (
            (abs(name.end - word.end), at)
            for at, name in enumerate(heading)
            if name.column <= word.end + 1 and word.column <= name.end + 1
        )
        off, at = min(over, default=(0, -1))
        if at <= (found[-1][0] if found else -1):
            return []
        found.append((at, off))
    return found
