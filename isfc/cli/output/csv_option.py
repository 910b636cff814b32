"""``--csv`` of every command that prints tables, by `with_csv`: nothing in the command knows of it.

One that has rows of its own for it, with more columns or digits, prints these.
"""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from isfc.cli.output.streams import only_tables
from isfc.errors import ConfigurationError

CsvOption = Annotated[bool, typer.Option("--csv", help="Print the tables as CSV.")]


def with_csv(command: Callable[..., None]) -> Callable[..., None]:
    """The command with ``--csv``, which it may have already; as it is if it prints no results."""
    given = signature(command)
    if "json" not in given.parameters:
        return command
    has_own = "csv" in given.parameters

    @wraps(command)
    def called(**words: Any) -> None:
        csv = words["csv"] if has_own else words.pop("csv")
        if csv and words["json"]:
            raise ConfigurationError("--csv and --json: expected one of them")
        if csv:
            with only_tables():
                command(**words)
        else:
            command(**words)

    if not has_own:
        option = Parameter("csv", Parameter.KEYWORD_ONLY, default=False, annotation=CsvOption)
        every = [*given.parameters.values(), option]
        # by setattr: a function's type does not know the attribute, which `signature` looks for
        setattr(called, "__signature__", given.replace(parameters=every))  # noqa: B010
        called.__annotations__ = {**command.__annotations__, "csv": CsvOption}
    return called
