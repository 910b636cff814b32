"""``isfc measured read``: what a site measured, read from reports into one table."""

from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from isfc.cli.measured.options import MeasuredFiles
from isfc.cli.measured.page import read_page
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import LinkOption, PrintOptions, open_layout
from isfc.cli.options.option import flag, valued
from isfc.cli.output.file import ForceOption, check_table_file, output_option, write_table
from isfc.cli.output.streams import show, show_csv, show_json, show_log
from isfc.measured.measurement import table_rows
from isfc.measured.seen import seen_link


class TablePrinted(PrintOptions, frozen=True):
    """What the neutral table is printed as."""

    csv: Annotated[bool, flag("--csv", "Print the neutral table as CSV.")] = False


class MeasurementsJson(Struct, frozen=True):
    """``isfc measured read --json``."""

    measurements: list[dict[str, Any]]
    """each a row of [the table](measured.md#the-table) by its columns"""


@flattened
def read(
    files: MeasuredFiles,
    *,
    layout: Annotated[
        str | None, valued("LAYOUT", "Keep the rows of this layout's link alone.")
    ] = None,
    link: LinkOption = None,
    output: Annotated[Path | None, output_option("Write the table; .csv or .parquet.")] = None,
    force: ForceOption = False,
    printed: TablePrinted,
) -> None:
    """Read what a site measured into one table.

    Formats are told by their content: FCX108 DEVICE and FCX110 as text, the link activity that
    IBM's tool makes of Monitor D9 R4, MONWRITE files, CSV, and what 'isfc run' prints. Rows
    that cannot be right are refused by file and line. docs/measured.md names the columns.
    """
    check_table_file("--output", output, force=force)
    found = files.read()
    if layout is not None:
        opened = open_layout(layout, link)
        seen = [seen_link(opened, one) for one in found]
        found = [each.measurement for each in seen]
        for each in seen:
            for note in each.notes():
                show_log(f"isfc: note: {each.measurement.place}: {note}")
    rows: list[dict[str, Any]] = [*table_rows(found)]
    if output is not None:
        write_table(output, rows)
    if printed.json:
        show_json(MeasurementsJson(rows))
    elif printed.csv:
        show_csv(rows)
    else:
        show(read_page(found))
