"""What ``isfc change`` is from and to: layouts, or decks and console logs, which it imports."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from isfc.cli.output.streams import show_log
from isfc.deck.imported import Imported, import_iocp, import_islink
from isfc.deck.place import decode
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import is_there, read_content, shipped_layouts
from isfc.layout.collection import Collection
from isfc.layout.document import parse_document
from isfc.layout.file import collection_of
from isfc.layout.foreign_text import SourceKind, source_kind
from scenarios.runs.traffic import checked_traffic


@dataclass(frozen=True, slots=True)
class Given:
    """What one side was given as, and its texts, each with its name."""

    argument: str
    kind: SourceKind
    texts: tuple[tuple[bytes, str], ...]

    def layout(self) -> Collection:
        """Of a layout file: its links."""
        ((data, source),) = self.texts
        return checked_traffic(collection_of(parse_document(data, source)), source)

    def imported(self, partitions: str | None, ports: Sequence[str]) -> Collection:
        """The links of decks or console logs; what is assumed of them goes to stderr."""
        paths = [Path(source) for _, source in self.texts]
        if self.kind is SourceKind.DECK:
            found: Imported = import_iocp(paths, partitions=partitions, ports=ports)
        elif self.kind is SourceKind.CONSOLE_LOG:
            found = import_islink(paths)
        else:
            raise ConfigurationError(
                f"{self.argument}: statements, which have no chpids; expected a layout, decks or "
                "console logs"
            )
        for remark in found.remarks:
            show_log(remark if remark.startswith("isfc: ") else f"isfc: note: {remark}")
        return found.collection


def read_both(
    before: str, after: str, partitions: str | None, ports: Sequence[str]
) -> tuple[Collection, Collection]:
    """The links on both sides.

    Of decks those partitions are joined that are named, or else the systems of the other side if
    that is a layout.
    """
    sides = [_read(before), _read(after)]
    if all(side.kind is not SourceKind.DECK for side in sides) and (partitions or ports):
        name = "--partitions" if partitions else "--ports"
        raise ConfigurationError(f"{name}: of IOCP decks; expected FROM or TO to be some")
    layouts = {n: side.layout() for n, side in enumerate(sides) if side.kind is SourceKind.LAYOUT}
    systems = next((",".join(one.systems) for one in layouts.values()), None)
    first, second = (
        layouts[n] if n in layouts else side.imported(partitions or systems, ports)
        for n, side in enumerate(sides)
    )
    return first, second


def _read(argument: str) -> Given:
    names = [argument]
    if argument not in shipped_layouts() and not is_there(Path(argument)):
        names = argument.split(",")
    texts = tuple(map(read_content, names))
    kinds = {source_kind(_text(*each)) for each in texts}
    if len(kinds) > 1 or (len(texts) > 1 and SourceKind.LAYOUT in kinds):
        raise ConfigurationError(
            f"{argument}: expected one layout, or IOCP decks, or console logs, with commas between"
        )
    return Given(argument, kinds.pop(), texts)


def _text(data: bytes, source: str) -> str:
    """For a look at what it is; a layout says itself what of it is no text."""
    try:
        return decode(data, source)
    except ConfigurationError:
        return ""
