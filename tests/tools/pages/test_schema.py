"""The schema beside the pages is the one that the code makes."""

from tools.pages.schema import FILE, text


def test_the_file_is_up_to_date() -> None:
    assert FILE.read_text("utf-8") == text(), "make docs"
