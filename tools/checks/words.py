"""Words that code, pages and messages do not use, because a plainer one says the same.

``python -m tools.checks.words`` prints ``file:line: message`` for each that it finds, and ends
with 1 when there is one. Parts of identifiers count as words.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tools import PROJECT
from tools.checks import say

INSTEAD: Final = {
    # a regular expression, in small letters and with single spaces: what to say instead
    "feel|feels|felt": "is sensitive to, or matters",
    "reckon|reckons|reckoned|reckoning": "compute",
    "mend|mends|mended|mending": "fix",
    "lone": "single, as in single-CTC link",
    "lets? go of|letting go of|(?:has|have|be|been|is|are) let go": "release",
    "takes? in an?|(?:is|are|be|been|being|was|were) taken in": "receive",
    "anew": "again; a link or node restarts",
    "as good as gone": "gone",
    r"[\d}]%(?![\da-f]{2}|[;!])": "a space before it: 5 %",
    r"[\d}] percent": "5 %",
    "at once": "at the same time, together or immediately, whichever is meant",
}

EXCEPTIONS: Final = {
    "CHANGELOG.md": "a record: what was released stays as it was worded",
    "tools/calibration/NOTES.md": "a record of what was tried, in the words of its day",
    "tools/checks/words.py": "the list itself",
    "tests/tools/checks/test_words.py": "its test",
    "tests/isfc/site/test_read.py": "a page of IBM's has 98%",
    "tests/properties/test_mutated_readers.py": "a page of IBM's has 98%",
    "tests/live/test_real_programs.py": "pgbench says 0.000%",
}
"""Files that are not looked at, each with its reason."""

FOLDERS: Final = ("ctc", "isfc", "scenarios", "tools", "tests", "docs")
SUFFIXES: Final = (".md", ".py", ".toml")
GAP: Final = r"(?: |[ ]*\n[ #>*]*)"
"""Between two words of a phrase: a space, or the end of a line of text or comment."""

_ANY: Final = "|".join(
    f"(?P<w{number}>{words.replace(' ', GAP)})" for number, words in enumerate(INSTEAD)
)
UNPLAIN: Final = re.compile(rf"(?<![a-z])(?:{_ANY})(?![a-z])")
"""In small letters: to ignore the case takes four times as long."""


def found(root: Path) -> Iterator[str]:
    """Say of each such word where it stands and what to say instead."""
    for path in _files(root):
        name = path.relative_to(root).as_posix()
        if name in EXCEPTIONS:
            continue
        text = path.read_text("utf-8")
        for word in UNPLAIN.finditer(text.lower()):
            line = text.count("\n", 0, word.start()) + 1
            plain = list(INSTEAD.values())[int(str(word.lastgroup)[1:])]
            said = " ".join(re.sub(r"[#>*]", " ", text[word.start() : word.end()]).split())
            yield f"{name}:{line}: not {said!r} but: {plain}"


def _files(root: Path) -> list[Path]:
    inside = [path for folder in FOLDERS for path in (root / folder).rglob("*")]
    return sorted(path for path in [*root.glob("*"), *inside] if path.suffix in SUFFIXES)


if __name__ == "__main__":
    sys.exit(say(found(PROJECT)))
