"""What a file of a site is, by its content alone: whoever is given files of any kind asks here."""

import tomllib
from enum import Enum
from typing import Final

from isfc.errors.arguments import checked
from isfc.layout.checked_toml import in_utf8
from isfc.layout.csv_table import names_in
from isfc.layout.source_kind import SourceKind, foreign_text, source_kind
from isfc.site.monitor_records import is_monwrite


class FileKind(Enum):
    """What a site may have; the value is how it is spoken of."""

    LAYOUT = "a layout"
    DECK = "an IOCP deck"
    CONSOLE_LOG = "a console log"
    CONFIGURATION = "SYSTEM CONFIG or commands"
    MEASURED = "figures of CTCs or of a link"
    LOADS = "a link's load by time"
    GUESTS = "guests"
    RMF = "an RMF report"
    PORTS = "ports of a director"
    OTHER = "not recognised"


_READ_BY: Final = {
    "measured read": FileKind.MEASURED,
    "io size": FileKind.RMF,
    "--ports": FileKind.PORTS,
}
"""Words of the remedies of `foreign_text`, with what the files are that these read."""

_MEASURED_COLUMNS: Final = {"rdev", "tx_pend_count"}


@checked
def file_kind(data: bytes) -> tuple[FileKind, str]:
    """What the content of a file is; of what nobody reads, what to do with it, if that is known."""
    if is_monwrite(data):
        return FileKind.MEASURED, ""
    text = in_utf8(data).decode("utf-8-sig", "replace")
    heads = {*names_in(text.lstrip().partition("\n")[0])}
    if {"name"} < heads and heads & {"memory", "like"}:
        return FileKind.GUESTS, ""
    if len(heads) > 1 and heads & _MEASURED_COLUMNS:
        return FileKind.MEASURED, ""
    if len(heads) > 1 and "begin" in heads:
        return FileKind.LOADS, ""
    if (kind := source_kind(text)) is not SourceKind.LAYOUT:
        return FileKind[kind.name], ""
    if _is_toml(text):
        return FileKind.LAYOUT, ""
    remedy = foreign_text(text) or ""
    kinds = (kind for words, kind in _READ_BY.items() if words in remedy)
    return next(kinds, FileKind.OTHER), remedy


def _is_toml(text: str) -> bool:
    """Whether a text is tables of TOML, which a layout is if it is nothing else."""
    try:
        return any(isinstance(each, dict | list) for each in tomllib.loads(text).values())
    except tomllib.TOMLDecodeError:
        return "[[ctc]]" in text or "[fibre." in text  # with a fault, which its reader names
