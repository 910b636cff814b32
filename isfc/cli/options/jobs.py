"""``--jobs``: how many runs are made at a time."""

from typing import Annotated

import typer

from isfc.cli.options.number import within

JOBS_MAX = 1_024

JobsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        callback=within(1, JOBS_MAX),
        help="Runs at a time; as many as processors if not given.",
    ),
]
