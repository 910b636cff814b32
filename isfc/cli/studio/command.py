"""``isfc studio``: a local page on which a layout is edited, and judged meanwhile."""

from typing import Annotated

import typer

from isfc import FileKind, file_kind, parse_links
from isfc.cli.options.layout import complete_layout, read_text
from isfc.cli.options.option import bounded, flag
from isfc.errors.loading import check_library


def studio(
    layout: Annotated[
        str,
        typer.Argument(
            metavar="[LAYOUT | DECK.iocp]",
            help="A layout file (TOML), the name of a shipped layout, an IOCP deck, or what QUERY "
            "ISLINK shows; - for standard input.",
            show_default=False,
            autocompletion=complete_layout,
        ),
    ] = "atlanta-boston",
    *,
    port: Annotated[int, bounded("N", 0, 65_535, "The port on loopback; 0 takes a free one.")] = 0,
    no_browser: Annotated[
        bool, flag("--no-browser", "Print the address, and open no browser.")
    ] = False,
) -> None:
    """Edit a layout on a local page that judges each change.

    The page is served on loopback, to whoever knows its address. Nothing is written but what the
    page downloads. Ctrl-C ends it.
    """
    for library in ("starlette", "uvicorn", "jinja2"):
        check_library(library, "isfc studio")
    from isfc.cli.studio.server import serve

    text, source = read_text(layout)
    kind, _ = file_kind(text.encode())
    if kind not in (FileKind.DECK, FileKind.CONSOLE_LOG, FileKind.CONFIGURATION):
        parse_links(text, source)
    serve(text, source, port, open_browser=not no_browser)
