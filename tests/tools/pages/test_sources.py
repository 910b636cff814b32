"""docs/sources.md lists every constant, as it is in the code, and says how it is known."""

from isfc.link.parameters import RELEASES
from tools.pages import sources

TEXT = sources.PAGE.read_text("utf-8")
CONSTANTS = sources.constants()


def test_every_constant_is_listed_once() -> None:
    listed = [name for name, _ in sources.rows(TEXT)]
    assert sorted(listed) == sorted(CONSTANTS)


def test_values_are_those_of_the_code() -> None:
    assert sources.renewed(TEXT, CONSTANTS) == TEXT, "run: make docs"


def test_what_differs_in_release_6_1_is_told_with_its_values() -> None:
    old, told = RELEASES["6.1"], dict(sources.rows(TEXT))["isfc.link.parameters.RELEASES"][-1]
    assert f"a dispatch of {old.dispatch_ns:,} ns" in told


def test_every_constant_has_a_status() -> None:
    for name, cells in sources.rows(TEXT):
        assert len(set(cells) & set(sources.STATUSES)) == 1, name


def test_a_value_is_put_in() -> None:
    page = "| `a.B` | 1 | ns | chosen |\n| other | 2 |\n| `c` | text |\n"
    renewed = sources.renewed(page, {"a.B": ("3",), "c": ()})
    assert renewed == page.replace("| 1 |", "| 3 |")
