"""A layout from what a site has: IOCP decks, console logs, activation statements.

Each import is a function with a typed answer, of which its command is made. It tells what a reader
should know as it goes, and its record keeps that.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import starmap, zip_longest
from typing import Annotated, Any, ParamSpec, Self, cast

from msgspec import Struct

from ctc.address import ChpidId, format_chpid, format_rdev, parse_chpid
from ctc.features import ChpidProfile, find_profile
from isfc.deck.deck import Deck
from isfc.deck.pairing import Pairing, Reason, Unpaired
from isfc.deck.place import decode
from isfc.errors.arguments import Argument, in_python
from isfc.errors.loading import named
from isfc.layout.checked_toml import AnyText, given_bytes, within
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.layout import Layout
from isfc.layout.pasted import LineAccount, lines_read
from isfc.layout.write import format_collection
from isfc.link.name import NodeName, Nodes


class ImportedCtc(Struct, frozen=True):
    """A CTC: its chpids and device numbers, of the first node and of the second."""

    chpids: tuple[str, ...]
    rdevs: tuple[str, ...]


class UnpairedDevice(Struct, frozen=True):
    """A device without a mate."""

    node: NodeName
    rdev: str
    place: str
    """file, line and column"""
    reason: Reason
    """[one of these](import.md#what-is-not-paired)"""
    text: str


class ImportedLink(Struct, frozen=True):
    """A link; of consoles and partition links nothing was inferred, and nothing left."""

    nodes: Nodes
    """the two systems"""
    ctcs: tuple[ImportedCtc, ...]
    """of each, those of the first node and of the second"""
    inferred: Mapping[str, str]
    """by `NODE:CHPID`: the port, or the chpid at the other end of the cable, that follows from the
    decks"""
    unpaired: tuple[UnpairedDevice, ...]


def _imported_link(alone: Collection, pairing: Pairing | None) -> ImportedLink:
    (layout,) = alone.links
    return ImportedLink(
        layout.nodes,
        tuple(ImportedCtc(ctc.fibre.chpid_names, ctc.rdev_names) for ctc in layout.ctcs),
        pairing.inferred if pairing else {},
        tuple(
            UnpairedDevice(
                *(each.node, format_rdev(each.device.rdev), str(each.device.place)),
                *(each.reason, each.text),
            )
            for each in (pairing.unpaired if pairing else ())
        ),
    )


class NamedText(str):
    """The content of a file, which knows its name, and the system that it is said to be of."""

    file: str
    node: str

    def __new__(cls, text: str, file: str, node: str = "") -> Self:
        """The content ``text`` of ``file``."""
        named = super().__new__(cls, text)
        named.file, named.node = file, node
        return named


Tell = Callable[[Deck | Sequence[Unpaired] | str], None]
"""Is told, in this order: the decks, for their notices; what has no mate; remarks."""


def nobody(_: Deck | Sequence[Unpaired] | str) -> None:
    """Who is told if nobody is: the record keeps remarks and what has no mate."""


Features = Annotated[
    Sequence[str],
    Argument(
        "[NODE:][CHPID=]FEATURE",
        "The FICON feature, such as 'FICON Express8S', of all chpids, or of one.",
    ),
]


@dataclass(frozen=True, slots=True, repr=False)
class Imported:
    """A layout that was made of other texts: ``collection`` has all links, ``apart`` each alone.

    ``remarks`` say what was assumed or left out, ``link_remarks`` the same of each link.
    ``unpaired`` are devices of decks that no partner has a mate of, each with ``node``, ``reason``
    and ``text``; ``accounts`` say what became of the lines of the texts. JSON has the links.
    """

    links: tuple[ImportedLink, ...]
    shared_channels: tuple[Mapping[NodeName, str], ...]
    """chpids by system, each list of which is one channel"""
    cecs: Mapping[str, tuple[NodeName, ...]]
    """by name, the systems of each"""
    collection: Collection = field(repr=False)
    apart: tuple[Collection, ...] = field(repr=False)
    link_remarks: tuple[tuple[str, ...], ...] = field(repr=False)
    files: tuple[str, ...] = field(repr=False)
    """names of what it was made of, without folders"""
    source: str = field(default="", repr=False)
    """the layout whose devices were chosen, if one was given, as it was given"""
    remarks: tuple[str, ...] = field(default=(), repr=False)
    unpaired: tuple[Unpaired, ...] = field(default=(), repr=False)
    accounts: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        texts: Iterable[NamedText],
        collection: Collection,
        apart: Sequence[Collection],
        link_remarks: Iterable[tuple[str, ...]],
        pairings: Sequence[Pairing] = (),
    ) -> Self:
        """All links and each alone, and what pairing decks has found of each."""
        return cls(
            tuple(starmap(_imported_link, zip_longest(apart, pairings))),
            tuple(
                {end.node: format_chpid(end.chpid) for end in channel}
                for channel in collection.shared_channels
            ),
            {cec.name: cec.systems for cec in collection.cecs},
            collection,
            tuple(apart),
            tuple(link_remarks),
            tuple(text.file.rpartition("/")[2] for text in texts),
        )

    @property
    def heading(self) -> str:
        """What it was made of, as the first line of its file says."""
        how = f"{self.source}, as activated by" if self.source else "Imported from"
        return f"{how} {', '.join(self.files)}."

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each CTC, as a data frame takes them."""
        return self.collection.rows()

    def __repr__(self) -> str:
        names = ", ".join(link.name for link in self.collection.links)
        count = sum(len(link.ctcs) for link in self.collection.links)
        return f"<Imported {names}: {count} CTCs, {len(self.unpaired)} devices unpaired>"

    def _repr_html_(self) -> str:
        return self.collection._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """What ``isfc import --json`` prints; names and meanings of the keys stay."""
        found: dict[str, Any] = named("isfc.reports.text.encoded")(self)
        return found


_Given = ParamSpec("_Given")


def remembered(work: Callable[_Given, Imported]) -> Callable[_Given, Imported]:
    """An import whose record keeps what it tells."""

    @wraps(work)
    def imported(*args: _Given.args, **given: _Given.kwargs) -> Imported:
        tell = cast("Tell", given.get("tell", nobody))
        told: list[Deck | Sequence[Unpaired] | str] = []

        def note(what: Deck | Sequence[Unpaired] | str) -> None:
            told.append(what)
            if not isinstance(what, LinesRead):
                tell(what)

        with in_python():
            given["tell"] = note
            found = work(*args, **given)
        accounts = tuple(each for each in told if isinstance(each, LinesRead))
        remarks = tuple(each for each in told if isinstance(each, str) and each not in accounts)
        unpaired = [each for some in told if not isinstance(some, Deck | str) for each in some]
        return replace(found, remarks=remarks, unpaired=tuple(unpaired), accounts=accounts)

    return imported


def read_text(text: AnyText, node: str = "") -> NamedText:
    """A text, or the content of a file."""
    if isinstance(text, NamedText):
        return text
    data, name = given_bytes(text, "a text file")
    return NamedText(decode(data, name), name, node)


def named_texts(texts: Sequence[AnyText] | Mapping[str, AnyText]) -> list[NamedText]:
    """Texts, or the contents of files, maybe by system, or each as ``NODE=FILE``."""
    if isinstance(texts, Mapping):
        return [read_text(text, node) for node, text in texts.items()]
    return [_named_text(text) for text in texts]


def _named_text(text: AnyText) -> NamedText:
    is_file = isinstance(text, str) and not ("\n" in text or isinstance(text, NamedText))
    if is_file and (named := re.fullmatch(r"([\w$#@-]{1,8})=(.*)", str(text))):
        return read_text(named[2], named[1])
    return read_text(text)


def layout_text(found: Imported, heading: Sequence[str]) -> str:
    """The text of one layout of all links, which can be read again."""
    text = format_collection(found.collection, heading=heading)
    parse_collection(text, "the links together")
    return text


Profiles = Callable[[Mapping[NodeName, ChpidId]], ChpidProfile | None]
"""The feature of the fibre between two nodes' chpids, if it is said."""


def parse_features(texts: Sequence[str]) -> Profiles:
    """What ``--feature`` says of a fibre; the more it says, the more it counts."""
    said: dict[tuple[str, int | None], ChpidProfile] = {}
    for text in texts:
        place, equals, feature = text.rpartition("=")
        node, _, chpid = place.rpartition(":")
        with within(f"--feature {text[:40]!r}"):
            key = node.strip().upper(), parse_chpid(chpid.strip()) if equals else None
            said[key] = find_profile(feature.strip())

    def profile(chpids: Mapping[NodeName, ChpidId]) -> ChpidProfile | None:
        keys: list[tuple[str, int | None]] = [*chpids.items()]
        keys += [*(("", chpid) for chpid in chpids.values()), ("", None)]
        return next((said[key] for key in keys if key in said), None)

    return profile


class LinesRead(str):
    """What became of the lines of texts, in one sentence."""

    __slots__ = ()


def tell_lines(read: Iterable[tuple[str, LineAccount]], tell: Tell) -> None:
    """Tell what became of the lines of each file."""
    for sentence in lines_read([f"{file}: {account}" for file, account in read]):
        tell(LinesRead(sentence))


def tell_notes(notes: Iterable[str], tell: Tell) -> None:
    """Tell what is to be noted of all links."""
    for note in notes:
        tell(f"isfc: note: {note}")


def tell_remarks(links: Sequence[Layout], remarks: Iterable[Sequence[str]], tell: Tell) -> None:
    """Tell the remarks on each link, with its name."""
    for link, said in zip(links, remarks, strict=True):
        for remark in said:
            tell(f"{link.name}: {remark}")
