"""The LAYOUT argument, which several commands share."""

from typing import Annotated

import typer

from isfc.layout.catalogue import shipped_layouts


def complete_layout(incomplete: str) -> list[str]:
    """The shipped layouts that begin so; with none of them the shell offers files."""
    return [name for name in shipped_layouts() if name.startswith(incomplete)]


LayoutArgument = Annotated[
    str,
    typer.Argument(
        metavar="LAYOUT",
        help="A layout file (TOML), or the name of a shipped layout such as published-12.",
        show_default=False,
        autocompletion=complete_layout,
    ),
]
"""To be given to `isfc.layout.catalogue.load_layout`."""

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of tables.")
]
"""What every command that reports has."""
