"""The options with which files of measurements are read, and what they lead to."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from isfc.arguments import as_options
from isfc.cli.options.experiment import choose_node
from isfc.cli.options.flattened import Made
from isfc.cli.options.layout import LayoutArgument, LinkOption, open_layout
from isfc.cli.options.option import flag, valued
from isfc.cli.output.notes import show_notes
from isfc.cli.output.streams import show_log
from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.measured.measurement import Measurement, Ran
from isfc.measured.seen import of_end
from isfc.search.measured import AboutFiles, read_files
from scenarios.runs.experiment import read_load


class FilesOptions(Made, frozen=True, kw_only=True):
    """What the user says of all files of measurements."""

    system: Annotated[
        str | None, valued("NODE", "The system that the files are of, where they do not say.")
    ] = None
    zone: Annotated[
        list[str] | None,
        valued(
            "[NODE=]+HH:MM",
            "The time zone of the files' times, as +02:00 or UTC: for all, or for a node.",
        ),
    ] = None
    records: Annotated[
        list[Path] | None,
        valued(
            "FILE",
            "Layouts of D6R3 and D9R4 for MONWRITE files: CSV of field, offset, length, type, "
            "unit.",
        ),
    ] = None
    usable: Annotated[bool, flag("--usable", "Leave rows that cannot be out, and say which.")] = (
        False
    )
    decimal_comma: Annotated[bool, flag("--decimal-comma", "Figures are written as 61,8.")] = False

    def made(self) -> Any:
        """The same from Python, `AboutFiles`."""
        several = self.zone or (), self.records or ()
        return AboutFiles(self.system, *several, self.usable, self.decimal_comma)


class MeasuredFiles(FilesOptions, frozen=True, kw_only=True):
    """Files of measurements, and what the user says of them."""

    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="MEASUREMENT...",
            help="Files with FCX108 or FCX110 pages, link activity, MONWRITE records, CSV, or JSON "
            "of isfc.",
        ),
    ]
    ran: Annotated[
        list[str] | None,
        valued(
            "[FILE=]NAME:PAIRS", "What ran, if you know it, as HL:50: in a file, or in all others."
        ),
    ] = None

    def made(self) -> Any:
        """Itself: what is read depends on the link."""
        return self

    def read(self, client: str | None = None) -> list[Measurement]:
        """The measurements in the files, with what the options say of all of them.

        Rows that are left out are told on stderr. ``client`` is the node of the clients.
        """
        about = super().made()
        reading, told = about.reading(), _read_ran(self.ran or (), self.files)
        with as_options():
            found = read_files(self.files, reading, about, told=told, client=client)
        for note in reading.notes:
            show_log(f"isfc: note: {note}")
        for problem in reading.problems:
            show_log(f"isfc: left out: {problem}")
        if not found:
            raise ConfigurationError(f"{self.files[0]}: nothing usable is left")
        return found


class MeasuredLink(Made, frozen=True):
    """The link of a layout that was measured, and where its clients were."""

    layout: LayoutArgument
    link: LinkOption = None
    client: Annotated[
        str | None, valued("NODE", "The node of the clients, where no file says it.", "--from")
    ] = None

    def open(self, files: MeasuredFiles) -> tuple[Layout, list[Measurement]]:
        """The layout, and what was measured of it."""
        opened = open_layout(self.layout, self.link)
        show_notes(opened.notes)
        client = choose_node(opened, "--from", self.client)
        return opened, [of_end(opened, each, client) for each in files.read(client)]


def _read_ran(texts: Sequence[str], files: Sequence[Path]) -> dict[Path, Ran]:
    """What ran in each file of which it is said."""
    found: dict[Path, Ran] = {}
    rest: Ran | None = None
    for text in texts:
        name, _, load = text.rpartition("=")
        ran = Ran(*read_load("--ran", load))
        if not name:
            if rest is not None:
                raise ConfigurationError(
                    f"--ran {text[:40]}: {rest} ran already in all files; expected a file before "
                    "it, as --ran FILE=HL:50"
                )
            rest = ran
            continue
        meant = [path for path in files if str(path) == name] or [
            path for path in files if path.name == name
        ]
        if len(meant) != 1 or meant[0] in found:
            known = ", ".join(str(path) for path in files if path not in found)
            raise ConfigurationError(
                f"--ran {text[:80]}: expected one of the files, each once: {known[:200]}"
            )
        found[meant[0]] = ran
    return found if rest is None else {path: found.get(path, rest) for path in files}
