"""``-o FILE``: writing a result into a file."""

import os
from pathlib import Path
from typing import Any

import typer

from isfc.errors import ConfigurationError


def output_option(said: str, metavar: str = "FILE") -> Any:
    """The option itself; ``said`` is its help."""
    return typer.Option("--output", "-o", metavar=metavar, help=said)


def check_file(option: str, name: str, suffixes: tuple[str, ...]) -> Path:
    """The file that an option names, before any work is done for it.

    Raises `ConfigurationError` for another suffix, for a folder that does not exist, and for what
    cannot be written: that would be noticed only when there is a result, which is lost then.
    """
    path, shown = Path(name), name if len(name) <= 60 else f"...{name[-57:]}"
    if suffixes and path.suffix.lower() not in suffixes:
        raise ConfigurationError(
            f"{option} {shown}: expected a file that ends with {' or '.join(suffixes)}"
        )
    if not path.parent.is_dir():
        raise ConfigurationError(f"{option} {shown}: there is no folder {path.parent}")
    if path.is_dir():
        raise ConfigurationError(f"{option} {shown}: is a folder; expected a file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ConfigurationError(f"{option} {shown}: may not be written")
    return path
