"""The tutorial works for someone who only reads the tutorial."""

import re
from pathlib import Path
from typing import Final

import pytest

PAGE: Final = (Path(__file__).parents[3] / "docs" / "testing.md").read_text("utf-8")

FEW: Final = """
from hypothesis import settings

settings.register_profile("few", settings.get_profile("ci"), max_examples=20)
"""
"""The page is under test, not what it tests: fewer of the same examples tell as much."""

pytest_plugins = ["pytester"]


def examples() -> dict[str, str]:
    """Each example of the page, and the file that the text before it names last."""
    blocks = re.finditer(r"```python\n(.*?)```", PAGE, re.DOTALL)
    return {re.findall(r"`(\w+)\.py`", PAGE[: m.start()])[-1]: m.group(1) for m in blocks}


def test_every_example_has_a_file() -> None:
    assert len(examples()) == PAGE.count("```python")


def test_three_properties_take_less_than_sixty_lines() -> None:
    assert examples()["test_collisions"].count("@given") == 3
    assert len(examples()["test_collisions"].splitlines()) < 60


@pytest.mark.exhaustive
@pytest.mark.slow
def test_examples_pass_in_a_folder_of_their_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(**examples())
    pytester.makeconftest(FEW)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--hypothesis-profile=few")
    result.assert_outcomes(passed=8)
