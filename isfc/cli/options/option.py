"""Options that have a value, and those that are given or not."""

from typing import Any

import typer


def valued(metavar: str, said: str, *names: str) -> Any:
    """An option whose value help calls ``metavar``; ``said`` is its help.

    ``names`` are what it is called, if that does not follow from its parameter.
    """
    return typer.Option(*names, metavar=metavar, help=said)


def flag(name: str, said: str) -> Any:
    """An option that is given or not; ``said`` is its help."""
    return typer.Option(name, help=said)
