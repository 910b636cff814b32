"""Files of measurements, and what is said of all of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from isfc.arguments import Argument
from isfc.measured.figures import Reading
from isfc.measured.file import completed, read_measurements
from isfc.measured.measurement import Measurement, Ran
from isfc.measured.record_layout import read_layouts
from isfc.search.measured import check_zones, read_zones


class AboutFiles(Struct, frozen=True, kw_only=True):
    """What is said of all files of measurements."""

    system: Annotated[
        str | None, Argument("NODE", "The system that the files are of, where they do not say.")
    ] = None
    zone: Annotated[
        Sequence[str],
        Argument(
            "[NODE=]+HH:MM",
            "The time zone of the files' times, as +02:00 or UTC: for all, or for a node.",
        ),
    ] = ()
    records: Annotated[
        Sequence[str | Path],
        Argument(
            "FILE",
            "Layouts of D6R3 and D9R4 for MONWRITE files: CSV of field, offset, length, type, "
            "unit.",
        ),
    ] = ()
    usable: Annotated[bool, Argument("", "Leave rows that cannot be out, and say which.")] = False
    decimal_comma: Annotated[bool, Argument("", "Figures are written as 61,8.")] = False

    def reading(self) -> Reading:
        """How figures are read; what is left out comes there."""
        return Reading(usable=self.usable, decimal_comma=self.decimal_comma)


NOTHING_SAID = AboutFiles()


def read_files(
    paths: Sequence[Path],
    reading: Reading,
    about: AboutFiles,
    *,
    told: Mapping[Path, Ran] | None = None,
    client: str | None = None,
    contents: Mapping[Path, bytes] | None = None,
) -> list[Measurement]:
    """The measurements in some files, ``about`` all of which something is said.

    ``told`` is what ran in each, ``client`` the node of the clients, ``contents`` what was read of
    the files already. Raises `ConfigurationError` for what is wrong, by file and line.
    """
    zones = read_zones(about.zone)
    layouts = [layout for path in about.records for layout in read_layouts(Path(path))]
    node, source = (None if name is None else name.upper() for name in (about.system, client))
    read = read_measurements(paths, reading, layouts, told or {}, contents)
    found = completed(read, node, zones, None, source)
    check_zones(zones, found)
    return found
