"""Names that are not known: what is said of them is short, and helps."""

import pytest

from isfc.errors.in_words import expected

FRUIT = ("apple", "banana", "cherry")


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        ("aple", "did you mean apple?"),
        ("BANANAS", "did you mean banana?"),
        ("", "expected one of apple, banana, cherry"),
        ("zzz", "expected one of apple, banana, cherry"),
    ],
)
def test_names_alike_are_named_else_all(given: str, remedy: str) -> None:
    assert expected(given, FRUIT) == remedy


def test_what_else_may_stand_there_is_said() -> None:
    assert expected("zzz", FRUIT, "a path") == "expected a path or one of apple, banana, cherry"


def test_long_list_is_cut() -> None:
    names = [f"name{number}" for number in range(17)]
    assert expected("zzz", names).endswith("name11 or one of 5 more")


def test_several_names_alike_are_joined() -> None:
    assert expected("ab", ["abc", "abd", "xyz"]) == "did you mean abd or abc?"
