"""Where something stands in a text that people wrote, and what a message says of it."""

import re
from collections.abc import Callable
from typing import Final, TypeVar

from msgspec import Struct

from ctc.address import CtcError
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import in_utf8, is_ebcdic
from isfc.layout.layers import plain

SHOWN_LENGTH_MAX: Final = 40
"""Characters of a text that a message repeats."""

_T = TypeVar("_T")


class Place(Struct, frozen=True, order=True):
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
