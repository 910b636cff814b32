"""Libraries that may be missing: what is said then, and that it is what the extras ask for."""

import re
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.library import EXTRAS, check_library

SETUP = Path(__file__).parents[2] / "setup.cfg"


@pytest.mark.parametrize("module", EXTRAS)
def test_missing_library_is_named_with_the_command_that_installs_it(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_library(module, "--here")
    monkeypatch.setattr("isfc.library.find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"^--here needs [a-z-]+, which is not") as caught:
        check_library(module, "--here")
    extra, _ = EXTRAS[module]
    assert str(caught.value).endswith(f"{sys.executable} -m pip install 'isfc[{extra}]'")


@pytest.mark.parametrize(("extra", "library"), EXTRAS.values())
def test_extra_that_is_named_brings_the_library(extra: str, library: str) -> None:
    setup = ConfigParser()
    setup.read(SETUP, "utf-8")
    assert re.search(rf"^{library} ", setup["options.extras_require"][extra], re.MULTILINE)
