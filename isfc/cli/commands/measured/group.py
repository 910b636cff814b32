"""``isfc measured``: a site's own figures, its subcommands each in a module of its own."""

import typer

from isfc.cli.commands.measured.compare import compare
from isfc.cli.commands.measured.fit import fit_site
from isfc.cli.commands.measured.read import read

app = typer.Typer(
    help="Read your own figures, hold the model against them, and fit it to your site.",
    add_completion=False,
    rich_markup_mode=None,
)
app.command()(read)
app.command()(compare)
app.command("fit")(fit_site)


@app.callback()
def _group() -> None:
    """Read your own figures, hold the model against them, and fit it to your site."""
