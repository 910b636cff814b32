"""Rooms of the source grow only where somebody says so."""

import pytest

from tools.checks.rooms import SLACK, code_lines, outgrown

MODULE = '''"""A module
of two lines."""

# a comment
X = """a text
of two lines"""


def f() -> int:
    """What it does."""
    return 1  # why
'''


def test_docstrings_comments_and_blanks_are_no_code() -> None:
    assert code_lines(MODULE) == 4


@pytest.mark.parametrize(
    ("lines", "said"),
    [(901, "take out as many"), (900, ""), (900 - SLACK, ""), (899 - SLACK, "make them follow")],
)
def test_a_room_may_have_its_number_of_lines_and_a_few_less(lines: int, said: str) -> None:
    (message,) = [*outgrown({"isfc/link": lines}, {"isfc/link": 900})] or [""]
    assert said in message
    assert bool(said) == bool(message)


def test_a_room_without_a_number_is_named() -> None:
    assert [*outgrown({"isfc/new": 1}, {})]
