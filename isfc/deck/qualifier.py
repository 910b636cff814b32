"""Which systems a statement of SYSTEM CONFIG is for: names, patterns, and nicknames of EQUATE.

``ATLANTA:`` or ``A* B%%:`` in front of a statement, or with BEGIN and END around several, says that
it is of these systems alone. ``EQUATE PAIR ATLANTA BOSTON`` makes PAIR stand for both. That a
nickname may stand for others, and that it holds wherever its EQUATE stands, is assumed.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from isfc.deck.place import Place

_PREFIX: Final = re.compile(
    r"\s*([A-Za-z0-9$#@_*%]{1,16}(?:[ ]+[A-Za-z0-9$#@_*%]{1,16})*)\s*:(?=\s|$)", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Qualifier:
    """The systems of a statement: ``text`` as it stands there, ``patterns`` what that means."""

    text: str
    patterns: tuple[str, ...]

    def chosen(self, nodes: Collection[str]) -> list[str]:
        """Those of ``nodes`` that it names."""
        return [
            node
            for node in nodes
            if any(_expression(pattern).fullmatch(node) for pattern in self.patterns)
        ]


def find_qualifier(line: str) -> tuple[str, int] | None:
    """The names before a colon at the beginning of ``line``, and where it goes on behind it."""
    found = _PREFIX.match(line)
    return (found[1].upper(), found.end()) if found else None


class Nicknames:
    """What EQUATE statements of a file say."""

    def __init__(self) -> None:
        self._systems: dict[str, tuple[str, ...]] = {}

    def equate(self, names: Sequence[str], place: Place) -> None:
        """Take the words behind EQUATE: a nickname, and what it stands for."""
        if len(names) < 2:
            raise place.error("EQUATE names no system", "a nickname and one system or more")
        self._systems[names[0].upper()] = tuple(name.upper() for name in names[1:])

    def qualifier(self, text: str) -> Qualifier:
        """What the names before a colon stand for."""
        return Qualifier(text, tuple(_meant(text.split(), self._systems)))


def _meant(names: Sequence[str], systems: Mapping[str, tuple[str, ...]]) -> dict[str, None]:
    """The patterns that names stand for, each once; a nickname stands for itself as well."""
    found: dict[str, None] = {}
    left = list(reversed(names))
    while left:
        name = left.pop()
        if name not in found:
            found[name] = None
            left += reversed(systems.get(name, ()))
    return found


def _expression(pattern: str) -> re.Pattern[str]:
    """A pattern of CP: ``*`` stands for any characters, ``%`` for one."""
    known = {"*": ".*", "%": "."}
    return re.compile("".join(known.get(c, re.escape(c)) for c in re.sub(r"\*+", "*", pattern)))
