"""The tutorial works for someone who only reads the tutorial."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "testing.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)

pytest_plugins = ["pytester"]


@pytest.mark.slow
def test_three_properties_in_less_than_sixty_lines(pytester: pytest.Pytester) -> None:
    assert len(EXAMPLES[0].splitlines()) < 60
    pytester.makepyfile(test_collisions=EXAMPLES[0])
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=3)


@pytest.mark.slow
def test_programs_in_virtual_time(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_programs=EXAMPLES[1])
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


@pytest.mark.slow
def test_machine_with_an_invariant_of_its_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_machine=EXAMPLES[2])
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
