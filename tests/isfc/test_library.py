"""Libraries that may be missing: what is said then, and that it is what the extras ask for."""

import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.library import LIBRARIES, check_library

SETUP = Path(__file__).parents[2] / "setup.cfg"


@pytest.mark.parametrize("module", LIBRARIES)
def test_missing_library_is_named_with_the_command_that_installs_it(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_library(module, "--here")
    monkeypatch.setattr("isfc.library.find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"^--here needs [a-z-]+, which is not") as caught:
        check_library(module, "--here")
    assert str(caught.value).endswith(f"{sys.executable} -m pip install '{LIBRARIES[module]}'")


def test_bounds_are_those_of_the_extras() -> None:
    setup = ConfigParser()
    setup.read(SETUP, "utf-8")
    extras = setup["options.extras_require"].values()
    wanted = {line.replace(" ", "") for extra in extras for line in extra.split("\n")}
    assert set(LIBRARIES.values()) <= wanted
