"""``--csv`` and ``--json``: what a table is printed as."""

from dataclasses import dataclass
from typing import Annotated

import typer

from isfc.cli.options.layout import JsonOption
from isfc.errors import ConfigurationError

CsvOption = Annotated[bool, typer.Option("--csv", help="Print the view as CSV.")]


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """What a table is printed as."""

    csv: CsvOption = False
    json: JsonOption = False

    def __post_init__(self) -> None:
        expect_one(csv=self.csv, json=self.json)


def expect_one(**options: object) -> None:
    """Raise `ConfigurationError` for two options of which one at most can be given."""
    given = [f"--{name.replace('_', '-')}" for name, value in options.items() if value]
    if len(given) > 1:
        raise ConfigurationError(f"{given[0]} and {given[1]}: expected one of them")
