"""Sentences of the page on collisions say what its tables show."""

import re

from tools.pages.console import PROJECT

PAGE = (PROJECT / "docs/collisions.md").read_text("utf-8")
TEXT = " ".join(PAGE.split())
OFFERED = (40, 80, 120, 160)


def plane(rule: str) -> dict[tuple[int, int], int]:
    """Collisions a second by what is offered out and in, MB/s."""
    table = PAGE.partition(f"Collisions/s, {rule}: ")[2].splitlines()[2 : 2 + len(OFFERED)]
    rows = [[int(word) for word in re.findall(r"\d+", line)] for line in table]
    found = {
        (row[0], there): count
        for row in rows
        for there, count in zip(OFFERED, row[1:], strict=True)
    }
    assert len(found) == len(OFFERED) ** 2
    return found


def at_full_load(rule: str, column: str = "both") -> tuple[float, float]:
    """A figure of the first table, and how far the seeds differ in it."""
    (row,) = re.findall(rf"^{rule} .*$", PAGE, re.MULTILINE)
    *_, collisions, collisions_spread, _, _, _, _, both, both_spread, _ = row.split()
    figure, spread = {
        "coll/s": (collisions, collisions_spread),
        "both": (both, both_spread),
    }[column]
    return float(figure), float(spread)


def test_collisions_at_half_of_the_load_are_those_of_the_tables() -> None:
    half = (80, 80)
    found = {rule: plane(rule)[half] for rule in ("stop-short 0", "stop-short 1", "random")}
    upward = plane("upward")[half]
    assert f"ISFC's rule has {found['stop-short 1']} collisions a second." in TEXT
    assert f"`stop-short 0` has {found['stop-short 0']}: opposite scans alone" in TEXT
    assert f"`random` has {found['random']}." in TEXT
    assert f"`upward` has {upward}, because both systems" in TEXT
    assert found["stop-short 0"] < found["random"] / 2 < upward / 2  # "prevent most"


def test_most_collisions_of_the_rule_are_those_of_its_table() -> None:
    assert f"ISFC's rule has up to {max(plane('stop-short 1').values())} collisions" in TEXT


def test_collisions_of_the_rule_begin_where_the_page_says() -> None:
    rule = plane("stop-short 1")
    assert rule[40, 40] == 0
    assert rule[80, 80] < rule[120, 120]


def test_stopping_short_by_two_or_three_never_collides() -> None:
    assert not any(plane("stop-short 2").values())
    assert not any(plane("stop-short 3").values())


def test_fewer_collide_at_full_load_because_packages_are_larger() -> None:
    most = max(plane("stop-short 1").values())
    full, spread = at_full_load("stop-short 1", "coll/s")
    assert full + spread < most
    assert f"**At full load** ISFC's rule has fewer again: {full:.0f}." in TEXT


def test_rates_at_full_load_are_in_the_order_that_the_page_says() -> None:
    # the page had "the most" where a longer run, or another seed, had no difference
    none, one, two, three = (at_full_load(f"stop-short {count}") for count in range(4))
    assert abs(two[0] - one[0]) < max(one[1], two[1])
    assert (
        f"it does not carry more than ISFC's rule, though: {two[0]:.0f} and {one[0]:.0f} MB/s in "
        "both directions together differ by less than the seeds do."
    ) in TEXT
    assert none[0] + none[1] < min(one[0] - one[1], three[0] - three[1])
    assert f"`stop-short 0` carries {none[0]:.0f}." in TEXT
    assert f"It carries {three[0]:.0f} MB/s." in TEXT
