"""Every relative link in README, CONTRIBUTING, CHANGELOG and docs leads to something.

``python -m tools.checks.links`` prints ``file:line: message`` for each that does not, and ends
with 1.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

LINK: Final = re.compile(r"\]\((?!https?:|mailto:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")
HEADING: Final = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
CODE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def broken(root: Path) -> Iterator[str]:
    """Say of each link that leads nowhere where it stands and what is missing."""
    for page in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")]):
        for number, line in enumerate(_prose(page).splitlines(), start=1):
            for link in LINK.finditer(line):
                target = page.parent / link["path"] if link["path"] else page
                where = f"{page.relative_to(root).as_posix()}:{number}"
                if not target.exists():
                    yield f"{where}: no file {link['path']}"
                elif link["anchor"] and link["anchor"] not in _anchors(target):
                    yield f"{where}: no heading {link['anchor']} in {target.name}"


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings: lower case, no punctuation, a dash for each space."""
    titles = HEADING.findall(_prose(page))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def _prose(page: Path) -> str:
    """The page with the lines of its code blocks left empty."""
    return CODE.sub(lambda block: "\n" * block[0].count("\n"), page.read_text("utf-8"))


def main() -> int:
    """Check the pages of this project; return the exit status."""
    messages = list(broken(Path(__file__).resolve().parents[2]))
    for message in messages:
        print(message)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
