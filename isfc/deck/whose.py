"""Whose answers a console holds: those of its own system, and those of others.

What tells is published. A privileged user of one member of a cluster runs commands on others with
``AT member CMD`` (z/VM, CP command AT). QUERY USERID answers ``MAINT    AT VMA``, IDENTIFY of CMS
the same with ``VIA RSCS`` behind it, and a screen ends with ``RUNNING   VMA`` (logs at
zvm-bootcamp.github.io; the source of mecaff). The log of the programmable operator has ``yy/mm/dd
hh:mm:ss userid nodeid: `` in front of a line, and no name where it is CP's own (z/VM 7.2, CMS
Planning and Administration, "The Log File"). General knowledge are LOGON and
LOGOFF, behind which a console may be on another system, and ``VMA: `` in front of lines, which
counts where the log shows VMA as a node.
"""

import re
from typing import Final

from msgspec import Struct

from isfc.deck.place import Place, lines_of
from isfc.deck.written import to_node
from isfc.layout.layers import plain
from isfc.layout.pasted import Kind, LineAccount
from isfc.link.name import NodeName

_FLAGS: Final = re.IGNORECASE | re.ASCII
_NAME: Final = r"(?P<system>[A-Z0-9$#@_]{1,8})"
_TIME: Final = r"\s*(?:\d\d:\d\d(?::\d\d)?\s+)?"
_PROMPT: Final = rf"{_TIME}(?:(?:\S+ +)?\* +)?"
_QUERY: Final = r"\bQ(?:U|UE|UER|UERY)? +"
_READ: Final = rf"(?:{_QUERY}(?:ISL|CHP|PATH)|(?:ACT|DEA)[A-Z]* +ISL)"
_STATEMENT: Final = re.compile(r"\b(?:ACT|DEA)[A-Z]* +ISL", _FLAGS)
_COMMAND: Final = re.compile(rf"\b{_READ}|^\s*Ready\b", _FLAGS)
"""Commands that are read, or their answers, and the end of one: the rest is of the console."""

_WHO: Final = re.compile(rf"{_QUERY}USERID\b", _FLAGS)
_AT: Final = re.compile(
    rf"\bAT +(?P<member>[^\s=]{{1,8}})(?: +(?:CMD|COMMAND)\b *(?P<rest>.*)| +{_READ})", _FLAGS
)
_NO_AT: Final = re.compile(rf"{_PROMPT}(?:\S+ +)?(?:CMD|COMMAND) +{_READ}", _FLAGS)
_IDENTITY: Final = re.compile(rf"{_PROMPT}\S{{1,8}} +AT +{_NAME}(?: +VIA +\S.*)?\s*$", _FLAGS)
_SESSION: Final = re.compile(r"\b(?:LOGON|LOGOFF|RECONNECTED|DISCONNECT) +AT +\d", _FLAGS)
_SCREEN: Final = re.compile(
    rf"(?:^\s*|(?<=   ))(?:RUNNING|HOLDING|MORE\.\.\.|NOT ACCEPTED|CP READ|VM READ) +{_NAME}\s*$",
    _FLAGS,
)
_SCREEN_LINES_MAX: Final = 62
"""Lines of the largest screen that emulators of a 3270 have."""

_FRONT: Final = re.compile(
    rf"(?:\s*(?P<date>\d\d/\d\d/\d\d) +{_TIME}(?:[^\s:]+ +(?=\S+ *:))?|{_PROMPT}(?=\S))"
    rf"{_NAME}? *: ?(?=\s*\S)",
    _FLAGS,
)
_NODE: Final = re.compile(rf"\bnode:\s*{_NAME}(?!\S)", _FLAGS)
_ANSWER: Final = re.compile(
    r"(?:\bdevice|\btype|\bnode|\bstate|\bstatus|\b(?:sent|received)|\b[PL][AIP]M\))\s*:|\(PIM\)"
    rf"|\bPath +\w+ +\w+ +to\b|^{_PROMPT}Node +\S+\s*$|\bDevice +\w+, +Status\b|\bLegend\b"
    rf"|^{_PROMPT},?\s{{0,99}}[0-9A-F]{{4}}(?:[ ,]+[0-9A-F]{{4}})*\s*$"
    rf"|\bRemote(?: +link)?\s*$|\b{_READ}",
    _FLAGS,
)
"""Lines of the commands and answers that are read."""


def by_system(text: str, file: str, own: str = "") -> dict[NodeName | None, str]:
    """The text of each system: that of others is blank there. The console's own comes first.

    That is ``own``, where it is said, or None. A command that AT runs elsewhere has the answer
    behind it. Raises `ConfigurationError` for an answer that may be anyone's.
    """
    lines = lines_of(text)
    nodes = {found["system"].upper() for line in lines for found in _NODE.finditer(line)}
    console = _Console(file, nodes)
    lines = [console.take(line) for line in lines]
    said = NodeName(own.upper()) if own else None
    console.check(said)
    owners = [owner or said for owner in console.owners]
    return {
        each: "\n".join(
            line if each == owner else "" for line, owner in zip(lines, owners, strict=True)
        )
        for each in dict.fromkeys((said, *owners))
    }


def account_of_console(text: str) -> LineAccount:
    """What each line of a console is: of what is read, or of something else."""
    read = (_ANSWER, _COMMAND, _AT, _IDENTITY, _SCREEN, _WHO)

    def kind(line: str, _: int) -> Kind:
        return Kind.ANSWER if any(form.search(line) for form in read) else Kind.TEXT

    return plain(text).read(kind)


class _Console(Struct):
    """A console as it is read: ``nodes`` are the systems that its answers name."""

    file: str
    nodes: set[str]
    owners: list[NodeName | None] = []
    """of each line the system that answers there, if that is told"""
    system: NodeName | None = None
    """that the console is on"""
    front: NodeName | None = None
    """that stood in front of a line last"""
    member: NodeName | None = None
    """on which AT runs what is answered"""
    begun: int = 0
    """the line of AT"""
    between: int = 0
    """the first line behind AT that is no answer"""
    session: int = 0
    """the line of the LOGON that nothing has told the system of"""
    screen: int = 0
    """the last line of the screen before"""
    told: dict[NodeName, Place] = {}
    """the systems that the console was on, and what says so"""
    asked: dict[int, int] = {}
    """the index of each answer, and its session"""

    @property
    def place(self) -> Place:
        return Place(self.file, len(self.owners) + 1)

    def take(self, line: str) -> str:
        """The next line, without what tells whose it is."""
        front, line = self._front(line)
        is_answer = _ANSWER.search(line) is not None
        if found := _AT.search(line):
            self._run_elsewhere(found)
            line = " " * found.start("rest") + line[found.start("rest") :]
        elif _NO_AT.match(line):
            raise self.place.error("CMD without AT", _WHOLE)
        elif found := _IDENTITY.match(line):
            self._identify(found["system"])
        elif found := _SCREEN.search(line):
            self._end_screen(found["system"])
            line = ""
        elif _SESSION.search(line):
            self.system, self.member, self.session = None, None, self.place.line
        elif _COMMAND.search(line):
            self.member = None
        elif self.member is not None and line.strip():
            self._follow(is_answer)
        if is_answer:
            self.asked[len(self.owners)] = self.session
        self.owners.append(self.member or front or self.system)
        return line

    def _front(self, line: str) -> tuple[NodeName | None, str]:
        """The system that stands in front of a line, and the line without it.

        What a qualifier of SYSTEM CONFIG stands in front of stays as it is.
        """
        if (found := _FRONT.match(line)) is None:
            return None, line
        rest = " " * found.end() + line[found.end() :]
        if not found["date"] and (
            (found["system"] or "").upper() not in self.nodes
            or not (_AT.search(rest) or (_ANSWER.search(rest) and not _STATEMENT.search(rest)))
        ):
            return None, line
        name = to_node(found["system"]) if found["system"] else None
        if name:
            self.told.setdefault(name, self.place)
            self.member = self.member if self.front in (None, name) else None
            self.front = name
        return name, rest

    def _run_elsewhere(self, found: re.Match[str]) -> None:
        place = Place(self.file, self.place.line, found.start("member") + 1)
        if not found["rest"] or found["member"].upper() == "ALL":
            problem = f"AT {found['member']} does not say what one system runs"
            raise place.error(problem, _WHOLE)
        self.member = place.read(found["member"], to_node, "AT", "the name of a member")
        self.begun, self.between = place.line, 0

    def _identify(self, system: str) -> None:
        """QUERY USERID has answered: it tells of all since LOGON, or of where AT runs it."""
        if self.member is None or self.between:
            self.system, self.member = to_node(system), None
            self.told.setdefault(self.system, self.place)
            if self.session:
                self._fill(self.session - 1, self.system)
            self.session = 0
        elif self.member != system.upper():
            raise self.place.error(f"{system} answers what AT runs on {self.member}", "one system")

    def _end_screen(self, system: str) -> None:
        name = to_node(system)
        if self.system not in (None, name):
            raise self.place.error(f"{self.system} answers on a screen of {name}", "one system")
        self._fill(max(self.screen, len(self.owners) - _SCREEN_LINES_MAX), name)
        self.told.setdefault(name, self.place)
        self.system, self.session, self.screen = None, 0, self.place.line

    def _fill(self, begin: int, system: NodeName) -> None:
        self.owners[begin:] = [owner or system for owner in self.owners[begin:]]

    def _follow(self, is_answer: bool) -> None:
        """A line stands behind what AT runs, and may be its answer."""
        if is_answer and self.between:
            raise self.place.error(
                f"this may answer AT {self.member} in line {self.begun}, or what is in line "
                f"{self.between}",
                "answers directly behind their commands",
            )
        if not is_answer:
            self.between = self.between or self.place.line

    def check(self, said: NodeName | None) -> None:
        """Refuse what nobody answers, and a console that is not of whom it is ``said`` to be."""
        nobodys = [index for index in self.asked if self.told and self.owners[index] is None]
        for index in nobodys:
            if self.asked[index]:
                raise Place(self.file, index + 1).error(
                    f"nothing says which system answers behind line {self.asked[index]}",
                    "QUERY USERID and its answer there",
                )
        if said and self.told and not nobodys and said not in self.told:
            other, place = next(iter(self.told.items()))
            raise place.error(
                f"this is of {other}, and the file is said to be of {said}",
                "no name in front of the file, or its own",
            )


_WHOLE: Final = "AT member CMD and a command, in one line"
