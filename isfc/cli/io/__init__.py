"""``isfc io``: the I/O beside the link, its subcommands each in a module of its own."""

import typer

from isfc.cli.io.chart import chart
from isfc.cli.io.plan import plan
from isfc.cli.io.run import run
from isfc.cli.io.size import size

app = typer.Typer(
    help="Plan, run and size the I/O that is beside a link.",
    add_completion=False,
    rich_markup_mode=None,
)
app.command()(plan)
app.command()(run)
app.command()(size)
app.command()(chart)
