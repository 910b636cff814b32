"""Names that are not known: what is said of them is short, and helps."""

import pytest

from isfc.errors.in_words import expected

FRUIT = ["apple", "banana", "cherry"]
MANY = [f"name{number}" for number in range(17)]


@pytest.mark.parametrize(
    ("given", "names", "others", "remedy"),
    [
        ("aple", FRUIT, "", "did you mean apple?"),
        ("BANANAS", FRUIT, "", "did you mean banana?"),
        ("", FRUIT, "", "expected one of apple, banana, cherry"),
        ("zzz", FRUIT, "", "expected one of apple, banana, cherry"),
        ("zzz", FRUIT, "a path", "expected a path or one of apple, banana, cherry"),
        ("zzz", MANY, "", f"expected one of {', '.join(MANY[:12])} or one of 5 more"),
        ("ab", ["abc", "abd", "xyz"], "", "did you mean abd or abc?"),
    ],
)
def test_names_alike_are_named_else_all(
    given: str, names: list[str], others: str, remedy: str
) -> None:
    assert expected(given, names, others) == remedy
