"""The tables of docs/json.md are those of the records that are printed."""

from tools.pages import json_page


def test_tables_are_those_of_the_records() -> None:
    text = json_page.PAGE.read_text("utf-8")
    assert json_page.renewed(text) == text, "python -m tools.pages.json_page"
    assert text.count("<!-- keys of ") == text.count(" -->\n\n| key | holds |")
