"""Whatever a site has, pasted or dropped: what it is, and the layout that a command makes of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

import isfc
from isfc.cli.studio.command_line import Printed, printed
from isfc.cli.studio.work import Failed, Tell

_CABLING: Final = re.compile(r"^  --ports (\S+)$", re.MULTILINE)
"""The possibilities that the command lists."""


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text that was pasted or dropped."""

    name: str
    text: str


class Import(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts to be made a layout of.

    ``partitions`` are those of decks, ``ports`` what ``--ports`` is given for them, ``system`` the
    one a single console log is of. A SYSTEM CONFIG chooses among the CTCs of ``layout``, the one
    that the page shows.
    """

    files: list[File]
    layout: str = ""
    partitions: str | None = None
    ports: list[str] = []
    system: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The command needs to be told more: partitions, ports or a system, of some ``choices``."""

    what: str
    choices: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """What the page is told."""
        return {"ask": self.what, "choices": list(self.choices)}


def import_files(tell: Tell, wanted: Import) -> Printed | Failed | Asked:
    """The layout of the texts as TOML, with what the command says of it; or what to ask for."""
    files = {file.name: file.text for file in wanted.files}
    kinds = {isfc.source_kind(file.text) for file in wanted.files}
    if len(kinds) != 1 or (kinds == {isfc.SourceKind.LAYOUT} and len(files) > 1):
        return Failed("expected IOCP decks, console logs, statements or a layout, not some of each")
    (kind,) = kinds
    if kind is isfc.SourceKind.DECK:
        return _decks(tell, files, wanted)
    if kind is isfc.SourceKind.CONSOLE_LOG:
        return _logs(tell, files, wanted.system)
    if kind is isfc.SourceKind.CONFIGURATION:
        words = ["import", "config", *files, "--layout", "layout"]
        return printed(tell, words, {**files, "layout": wanted.layout})
    ((name, text),) = files.items()
    isfc.parse_links(text, name)
    return Printed(text, "", 0)


def _decks(tell: Tell, files: dict[str, str], wanted: Import) -> Printed | Failed | Asked:
    """Two partitions are joined without a question; several cablings are a question."""
    partitions = wanted.partitions
    if partitions is None:
        named = _partitions(files)
        if len(named) > 2:
            return Asked("partitions", tuple(named))
        partitions = ",".join(named)
    ports = [word for given in wanted.ports for word in ("--ports", given)]
    done = printed(tell, ["import", "iocp", *files, "--partitions", partitions, *ports], files)
    cablings = _CABLING.findall(done.message) if isinstance(done, Failed) else []
    return Asked("ports", tuple(cablings)) if cablings else done


def _partitions(files: dict[str, str]) -> Sequence[str]:
    """The partitions of all decks, with the number of their deck where a name is in several."""
    every = [isfc.deck_partitions(text, name) for name, text in files.items()]
    names = [name for names in every for name in names]
    return [
        name if names.count(name) == 1 else f"{name}{number}={number}:{name}"
        for number, found in enumerate(every, start=1)
        for name in found
    ]


def _logs(tell: Tell, files: dict[str, str], system: str | None) -> Printed | Failed | Asked:
    if len(files) > 1:
        return printed(tell, ["import", "islink", *files], files)
    if not system:
        return Asked("system")
    (name,) = files
    return printed(tell, ["import", "islink", f"{system}={name}"], files)
