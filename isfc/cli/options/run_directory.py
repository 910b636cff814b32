"""The ``--run-dir`` option, which names where running nodes are found."""

from pathlib import Path
from typing import Annotated

import typer

RunDirOption = Annotated[
    Path | None,
    typer.Option(
        "--run-dir", metavar="DIR", help="Where the control sockets of running nodes are."
    ),
]
