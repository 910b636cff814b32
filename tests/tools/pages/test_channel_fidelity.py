"""docs/channel-fidelity.md is what the models give now."""

from scenarios.published.companion import CHANNEL_TABLES
from tools.pages.channel_fidelity import PAGE, page


def test_the_page_is_what_the_models_give_now() -> None:
    assert page() == PAGE.read_text("utf-8"), "run: make docs"


def test_every_table_is_there_and_every_miss_has_its_reason() -> None:
    text = page()
    assert all(f"`isfc replay {name}`" in text for name in CHANNEL_TABLES)
    missed = text.partition("## Goals that are missed")[2].partition("\n## ")[0]
    assert all(not line.endswith("|  |") for line in missed.splitlines())
