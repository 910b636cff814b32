"""``isfc io plan``: what an I/O configuration can do, and what to change in it."""

from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.io.json import io_plan_json
from isfc.cli.judgement.io_plan import io_plan_page
from isfc.cli.options.layout import JsonOption
from isfc.cli.output.notes import note_lines
from isfc.cli.output.streams import show, show_json
from isfc.io.advice import advise
from isfc.io.plan import make_io_plan
from isfc.io.shared import read_disks

ConfigArgument = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="An I/O configuration (TOML).")
]


def plan(config: ConfigArgument, *, json: JsonOption = False) -> None:
    """Estimate an I/O configuration; say what to change.

    Each channel with what its processor, bus and line have to do, each workload with its rate,
    its response time and how many of its I/Os are open; zHyperLinks, OSAs, SAPs; the cards,
    interconnects and fanouts that channels share; the advice.
    """
    configuration, notes = read_disks(config)
    found = make_io_plan(configuration)
    advice = advise(found)
    if json:
        show_json(io_plan_json(found, advice, notes))
    else:
        show(io_plan_page(found, advice), *note_lines(notes))
