"""``isfc show``: a layout drawn, or its connections as tables."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from isfc.answers.given import open_links
from isfc.answers.shared import disk_lines
from isfc.arguments import as_options
from isfc.cli.drawing.cluster import cluster_drawing_page, drawing_svg
from isfc.cli.drawing.terminal import drawing_page
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption
from isfc.cli.options.option import flag
from isfc.cli.output.csv_option import CsvOption
from isfc.cli.output.file import ForceOption, check_file, output_option
from isfc.cli.output.streams import show, show_json, write_file
from isfc.errors import ConfigurationError
from isfc.io.shared import find_shared
from isfc.layout.sharing import shares_anything


def show_layout(
    layout: LayoutArgument,
    *,
    link: LinkOption = None,
    output: Annotated[Path | None, output_option("Draw it into a file.", "FILE.svg")] = None,
    force: ForceOption = False,
    connections: Annotated[
        bool,
        flag(
            "--connections",
            "Tables instead: systems by systems, and both ends of all CTCs, those that only "
            "kept decks have too.",
        ),
    ] = False,
    csv: CsvOption = False,
    json: JsonOption = False,
) -> None:
    """Draw a layout: systems, chpids, fibres, who writes on what.

    The fibres are in the order in which the first node's scan meets them. Colour, dashes and
    words say which CTCs only one end may write. Where systems share channels or directors are
    told, the machines, the directors and what each channel carries come last. --csv and --json
    are of --connections.
    """
    check_file("-o", output, (".svg",), force=force)
    with as_options():
        opened = open_links(layout, link, alone=False)
    collection = opened[0].collection
    if connections or csv or json:
        if output is not None:
            raise ConfigurationError(
                "--output is of the drawing: expected no --connections, --csv or --json with it"
            )
        named = collection if link is None else replace(collection, links=(opened[0].layout,))
        from isfc.answers import connections as answers  # only these need decks
        from isfc.reports.terminal import page

        found = answers.connections(named)
        if json:
            show_json(found)
        else:
            show(page(answers.connections_report(found), notes=False))
        return
    shares = collection.shared_channels or shares_anything(collection)
    cluster = collection if shares else None
    if output is not None:
        svg = drawing_svg(*(each.layout for each in opened), cluster=cluster)
        write_file(output, svg)
        return
    for number, each in enumerate(opened):
        show(*([""] if number else []), drawing_page(each.layout))
        if each.disks is not None:
            show("", *disk_lines(find_shared(each.disks, each.layout)))
    if cluster is not None:
        show("", cluster_drawing_page(cluster))
