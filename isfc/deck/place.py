"""Where something stands in a text that people wrote, and numbers and names read from there.

What is none raises `ConfigurationError`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from ctc.address import CtcError, Rdev, parse_rdev
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import in_utf8, is_ebcdic
from isfc.layout.layers import plain
from isfc.link.name import NodeName

SHOWN_LENGTH_MAX: Final = 40
"""Characters of a text that a message repeats."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line and a column of a file, both counted from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def error(self, problem: str, expected: str) -> ConfigurationError:
        """What is wrong here, and what was expected instead."""
        return ConfigurationError(f"{self}: {problem}; expected {expected}")

    def read(self, text: str, convert: Callable[[str], _T], what: str, expected: str) -> _T:
        """``text``, which stands here, as ``convert`` takes it; or an error that names ``what``."""
        try:
            return convert(text)
        except (ValueError, CtcError, ConfigurationError):
            raise self.error(f"{what} {shown(text)}", expected) from None


def shown(text: str) -> str:
    """``text`` as a message can safely repeat it: short, quoted and printable."""
    return repr(text[:SHOWN_LENGTH_MAX])


def decode(data: bytes, file: str) -> str:
    """The text in ``data``; raise `ConfigurationError` for what is no text."""
    start = Place(file, 1)
    if is_ebcdic(data):
        raise start.error("is text in EBCDIC", "a file that was transferred as text")
    text = in_utf8(data).decode("utf-8-sig", "surrogateescape")
    if found := re.search("[\0\udc80-\udcff]", text):
        at = found.start()
        raise Place(file, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)).error(
            "holds binary data" if found[0] == "\0" else "is not text in UTF-8",
            "a file that was transferred as text, not as EBCDIC",
        )
    return text


def lines_of(text: str) -> list[str]:
    """The lines of ``text`` without what programs lay around it, each character in its column."""
    return plain(text).in_place()


UNIT_ADDRESS_MAX: Final = 0xFF
MIF_IDS: Final = frozenset("123456789ABCDEFabcdef")


def _of_form(form: str, text: str) -> str:
    if not re.fullmatch(form, text, re.ASCII | re.IGNORECASE):
        raise ConfigurationError(text)
    return text


def to_css(text: str) -> int:
    """A CSS, from 0 to 5."""
    return int(_of_form("[0-5]", text))


def to_mif(text: str) -> int:
    """A MIF image id, from 1 to F."""
    return int(_of_form("[1-9A-F]", text), 16)


def to_byte(text: str) -> int:
    """A unit address or CUADD, of 1 or 2 hex digits."""
    return int(_of_form("[0-9A-F]{1,2}", text), 16)


def to_count(text: str) -> int:
    """A decimal count of unit addresses."""
    count = int(_of_form("[0-9]{1,5}", text))
    if not 1 <= count <= UNIT_ADDRESS_MAX + 1:
        raise ConfigurationError(text)
    return count


def to_rdev(text: str) -> Rdev:
    """A device number; HCD writes a subchannel set's digit, 0 here, in front of it."""
    return parse_rdev(text[1:] if len(text) == 5 and text.startswith("0") else text)


def to_far_port(text: str) -> str | None:
    """A link address; None for the asterisks of a channel on no switch (published: ICP253I)."""
    return None if text in ("**", "****") else parse_link(text)


def parse_link(text: str) -> str:
    """A link address, in capitals; raise `ConfigurationError` otherwise."""
    return _of_form("(?:[0-9A-F]{2}){1,2}", text).upper()


def to_node(text: str) -> NodeName:
    """The name of a system, in capitals."""
    return NodeName(text.upper())
