"""Numbers and names from their text; each raises `ConfigurationError` for what is none."""

from typing import Final

from ctc.address import Rdev, parse_rdev
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName

UNIT_ADDRESS_MAX: Final = 0xFF

_HEX: Final = frozenset("0123456789ABCDEFabcdef")
_MIF: Final = "123456789ABCDEF"


def to_css(text: str) -> int:
    """A CSS, from 0 to 5."""
    if len(text) != 1 or text not in "012345":
        raise ConfigurationError(text)
    return int(text)


def is_mif(text: str) -> bool:
    """Whether it is a MIF image id."""
    return len(text) == 1 and text.upper() in _MIF


def to_mif(text: str) -> int:
    """A MIF image id, from 1 to F."""
    if not is_mif(text):
        raise ConfigurationError(text)
    return int(text, 16)


def to_byte(text: str) -> int:
    """A unit address or CUADD, of 1 or 2 hex digits."""
    if not 1 <= len(text) <= 2 or not _HEX.issuperset(text):
        raise ConfigurationError(text)
    return int(text, 16)


def to_count(text: str) -> int:
    """A decimal count of unit addresses."""
    if not 1 <= len(text) <= 5 or not (text.isascii() and text.isdigit()) or int(text) == 0:
        raise ConfigurationError(text)
    if int(text) > UNIT_ADDRESS_MAX + 1:
        raise ConfigurationError(text)
    return int(text)


def to_rdev(text: str) -> Rdev:
    """A device number; HCD writes a subchannel set's digit, 0 here, in front of it."""
    return parse_rdev(text[1:] if len(text) == 5 and text.startswith("0") else text)


def to_far_port(text: str) -> str | None:
    """A link address; None for the asterisks of a channel on no switch (published: ICP253I)."""
    return None if text in ("**", "****") else parse_link(text)


def parse_link(text: str) -> str:
    """A link address, in capitals; raise `ConfigurationError` otherwise."""
    if len(text) not in (2, 4) or not _HEX.issuperset(text):
        raise ConfigurationError(text)
    return text.upper()


def to_node(text: str) -> NodeName:
    """The name of a system, in capitals."""
    return NodeName(text.upper())
