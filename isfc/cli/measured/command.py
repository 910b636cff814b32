"""``isfc measured``: a site's own figures, its subcommands each in a module of its own."""

import typer

from isfc.cli.measured.compare import compare
from isfc.cli.measured.fit import fit_site
from isfc.cli.measured.read import read

app = typer.Typer(
    help="Hold the model against your own figures, and fit it to them.",
    add_completion=False,
    rich_markup_mode=None,
)
app.command()(read)
app.command()(compare)
app.command("fit")(fit_site)
