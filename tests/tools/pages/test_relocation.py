"""docs/relocation.md shows what guests that are moved come to now."""

import pytest

from tools.pages.relocation import BEGIN, END, PAGE, renewed


@pytest.mark.slow
def test_the_page_is_what_the_model_gives_now() -> None:
    text = PAGE.read_text("utf-8")
    assert BEGIN in text
    assert END in text
    assert renewed(text) == text, "run: make docs"
