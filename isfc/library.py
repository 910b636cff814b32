"""Libraries that one command or another needs, and all others do without."""

import sys
from importlib.util import find_spec

from isfc.errors import ConfigurationError

LIBRARIES = {
    "matplotlib": "matplotlib>=3.10,<4",
    "vl_convert": "vl-convert-python>=1.8,<2",
    "pyarrow": "pyarrow>=20,<28",
    "distributed": "distributed>=2026.3,<2028",
    "optuna": "optuna>=4.5,<6",
}
"""By what is imported: what pip is to be told, as the extras of ``setup.cfg`` have it.

An extra itself can only be named where the package was found, and a clone is no such place.
"""


def check_library(module: str, what: str) -> None:
    """Raise `ConfigurationError`, with the command that installs it, if a library is missing.

    ``what`` needs it: an option, or a command.
    """
    if find_spec(module) is None:
        wanted = LIBRARIES[module]
        raise ConfigurationError(
            f"{what} needs {wanted.partition('>')[0]}, which is not installed; install it with\n"
            f"{sys.executable} -m pip install '{wanted}'"
        )
