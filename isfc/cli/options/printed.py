"""``--csv`` and ``--json``: what a table is printed as."""

from dataclasses import dataclass

from isfc.cli.options.layout import JsonOption
from isfc.cli.output.csv_option import CsvOption
from isfc.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """What a table is printed as."""

    csv: CsvOption = False
    json: JsonOption = False


def expect_one(**options: object) -> None:
    """Raise `ConfigurationError` for two options of which one at most can be given."""
    given = [f"--{name.replace('_', '-')}" for name, value in options.items() if value]
    if len(given) > 1:
        raise ConfigurationError(f"{given[0]} and {given[1]}: expected one of them")
