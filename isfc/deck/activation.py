"""ACTIVATE and DEACTIVE ISLINK, from a SYSTEM CONFIG file or a console: which devices are meant.

Everything else in the file is passed over. The operands are published (z/VM 7.3, ACTIVATE ISLINK);
general knowledge is what SYSTEM CONFIG adds: ``/* comments */``, a comma at the end of a line that
goes on, and ``NODE:`` or ``NODE: BEGIN`` to ``NODE: END`` for statements of some systems. A
statement goes on over lines that are blank but for comments.

``ATLANTA:`` or ``A* B%%:`` in front of a statement says that it is of these systems alone, and
``EQUATE PAIR ATLANTA BOSTON`` makes PAIR stand for both. That a nickname may stand for others, and
that it holds wherever its EQUATE stands, is assumed.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise, zip_longest
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import Rdev, parse_rdevs
from isfc.deck.operand import OperandWord
from isfc.deck.place import Place, lines_of, shown
from isfc.deck.whose import by_system
from isfc.deck.written import to_node
from isfc.errors import ConfigurationError
from isfc.layout.layers import plain
from isfc.layout.pasted import Kind, LineAccount
from isfc.layout.source_kind import refuse_foreign
from isfc.link.name import ALL, BUFFERS, ISLINK, NODE, NodeName, matches
from isfc.link.scan import CTCS_MAX

_PREFIX: Final = re.compile(
    r"\s*([A-Za-z0-9$#@_*%]{1,16}(?:[ ]+[A-Za-z0-9$#@_*%]{1,16})*)\s*:(?=\s|$)", re.ASCII
)


class Qualifier(Struct, frozen=True):
    """The systems of a statement: ``text`` as it stands there, ``patterns`` what that means.

    In patterns of CP ``*`` stands for any characters, ``%`` for one. ``below`` are names that stand
    alone below the EQUATE statements of its nicknames.
    """

    text: str
    patterns: tuple[str, ...]
    below: tuple[OperandWord, ...] = ()

    def chosen(self, nodes: Collection[str]) -> list[str]:
        """Those of ``nodes`` that it names; refused where EQUATE may have lost one of them."""
        for word in self.below:
            if word.text.upper() in nodes:
                raise _alone(word, "EQUATE")
        globs = [pattern.replace("%", "?") for pattern in self.patterns]
        return [node for node in nodes if any(fnmatchcase(node, glob) for glob in globs)]


def _meant(names: Sequence[str], systems: Mapping[str, Sequence[str]]) -> dict[str, None]:
    """The patterns that names stand for, each once; a nickname stands for itself as well."""
    found: dict[str, None] = {}
    left = list(reversed(names))
    while left:
        name = left.pop()
        if name not in found:
            found[name] = None
            left += reversed(systems.get(name, ()))
    return found


_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SWALLOWED: Final = re.compile(
    r"ISL|EQUATE|\n\s*(?:[0-9A-F]{4}\b|NODE?\b|[^\s:]+\s*:\s*(?:BEGIN|END)\b)", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\s,]+")
_VERBS: Final = {"ACTivate": True, "DEActive": False, "DEACTIVATe": False}
"""Whether a verb puts devices into the link."""
_NO_VERB: Final = re.compile(r"ISLIN?\b|ISLINK", re.IGNORECASE)
_VERB: Final = re.compile(r"ACTIVATE|DEACTIVE|DEACTIVATE", re.IGNORECASE)
_OPERANDS: Final = re.compile(
    r"[0-9A-F]{4}(?:-[0-9A-F]{4})?|NODE?|BU(?:F{1,2}E?R?S?)?|ALL", re.IGNORECASE
)
"""How the operands of a statement about links begin, on whatever line."""
_READ: Final = re.compile(r"EQUATE|IMBED|ISL", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Za-z0-9$#@_]{1,8}", re.ASCII)
_LOOKS: Final = re.compile(
    r"#?(?:CP)?Q(?:U|UE|UER|UERY)?|IND(?:I|IC|ICA|ICAT|ICATE)?", re.IGNORECASE
)
"""Commands that show ISLINK, and do nothing to it."""

_OPERAND: Final = "a device number, NODE with a name, or the end"


class Activation(Struct, frozen=True):
    """One statement. ``systems`` are those it is qualified for, ``partner`` its NODE operand.

    DEACTIVE without device numbers means all of them.
    """

    active: bool
    rdevs: tuple[Rdev, ...]
    partner: NodeName | None
    systems: Qualifier | None
    place: Place


Statements = Sequence[tuple[NodeName | None, Activation]]
"""Statements, each with the node whose file it is from, if that is said."""


def parse_activations(text: str, file: str, own: str = "") -> Statements:
    """The statements in ``text``, which is said to be of ``own``, or of none.

    Those of others' consoles are qualified by their systems. Raises `ConfigurationError`, with the
    place, for bad ones.
    """
    found: list[tuple[NodeName | None, Activation]] = []
    (console, first), *others = by_system(_without_comments(text, file), file, own).items()
    found += [(console, each) for each in _statements(first, file)]
    for node, part in others:
        run_on = Qualifier(str(node), (str(node),))
        found += [(None, replace(each, systems=run_on)) for each in _statements(part, file)]
    if not found:
        refuse_foreign(text, file, "import config")
        raise Place(file, 1).error(
            "there is no ACTIVATE ISLINK", "at least one, such as ACTIVATE ISLINK 6000 6001"
        )
    return found


def imbedded(text: str, file: str) -> Iterator[str]:
    """What to say of IMBED statements: the files that they name may choose devices too."""
    for line in _joined(_without_comments(text, file), file):
        if line.first == "IMBED":
            named = " ".join(word.text for word in line.words[1:])
            yield (
                f"{line.words[0].place}: IMBED {shown(named)[1:-1]} is not followed: give that "
                "file as well if it has ACTIVATE ISLINK"
            )


def account_of_statements(text: str, file: str) -> LineAccount:
    """What each line of a file is in which `parse_activations` finds statements."""
    kinds: dict[int, Kind] = {}
    for line in _joined(_without_comments(text, file), file):
        is_read = line.first in ("EQUATE", "IMBED") or any(_statement(line.words, None))
        kind = Kind.STATEMENT if is_read else Kind.OTHER_STATEMENT
        kinds.update((word.place.line, kind) for word in line.words)

    def kind_of(line: str, number: int) -> Kind:
        edge = Kind.STATEMENT if _PREFIX.match(line) else Kind.COMMENT
        return kinds.get(number, edge)

    return plain(text).read(kind_of)


class _Line(Struct):
    """A statement, of all its lines; ``qualifier`` is what stands before its colon."""

    qualifier: str | None
    words: list[OperandWord]
    place: Place

    @property
    def first(self) -> str:
        """Its first word in capitals; empty without one."""
        return self.words[0].text.upper() if self.words else ""

    @property
    def has_names_alone(self) -> bool:
        """Whether it may be the rest of EQUATE."""
        text = " ".join(word.text for word in self.words)
        return not _READ.search(text) and all(_NAME.fullmatch(word.text) for word in self.words)


def _statements(text: str, file: str) -> Iterator[Activation]:
    lines = list(_joined(text, file))
    _expect_no_numbers(text, file)
    nicknames: dict[str, list[str]] = {}
    below: list[OperandWord] = []
    for line, following in zip_longest(lines, lines[1:]):
        if line.first == "EQUATE":
            names = [word.text.upper() for word in line.words[1:]]
            if len(names) < 2:
                raise line.place.error(
                    "EQUATE names no system", "a nickname and one system or more"
                )
            nicknames[names[0]] = names[1:]
            if following and following.has_names_alone and following.qualifier == line.qualifier:
                below += following.words
    before: _Line | None = None
    is_behind_one = False
    for line in lines:
        if is_behind_one and _OPERANDS.fullmatch(line.first):
            raise _alone(line.words[0], "a statement about links")
        named = line.qualifier
        patterns = tuple(_meant(named.split(), nicknames)) if named else ()
        systems = Qualifier(named, patterns, tuple(below)) if named else None
        found = list(_statement(line.words, systems))
        if found and before and not before.words:
            raise before.place.error(
                f"{before.qualifier}: has no statement behind it",
                f"one in its line, or a comma if it goes on in line {line.place.line}",
            )
        before, is_behind_one = line, bool(found)
        yield from found


def _expect_no_numbers(text: str, file: str) -> None:
    """Refuse numbers of some lines, which cannot be told from names of systems."""
    found = [
        (int(named[1]), Place(file, number))
        for number, card in enumerate(text.split("\n"), start=1)
        if (named := _PREFIX.match(card)) and named[1].isdecimal() and not _EDGE.search(card)
    ]
    if len(found) > 1 and all(one < two for (one, _), (two, _) in pairwise(found)):
        name, place = found[0]
        raise place.error(
            f"{name}: may be the number of the line, as they rise down to line {found[-1][1].line}",
            f"numbers of all lines or of none; {name}: BEGIN and END if it is a system",
        )


def _alone(word: OperandWord, what: str) -> ConfigurationError:
    return word.place.error(
        f"{shown(word.text)} stands alone below {what}",
        "a comma at the end of the line before, if it goes on",
    )


def _joined(text: str, file: str) -> Iterator[_Line]:
    """The statements of a file, those of several lines in one, with their qualifiers."""
    block: _Line | None = None
    line = _Line(None, [], Place(file, 1))
    goes_on = False
    for number, card in enumerate(text.split("\n"), start=1):
        if not card.strip():
            continue
        start = 0
        if not goes_on:
            line = _Line(block.qualifier if block else None, [], Place(file, number))
            if found := _PREFIX.match(card):
                line.qualifier, start = found[1].upper(), found.end()
                rest = card[start:].strip(" *`~").upper()
                if rest in ("BEGIN", "END"):
                    ends = block.qualifier if block else None
                    if ends != (line.qualifier if rest == "END" else None):
                        where = f"behind {ends}: BEGIN" if ends else "without BEGIN"
                        where += f" in line {block.place.line}" if block else ""
                        raise line.place.error(f"{line.qualifier}: {rest} {where}", _EDGES)
                    block = line if rest == "BEGIN" else None
                    continue
            elif _EDGE.search(card):
                raise line.place.error(f"{shown(card.strip())} cannot be read", _EDGES)
        line.words += [
            OperandWord(word[0], Place(file, number, word.start() + 1))
            for word in _WORD.finditer(card, start)
        ]
        goes_on = card.rstrip().endswith(",")
        if not goes_on:
            yield line
    if goes_on:
        yield line
        if any(_statement(line.words, None)):
            raise line.words[-1].place.error(
                "the statement ends with a comma, and the file ends", "one more line"
            )
    if block:
        raise block.place.error(f"{block.qualifier}: BEGIN without END", _EDGES)


_EDGE: Final = re.compile(r":.*\b(?:BEGIN|END)\W*$", re.IGNORECASE)
_EDGES: Final = "NODE: BEGIN and NODE: END of one NODE, in turn"


def _without_comments(text: str, file: str) -> str:
    """The text with blanks for comments, so that what is behind one keeps its line and its column.

    Refuses one that goes on to the file's end, or to that of another, over statements.
    """
    text = "\n".join(lines_of(text))
    for found in _COMMENT.finditer(text):
        is_open = not found[0].endswith("*/", 2) or "/*" in found[0].partition("\n")[2]
        if is_open and _SWALLOWED.search(found[0]):
            line = text.count("\n", 0, found.start()) + 1
            column = found.start() - text.rfind("\n", 0, found.start())
            raise Place(file, line, column).error(
                "a comment begins here and does not end, and has statements in it", "*/ at its end"
            )
    return _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)


def _statement(words: Sequence[OperandWord], systems: Qualifier | None) -> Iterator[Activation]:
    """The statement in ``words``, if it is one; a console may have put words before it.

    Raises `ConfigurationError` for ISLINK behind no verb that is known, and for a verb with devices
    and no ISLINK: a blank or a word was lost, and what it says would be passed over.
    """
    for index, word in enumerate(words[:-1]):
        verb = next((verb for verb in _VERBS if matches(verb, word.text.upper())), None)
        if verb is not None and matches(ISLINK, words[index + 1].text.upper()):
            if words[0].place.line < word.place.line:
                raise word.place.error(
                    f"{shown(word.text)} stands where the statement in line "
                    f"{words[0].place.line} goes on",
                    "no comma at the end of the line before",
                )
            yield _activation(_VERBS[verb], word, words[index + 2 :], systems)
            return
    for index, (before, word) in enumerate(zip((None, *words), words, strict=False)):
        lost = (len(words) == 1 and any(matches(verb, word.text.upper()) for verb in _VERBS)) or (
            before
            and _VERB.fullmatch(before.text)
            and any(_OPERANDS.fullmatch(each.text) for each in words[index : index + 3])
        )
        if lost or (_NO_VERB.search(word.text) and not (before and _LOOKS.fullmatch(before.text))):
            raise word.place.error(
                f"{shown(word.text)} is no statement or command about links",
                "ACTIVATE ISLINK or DEACTIVE ISLINK",
            )


def _activation(
    active: bool, verb: OperandWord, operands: Sequence[OperandWord], systems: Qualifier | None
) -> Activation:
    rdevs: dict[Rdev, None] = {}
    partner: NodeName | None = None
    rest = iter(operands)
    line = verb.place.line
    for word in rest:
        if word.place.line > line and _VERB.fullmatch(word.text):
            raise word.place.error(
                f"{word.text} stands where the statement in line {verb.place.line} goes on",
                f"no comma at the end of line {line}",
            )
        line = word.place.line
        if matches(NODE, word.text.upper()) or matches(BUFFERS, word.text.upper()):
            value = next(rest, None)
            if value is None:
                raise word.place.error(f"{word.text.upper()} has no value", "NODE and a name")
            if matches(NODE, word.text.upper()):
                partner = value.read(to_node, "NODE", "a name of 1 to 8 characters")
        elif active or word.text.upper() != ALL:
            rdevs |= dict.fromkeys(word.read(parse_rdevs, "ISLINK", _OPERAND))
        if len(rdevs) > CTCS_MAX:
            raise word.place.error(
                f"{verb.text.upper()} ISLINK has more than {CTCS_MAX} device numbers",
                f"1 to {CTCS_MAX} of them",
            )
    if active and not rdevs:
        raise verb.place.error(
            f"{verb.text.upper()} ISLINK has no device number", f"1 to {CTCS_MAX} of them"
        )
    return Activation(active, tuple(rdevs), partner, systems, verb.place)
