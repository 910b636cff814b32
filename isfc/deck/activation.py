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
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final

from ctc.address import Rdev, parse_rdevs
from isfc.deck.operand import OperandWord
from isfc.deck.place import Place, lines_of, shown, to_node
from isfc.layout.checked_toml import refuse_iocp_report
from isfc.link.name import ALL, BUFFERS, ISLINK, NODE, NodeName, matches
from isfc.link.scan import CTCS_MAX

_PREFIX: Final = re.compile(
    r"\s*([A-Za-z0-9$#@_*%]{1,16}(?:[ ]+[A-Za-z0-9$#@_*%]{1,16})*)\s*:(?=\s|$)", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Qualifier:
    """The systems of a statement: ``text`` as it stands there, ``patterns`` what that means.

    In patterns of CP ``*`` stands for any characters, ``%`` for one.
    """

    text: str
    patterns: tuple[str, ...]

    def chosen(self, nodes: Collection[str]) -> list[str]:
        """Those of ``nodes`` that it names."""
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
_UNENDED: Final = re.compile(r"/\*(?:(?!\*/).)*\Z", re.DOTALL)
_WORD: Final = re.compile(r"[^\s,]+")
_VERBS: Final = {"ACTivate": True, "DEActive": False, "DEACTIVATe": False}
"""Whether a verb puts devices into the link."""
_NO_VERB: Final = re.compile(r"ISLI(?:NK?)?\b", re.IGNORECASE)
_VERB: Final = re.compile(r"ACTIVATE|DEACTIVE|DEACTIVATE", re.IGNORECASE)
_DEVICE: Final = re.compile(r"[0-9A-F]{4}(?:-[0-9A-F]{4})?", re.IGNORECASE)
_LOOKS: Final = re.compile(
    r"#?(?:CP)?Q(?:U|UE|UER|UERY)?|IND(?:I|IC|ICA|ICAT|ICATE)?", re.IGNORECASE
)
"""Commands that show ISLINK, and do nothing to it."""

_OPERAND: Final = "a device number, NODE with a name, or the end"


@dataclass(frozen=True, slots=True)
class Activation:
    """One statement. ``systems`` are those it is qualified for, ``partner`` its NODE operand.

    ``member`` is the system on which AT runs it, whosever console that is. DEACTIVE without device
    numbers means all of them.
    """

    active: bool
    rdevs: tuple[Rdev, ...]
    partner: NodeName | None
    systems: Qualifier | None
    place: Place
    member: NodeName | None = None


def parse_activations(text: str, file: str) -> tuple[Activation, ...]:
    """The statements in ``text``; raise `ConfigurationError`, with their place, for bad ones."""
    found = tuple(_statements(text, file))
    if not found:
        refuse_iocp_report(text, file)
        raise Place(file, 1).error(
            "there is no ACTIVATE ISLINK", "at least one, such as ACTIVATE ISLINK 6000 6001"
        )
    return found


def imbedded(text: str, file: str) -> Iterator[str]:
    """What to say of IMBED statements: the files that they name may choose devices too."""
    for line in _joined(text, file):
        if line.words and line.words[0].text.upper() == "IMBED":
            named = " ".join(word.text for word in line.words[1:])
            yield (
                f"{line.words[0].place}: IMBED {shown(named)[1:-1]} is not followed: give that "
                "file as well if it has ACTIVATE ISLINK"
            )


@dataclass(slots=True)
class _Line:
    """A statement, of all its lines; ``qualifier`` is what stands before its colon."""

    qualifier: str | None
    words: list[OperandWord]


def _statements(text: str, file: str) -> Iterator[Activation]:
    lines = list(_joined(text, file))
    nicknames: dict[str, list[str]] = {}
    for line in lines:
        if line.words and line.words[0].text.upper() == "EQUATE":
            names = [word.text.upper() for word in line.words[1:]]
            if len(names) < 2:
                raise line.words[0].place.error(
                    "EQUATE names no system", "a nickname and one system or more"
                )
            nicknames[names[0]] = names[1:]
    is_behind_one = False
    for line in lines:
        if is_behind_one and line.words and all(_DEVICE.fullmatch(w.text) for w in line.words):
            raise line.words[0].place.error(
                f"{shown(line.words[0].text)} stands alone below a statement about links",
                "a comma at the end of the line before, if it goes on",
            )
        named = line.qualifier
        systems = named and Qualifier(named, tuple(_meant(named.split(), nicknames)))
        found = list(_statement(line.words, systems or None))
        is_behind_one = bool(found) or (is_behind_one and not line.words)
        yield from found


def _joined(text: str, file: str) -> Iterator[_Line]:
    """The statements of a file, those of several lines in one, with their qualifiers."""
    text = "\n".join(lines_of(text))
    _check_comments(text, file)
    block: str | None = None
    line = _Line(None, [])
    goes_on = False
    # a comment becomes blanks, so that what is behind it keeps its line and its column
    blanked = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
    for number, card in enumerate(blanked.split("\n"), start=1):
        if goes_on and not card.strip():
            continue
        start = 0
        if not goes_on:
            line = _Line(block, [])
            if found := _PREFIX.match(card):
                line.qualifier, start = found[1].upper(), found.end()
                rest = card[start:].strip().upper()
                if rest in ("BEGIN", "END"):
                    block = line.qualifier if rest == "BEGIN" else None
                    continue
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


def _check_comments(text: str, file: str) -> None:
    """Refuse a comment that does not end and has a statement about links in it."""
    found = _UNENDED.search(text)
    if found and "ISL" in found[0].upper():
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        raise Place(file, line, column).error(
            "a comment begins here and does not end, and has ISLINK in it", "*/ at its end"
        )


def _statement(words: Sequence[OperandWord], systems: Qualifier | None) -> Iterator[Activation]:
    """The statement in ``words``, if it is one; a console may have put words before it.

    Raises `ConfigurationError` for ISLINK behind no verb that is known, and for a verb with devices
    and no ISLINK: a blank or a word was lost, and what it says would be passed over.
    """
    for index, word in enumerate(words[:-1]):
        verb = next((verb for verb in _VERBS if matches(verb, word.text.upper())), None)
        if verb is not None and matches(ISLINK, words[index + 1].text.upper()):
            found = _activation(_VERBS[verb], word, words[index + 2 :], systems)
            yield replace(found, member=_member(words[:index]))
            return
    for before, word in zip((None, *words), words, strict=False):
        lost = before and _VERB.fullmatch(before.text) and _DEVICE.fullmatch(word.text)
        if lost or (_NO_VERB.search(word.text) and not (before and _LOOKS.fullmatch(before.text))):
            raise word.place.error(
                f"{shown(word.text)} is no statement or command about links",
                "ACTIVATE ISLINK or DEACTIVE ISLINK",
            )


def _member(before: Sequence[OperandWord]) -> NodeName | None:
    """The system on which AT runs the command behind these words; None without AT."""
    for at, member, cmd in zip(before, before[1:], before[2:], strict=False):
        if at.text.upper().lstrip("'\"") == "AT" and cmd.text.upper() in ("CMD", "COMMAND"):
            return member.read(to_node, "AT", "the name of a member")
    return None


def _activation(
    active: bool, verb: OperandWord, operands: Sequence[OperandWord], systems: Qualifier | None
) -> Activation:
    rdevs: dict[Rdev, None] = {}
    partner: NodeName | None = None
    rest = iter(operands)
    for word in rest:
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
