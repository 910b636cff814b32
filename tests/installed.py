"""Programs that tests run if they are there."""

import shutil

import pytest


def need(program: str, package: str) -> str:
    """The path of a program; without it the test is skipped."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed: apt-get install {package}")
    return path
