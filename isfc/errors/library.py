"""Libraries and systems that one command or another needs, and all others do without."""

import sys
from importlib.util import find_spec

from isfc.errors import ConfigurationError

EXTRAS = {
    # what is imported: the extra of ``setup.cfg`` that brings it, and its name for pip
    "jinja2": ("plot", "jinja2"),
    "vl_convert": ("plot", "vl-convert-python"),
    "pyarrow": ("parquet", "pyarrow"),
    "distributed": ("cluster", "distributed"),
    "scipy": ("measured", "scipy"),
    "optuna": ("optimise", "optuna"),
    "starlette": ("studio", "starlette"),
    "uvicorn": ("studio", "uvicorn"),
    "hypothesis": ("testing", "hypothesis"),
}


def check_library(module: str, what: str) -> None:
    """Raise `ConfigurationError`, with the command that installs it, if a library is missing.

    ``what`` needs it: an option, or a command.
    """
    if find_spec(module) is None:
        raise ConfigurationError(missing_library(module, what))


def check_posix(what: str) -> None:
    """Raise `ConfigurationError` where ``what`` is live and the system is neither Linux nor macOS.

    Live nodes use Unix sockets, locked files and POSIX signals. All that runs in virtual time does
    without them.
    """
    if find_spec("fcntl") is None:
        raise ConfigurationError(
            f"{what} needs Linux or macOS; plans, runs, replays, decks, reports and sweeps do not"
        )


def missing_library(module: str, what: str) -> str:
    """What ``what`` lacks, and the command that installs it."""
    extra, library = EXTRAS[module]
    return (
        f"{what} needs {library}, which is not installed; install it with\n"
        f"{sys.executable} -m pip install 'isfc[{extra}]'"
    )
