"""The words of this project are plain ones."""

from pathlib import Path

import pytest

from tools import PROJECT
from tools.checks import words


def test_every_exception_is_a_file_that_is_there() -> None:
    assert [name for name in words.EXCEPTIONS if not (PROJECT / name).is_file()] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alone, clone, felted, amended", ""),
        ("at a time; --at-once; relocation.at_once", ""),
        ("what IBM's figures felt", "1: not 'felt' but: is sensitive to, or matters"),
        ("FELT = 3", "1: not 'FELT' but: is sensitive to, or matters"),
        ("x\nlone_length: int", "2: not 'lone' but: single, as in single-CTC link"),
        ("a package that was\ntaken in", "1: not 'was taken in' but: receive"),
        ("the link begins anew.", "1: not 'anew' but: again; a link or node restarts"),
        ("x\n    # all at\n    # once", "2: not 'at once' but: "),
        ("5 % of width:100%; a%20b", ""),
        ("within 5%,", "1: not '5%' but: a space before it: 5 %"),
        ('f"{share:.0%}"', "1: not '0%' but: "),
    ],
)
def test_words(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "CHANGELOG.md").write_text("The link began anew.\n")
    (tmp_path / "docs" / "a.svg").write_text("anew\n")
    (tmp_path / "docs" / "a.md").write_text(f"{text}\n")
    said = "\n".join(words.found(tmp_path))
    assert said.startswith(f"docs/a.md:{message}") if message else said == ""


def test_code_and_the_pages_at_the_top_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "isfc" / "link").mkdir(parents=True)
    for name in ("README.md", "isfc/link/lock.py"):
        (tmp_path / name).write_text("# to reckon\n")
    places = [message.partition(": ")[0] for message in words.found(tmp_path)]
    assert places == ["README.md:1", "isfc/link/lock.py:1"]
