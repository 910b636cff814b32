"""Numbers and names as decks and consoles have them; what is none raises `ConfigurationError`."""

import re
from typing import Final

from ctc.address import Rdev, parse_rdev
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName

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
