"""``--jobs``: how many runs are made at a time."""

from typing import Annotated

from isfc.cli.options.number import bounded

JOBS_MAX = 1_024

JobsOption = Annotated[
    int | None, bounded("N", 1, JOBS_MAX, "Runs at a time; as many as processors if not given.")
]
