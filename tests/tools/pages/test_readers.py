"""A page for each kind of reader says what to read in which order, in fifty lines at most."""

import re
from pathlib import Path
from typing import Final

import pytest

DOCS: Final = Path(__file__).parents[3] / "docs"
PAGES: Final = sorted(DOCS.glob("for-*.md"))
LINES_MAX: Final = 50


def test_site_begins_with_a_page_for_each_kind_of_reader() -> None:
    readers = {page.stem for page in PAGES}
    assert readers == {
        "for-contributors",
        "for-performance-engineers",
        "for-python-engineers",
        "for-system-programmers",
    }
    first, *_ = re.findall(r"(?s)```\{toctree\}(.*?)```", (DOCS / "index.md").read_text("utf-8"))
    assert {*first.split()} >= readers


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_it_is_short_and_numbers_what_to_read(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()
    assert len(lines) <= LINES_MAX
    steps = [line for line in lines if re.match(r"\d+\. ", line)]
    assert [int(line.partition(".")[0]) for line in steps] == [*range(1, len(steps) + 1)]
    assert len(steps) > 2
    assert [line for line in steps if not re.search(r"\]\([\w./-]+\.md(#[\w-]+)?\)", line)] == []
