"""What runs in processes of its own. Layouts come as text, so that each reads what it needs.

The address of the page holds one behind the #, so that it can be shared as a link.
"""

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache
from typing import Final

import msgspec
from msgspec import Struct

import isfc
from isfc import ConfigurationError, __version__
from isfc.answers.simulation import explained
from isfc.cli.studio.work import Tell

SOURCE: Final = "layout"
_KEPT: Final = 16
"""Layouts that stay read: the one that is shown, the one as opened, and what undo goes back to."""


class Subject(Struct, frozen=True):
    """What is judged: a layout as text, without the fibres that are struck out."""

    text: str
    struck: frozenset[str] = frozenset()

    def read(self) -> isfc.Collection:
        """The links. Raises `ConfigurationError` for text that is no layout."""
        return _read(self)

    def plans(self) -> dict[str, isfc.Plan]:
        """The judgement of each link by the rules, by its name."""
        return _plans(self)


class Shown(msgspec.Struct, frozen=True):
    """The layout that the page shows, the fibres struck out of it, and the one it began with."""

    text: str
    struck: list[str] = []
    opened: str = ""

    @property
    def subject(self) -> Subject:
        """It, without what is struck out."""
        return Subject(self.text, frozenset(self.struck))


def node_of(links: isfc.Collection, way: str) -> tuple[isfc.Layout, str]:
    """The link and the sending node of ``ALPHA-BETA BETA``, as the page names a direction."""
    name, _, node = way.rpartition(" ")
    return links.link(name, "link"), node


@lru_cache(_KEPT)
def _read(subject: Subject) -> isfc.Collection:
    collection = isfc.parse_links(subject.text, SOURCE)
    if not subject.struck:
        return collection
    left = isfc.without(collection, subject.struck)
    return isfc.parse_links(isfc.format_collection(left), SOURCE)


@lru_cache(_KEPT)
def _plans(subject: Subject) -> dict[str, isfc.Plan]:
    collection = subject.read()
    return {
        link.name: isfc.judge(link, collection.beside(link), collection)
        for link in collection.links
    }


class Question(Struct, frozen=True):
    """What one node of a link can send: saturated, and with ``pairs`` of guests."""

    subject: Subject
    link: str
    sender: str
    pairs: int


def questions(subject: Subject, pairs: int) -> list[Question]:
    """What is to be known of a layout: what each node of each link can send."""
    return [
        Question(subject, link.name, sender, pairs)
        for link in subject.read().links
        for sender in link.nodes
    ]


Inquiry = tuple[Question, isfc.ModelledRate | None]
"""A question, and what the model has said, if it is asked why."""


def ask(_: Tell, asked: Inquiry) -> isfc.ModelledRate:
    """What the model says: a figure of ``isfc plan``; or the same with what limits it."""
    question, rate = asked
    if rate is not None:
        return explained(rate, question.subject.read())
    link = question.subject.plans()[question.link].layout
    (carried,) = isfc.carried(link, question.sender, pairs=question.pairs)
    return carried


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
