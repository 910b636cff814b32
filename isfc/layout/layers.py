"""What programs lay around a text that people paste, taken off again before a reader sees it.

Mail quotes lines, web pages make other blanks and entities, editors put numbers in front, chat
has fences, Windows writes UTF-16. A layer is taken off where each line has it that is not empty,
or each within a code fence: then nothing of the text itself can be meant. Lines keep their
numbers, and `Plain.column` says where in the file a character stood.

Cards of a deck need their columns, so they lose a layer with its width, and nothing else: a plain
deck stays as it is, to the byte. In other texts a quotation's mark is one in a single line too, and
hyphens and bold words are plain.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from isfc.layout.pasted import Kind, LineAccount, looks_like_row, spans

_BLANKS: Final = {
    **dict.fromkeys("\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000", " "),
    **dict.fromkeys(map(chr, range(0x2000, 0x200B)), " "),
}
_OF_CARDS: Final = str.maketrans(_BLANKS)
_OF_TEXT: Final = str.maketrans(
    {**_BLANKS, "\t": " ", **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")}
)
"""What programs make of a blank and of a hyphen."""

_MARKUP: Final = re.compile(
    r"&(?:amp;)*(?:nbsp|gt|lt|amp|quot|apos|#\d{1,5}|#[xX][0-9A-Fa-f]{1,4});"
    r"|</?(?:pre|code|tt|b|strong|br|p|div|span)\b[^<>]{0,200}>"
    r"|[\u200b-\u200f\u2060\ufeff\xad]|^\f",
    re.MULTILINE,
)
"""Entities of HTML, tags, and what has no width."""

_BOLD: Final = re.compile(r"(?<![^\s|])(\*\*|__)(?=\w)([^*]*?[^\s*])\1(?![^\s|])")
"""Words between marks."""

_FENCE: Final = re.compile(
    r"\s*(?:(?:`{3,}|~{3,})[\w .:+-]*|\{(?:code|noformat)[^{}]*\}|\[/?code\])\s*"
)
_QUOTED: Final = re.compile(r" *(?:[>|] ?)+(?!.*<<)")
"""A quotation's marks in a single line; ``>> All DASD <<`` has none."""

_SIGN: Final = re.compile(r" {0,3}[>|]|[-+:;%!~=\u2022\u203a\xbb](?=[ \t]|$)")
_NUMBER: Final = re.compile(r" *[\[(]?(\d{1,8})(?:([)|\]]+|:(?!\d\d[:.])|\.(?!\d))|(\t)|(?= |$))")
_BEHIND: Final = re.compile(r"(?:^|[ \t])(\d{5,8})$")
_AFTER: Final = re.compile(r"[|\\]$")
_AROUND: Final = re.compile(r"\s*(\*\*|__|``?|[\"'])(?=.*\1$)")

_NUMBERED_MIN: Final = 3
"""Lines from which on numbers may be those of lines: two may follow each other by chance."""

_PADDED_MIN: Final = 5
"""Digits of a number of a line that is none of a chpid or a device."""

_MARK: Final = 71
"""The index of column 72, where a card says that it is continued."""

_DEPTH_MAX: Final = 8
"""Layers upon each other."""


class Plain(Struct):
    """A text without its layers.

    ``lines`` are what is left of the lines of the file, ``raw``; ``cut`` is how many characters
    each has lost in front once markup was plain. ``outside`` are the numbers of lines that are not
    in its code fences, if it has any, the fences among them; ``layers`` says what was taken
    off. Their reader says in ``account`` what each is.
    """

    raw: list[str]
    lines: list[str]
    cut: list[int]
    account: LineAccount
    outside: frozenset[int] = frozenset()
    layers: list[str] = []
    bold: dict[int, str] = {}
    """Lines, by number, before words lost their marks."""

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    def read(self, take: Callable[[str, int], Kind | None]) -> LineAccount:
        """Take each line that is not empty, with its number, and say what it was; None is wrong."""
        for number, line in enumerate(self.lines, start=1):
            if line.strip():
                kind = take(line.rstrip(), number)
                if kind is None:
                    self.account.refused.append(number)
                else:
                    self.account.note(number, kind)
        return self.account

    def column(self, line: int, column: int) -> int:
        """The column of the file at which a character of a line stood; both count from 1."""
        at = _before(_BOLD, self.bold.get(line, ""), column - 1)
        return _before(_MARKUP, self.raw[line - 1], self.cut[line - 1] + at) + 1

    def in_place(self) -> list[str]:
        """The lines with each word in the column where it stands in the file."""
        if not self.layers:
            return [*self.lines]
        return [
            self._placed(number, line) if len(line) < len(self.raw[number - 1]) else line
            for number, line in enumerate(self.lines, start=1)
        ]

    def _placed(self, number: int, line: str) -> str:
        placed = ""
        for word in re.finditer(r"\S+", line):
            at = self.column(number, word.start() + 1) - 1
            placed = placed.ljust(max(at, len(placed) + bool(placed))) + word[0]
        return placed


def _before(markup: re.Pattern[str], line: str, at: int) -> int:
    """The index in a line of the character that has index ``at`` once markup is plain."""
    lost = 0
    for each in markup.finditer(line):
        more = lost + len(each[0]) - len(_meant(each))
        if each.end() - more > at:
            break
        lost = more
    return at + lost


def _meant(markup: re.Match[str]) -> str:
    """What a piece of markup stands for."""
    if markup.re is _BOLD:
        return markup[2]
    if markup[0][0] != "&":
        return ""
    from html import unescape  # few texts have entities

    return unescape(markup[0].replace("amp;", "") if markup[0].count(";") > 1 else markup[0])


def plain(text: str, *, cards: bool = False) -> Plain:
    """A text without its layers; ``cards`` are those of a deck."""
    raw = [line.rstrip("\r\x1a") for line in text.split("\n")]
    if "\n" not in text.strip("\n"):
        raw = text.rstrip("\n").split("\r")
    found = Plain(raw, raw[:], [0] * len(raw), LineAccount(len(raw) - (not raw[-1])))
    is_marked = _MARKUP.search(text) is not None
    if is_marked:
        found.lines = [_MARKUP.sub(_meant, line) for line in raw]
        found.layers.append("markup")
    if is_marked or not cards or not text.isascii():
        table = _OF_CARDS if cards else _OF_TEXT
        found.lines = [line.translate(table) for line in found.lines]
    inside: Sequence[int] = range(len(raw))
    for _ in range(_DEPTH_MAX):
        full = [at for at in inside if found.lines[at].strip()]
        if not _peel(found, full, cards=cards):
            within, inside = inside, _fenced(found, inside)
            if inside is within:
                break
    if not cards:
        _take_off_single(found)
    return found


def _take_off_single(found: Plain) -> None:
    """Take off what has a meaning in single lines: a quotation's marks, and those of bold words."""
    for at, line in enumerate(found.lines):
        if quoted := _QUOTED.match(line):
            _cut(found, at, quoted.end(), len(line))
            found.layers = found.layers or ["signs in front of some"]
        if _BOLD.search(line):
            found.bold[at + 1] = found.lines[at]
            found.lines[at] = _BOLD.sub(_meant, found.lines[at])
            found.layers = found.layers or ["bold words"]


def _cut(found: Plain, at: int, begin: int, end: int) -> None:
    found.cut[at] += begin
    found.lines[at] = found.lines[at][begin:end]


def _fenced(found: Plain, inside: Sequence[int]) -> Sequence[int]:
    """The lines within fences, if there are any; the fences become empty."""
    fences = [at for at in inside if _FENCE.fullmatch(found.lines[at])]
    if not fences:
        return inside
    for at in fences:
        found.lines[at] = ""
        found.account.note(at + 1, Kind.RULE)
    found.layers.append(f"code fences ({spans(at + 1 for at in fences)})")
    before = [at for at in inside if at < fences[0] and found.lines[at].strip()]
    behind = [at for at in inside if at > fences[0] and found.lines[at].strip()]
    if len(fences) == 1:
        kept = behind or before
    else:
        kept = [
            at for at in inside if at not in fences and sum(one < at for one in fences) % 2 == 1
        ]
    found.outside |= {at + 1 for at in inside}.difference(at + 1 for at in kept)
    return kept


def _peel(found: Plain, full: Sequence[int], *, cards: bool) -> bool:
    """Take off one layer that each of the lines has which are ``full``; whether there was one."""
    lines = [found.lines[at].rstrip() for at in full]
    if len(lines) < 2:
        return False
    for peeled in (_in_front, _around, _behind):
        if layer := peeled(lines, cards=cards):
            called, ends = layer
            for at, (begin, end) in zip(full, ends, strict=True):
                _cut(found, at, begin, end)
            found.layers.append(called)
            return True
    return False


_Layer = tuple[str, list[tuple[int, int]]]
"""What a layer is called, and where each line begins and ends without it."""


def _in_front(lines: Sequence[str], *, cards: bool) -> _Layer | None:
    """A sign or a number in front of each line."""
    called, tab = "signs in front", False
    begun = [_SIGN.match(line) for line in lines]
    if not all(begun):
        begun = [_NUMBER.match(line) for line in lines]
        if not _are_numbers(begun, lines):
            return _indented(lines) if cards else None
        called, tab = "numbers in front", all(each and each[3] for each in begun)
    begins = [each.end() for each in begun if each]
    rests = [line[begin:] for line, begin in zip(lines, begins, strict=True)]
    # a blank behind it is its own where another line begins there, or continuation marks tell
    if not tab and all(rest[:1] in ("", " ", "\t") for rest in rests):
        begins_there = any(rest[1:2].strip() for rest in rests)
        if begins_there or _marked(rests, 1) >= _marked(rests, 0):
            begins = [begin + bool(rest) for begin, rest in zip(begins, rests, strict=True)]
    return called, [(begin, len(line)) for begin, line in zip(begins, lines, strict=True)]


def _marked(lines: Sequence[str], begin: int) -> int:
    """Lines that have a continuation mark if they begin there."""
    at = begin + _MARK
    return sum(line[at : at + 1].strip() != "" and line[at - 1] == " " for line in lines)


def _are_numbers(begun: Sequence[re.Match[str] | None], lines: Sequence[str]) -> bool:
    """Whether what is in front of each line are the numbers of lines."""
    found = [each for each in begun if each]
    if len(found) < max(len(lines), _NUMBERED_MIN):
        return False
    numbers = [int(each[1]) for each in found]
    steps = {after - before for before, after in pairwise(numbers)}
    if min(steps) <= 0:
        return False
    if all(each[2] == ":" for each in found):
        return True
    if len(steps) > 1:
        return False
    rests = [line[each.end() :] for line, each in zip(lines, found, strict=True)]
    if all(not rest.strip() or looks_like_row(rest) for rest in rests):
        return False  # chpids or devices that follow each other
    padded = len({len(each[1]) for each in found}) == 1 and len(found[0][1]) >= _PADDED_MIN
    return padded or numbers[0] in (1, *steps)


def _indented(lines: Sequence[str]) -> _Layer | None:
    """Cards that all are indented, comments among them."""
    blanks = min(len(line) - len(line.lstrip(" ")) for line in lines)
    has_comments = any(line[blanks] == "*" for line in lines)
    if not blanks or not has_comments or _marked(lines, blanks) < _marked(lines, 0):
        return None
    return "blanks in front", [(blanks, len(line)) for line in lines]


def _around(lines: Sequence[str], *, cards: bool) -> _Layer | None:
    """Marks around each line, as bold ones."""
    del cards
    begun = [_AROUND.match(line) for line in lines]
    found = [each for each in begun if each]
    marks = {each[1] for each in found}
    if len(found) < len(lines) or len(marks) > 1:
        return None
    width = len(found[0][1])
    ends = [len(line) - width for line in lines]
    if any(each.end() > end for each, end in zip(found, ends, strict=True)):
        return None
    return "marks around lines", [(m.end(), end) for m, end in zip(found, ends, strict=True)]


def _behind(lines: Sequence[str], *, cards: bool) -> _Layer | None:
    """A sign or a number behind each line."""
    after = [each for line in lines if (each := _AFTER.search(line))]
    if len(after) == len(lines):
        return "signs behind", [(0, each.start()) for each in after]
    found = [each for line in lines if (each := _BEHIND.search(line))]
    if len(found) < max(len(lines), _NUMBERED_MIN):
        return None
    numbers = [int(each[1]) for each in found]
    steps = {two - one for one, two in pairwise(numbers)}
    in_columns = all(each.start(1) == _MARK + 1 for each in found)
    if len(steps) > 1 or min(steps) <= 0 or (cards and in_columns):
        return None
    return "numbers behind", [(0, each.start()) for each in found]


def named_layers(text: str) -> Iterator[str]:
    """What some lines of a text have around them, in words: why it cannot be read, perhaps."""
    lines = text.split("\n")
    for form, what in _NAMED:
        numbers = [number for number, line in enumerate(lines, start=1) if form.match(line)]
        if numbers and (what != _NUMBERS or len(numbers) * 2 > len(lines)):
            begin = form.match(lines[numbers[0] - 1])
            shown = begin[0].strip() if begin else ""
            does = "begins" if len(numbers) == 1 else "begin"
            within = range(numbers[0], numbers[-1])
            left = [n for n in within if n not in numbers and lines[n - 1].strip()]
            wrapped = f" that was wrapped: join {spans(left)} to the line before"
            is_wrapped = form is _QUOTED and len(left) > 0
            yield f"{spans(numbers)} {does} with {shown!r}: {what}{wrapped * is_wrapped}"


_NUMBERS: Final = "numbers of lines"
_NAMED: Final = (
    (_QUOTED, "a quotation"),
    (_FENCE, "a code fence"),
    (re.compile(r" {0,8}\d{1,8}[:)|\]\t ]"), _NUMBERS),
    (re.compile(r"\s*__(?=\w)"), "bold marks"),
    (re.compile(r"\s*[-+\u2022\u203a\xbb] "), "signs of a list"),
)
"""Layers that are named as a cause where they could not be taken off."""
