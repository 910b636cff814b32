"""Whose commands and answers the lines of a console are: ``AT member CMD`` runs one elsewhere.

In a cluster a privileged user of one member runs commands on others so, and one console, or one
EXEC, holds the commands and the answers of several systems (published: z/VM, CP command AT).
"""

import re
from typing import Final

from isfc.deck.number import to_node
from isfc.deck.place import Place, lines_of
from isfc.link.name import NodeName

_AT: Final = re.compile(r"\bAT +(?P<member>[^\s=]{1,8}) +(?:CMD|COMMAND) +", re.IGNORECASE)
_COMMAND: Final = re.compile(
    r"\bQ(?:U|UE|UER|UERY)? +(?:ISL|CHP|PATH)|\b(?:ACT|DEA)[A-Z]* +ISL|^\s*Ready\b", re.IGNORECASE
)
"""Commands whose answers are read, and the end of an answer: what follows is of the console."""

_ANSWER: Final = re.compile(
    r"(?:\bdevice|\btype|\bnode|\bstate|\bstatus|\b(?:sent|received)|\b[PL][AIP]M\))\s*:|\(PIM\)"
    r"|\bPath +\w+ +\w+ +to\b|^\W*Node +\S+\s*$|\bDevice +\w+, +Status\b|\bLegend\b"
    r"|^[\s,]*[0-9A-F]{4}(?:[ ,]+[0-9A-F]{4})*\s*$|\bRemote(?: +link)?\s*$",
    re.IGNORECASE | re.ASCII,
)
"""Lines of the answers that are read."""


def by_system(text: str, file: str) -> dict[NodeName | None, str]:
    """The text of each system: that of others is blank there. None is the console's own.

    A command that AT runs elsewhere has the answer behind it. Raises `ConfigurationError` for an
    answer behind which other lines stand first: it may be anyone's.
    """
    parts: dict[NodeName | None, list[str]] = {None: []}
    owner: NodeName | None = None
    begun = Place(file, 1)
    between = 0
    for number, line in enumerate(lines_of(text), start=1):
        if found := _AT.search(line):
            begun = Place(file, number, found.start("member") + 1)
            owner = begun.read(found["member"], to_node, "AT", "the name of a member")
            line, between = " " * found.end() + line[found.end() :], 0
        elif _COMMAND.search(line):
            owner = None
        elif owner is not None and line.strip() and not _ANSWER.search(line):
            between = between or number
        elif owner is not None and line.strip() and between:
            raise Place(file, number).error(
                f"this may answer AT {owner} in line {begun.line}, or what is in line {between}",
                "answers directly behind their commands",
            )
        for each in parts.values():
            each.append("")
        whose = parts.setdefault(owner, [""] * number)
        whose[number - 1] = line
    return {node: "\n".join(lines) for node, lines in parts.items()}
