"""What the address of the page holds behind the #: a layout, so that it can be shared as a link."""

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

import msgspec

from isfc import ConfigurationError, __version__
from isfc.cli.studio.tasks import Shown

_LENGTH_MAX: Final = 4 * 2**20
"""Bytes of what an address holds, unpacked."""


class Held(Shown, frozen=True):
    """The layout, what is struck out, how it was opened, and the version of isfc that wrote it."""

    version: str = __version__


def pack(shown: Shown) -> str:
    """Deflated JSON in the letters of an address."""
    held = msgspec.json.encode(Held(shown.text, shown.struck, shown.opened))
    return urlsafe_b64encode(zlib.compress(held, wbits=-zlib.MAX_WBITS)).decode().rstrip("=")


def unpack(address: str) -> Held:
    """What an address holds. Raises `ConfigurationError` for one that is not whole."""
    try:
        packed = urlsafe_b64decode(address + "=" * (-len(address) % 4))
        held = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, _LENGTH_MAX)
        return msgspec.json.decode(held, type=Held)
    except (ValueError, zlib.error, msgspec.DecodeError):
        raise ConfigurationError("the address: what follows the # is no layout") from None
