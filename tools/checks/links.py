"""Every relative link in README, CONTRIBUTING, CHANGELOG and docs leads to something.

Every page of docs is reached from the first in two clicks. Pages that only the site has, those of
the commands, are nothing to link to. ``python -m tools.checks.links`` prints ``file:line: message``
for each link that leads nowhere and each page that is farther, and ends with 1.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tools import PROJECT
from tools.checks import say

LINK: Final = re.compile(r"\]\((?!https?:|mailto:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")
HEADING: Final = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
TOCTREE: Final = re.compile(r"^```\{toctree\}\n(?P<pages>.*?)^```$", re.MULTILINE | re.DOTALL)
CLICKS_MAX: Final = 2
SITE_ONLY: Final = "commands"
"""The folder of docs that `tools.pages.commands` makes."""
CODE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def broken(root: Path) -> Iterator[str]:
    """Say of each link that leads nowhere where it stands and what is missing."""
    for page in sorted([*root.glob("*.md"), *_pages(root)]):
        for number, line in enumerate(_prose(page).splitlines(), start=1):
            for link in LINK.finditer(line):
                target = page.parent / link["path"] if link["path"] else page
                where = f"{page.relative_to(root).as_posix()}:{number}"
                if not target.exists() or _is_site_only(target.resolve(), root):
                    yield f"{where}: no file {link['path']}"
                elif link["anchor"] and link["anchor"] not in _anchors(target):
                    yield f"{where}: no heading {link['anchor']} in {target.name}"


def far(root: Path) -> Iterator[str]:
    """Say of each page of docs that the first does not lead to within `CLICKS_MAX` clicks."""
    reached = latest = {root / "docs" / "index.md"}
    for _ in range(CLICKS_MAX):
        latest = {target for page in latest if page.exists() for target in _targets(page)}
        reached |= latest
    for page in sorted({*_pages(root)} - reached):
        name = page.relative_to(root).as_posix()
        yield f"{name}:1: not within {CLICKS_MAX} clicks of docs/index.md"


def _pages(root: Path) -> Iterator[Path]:
    return (page for page in root.glob("docs/**/*.md") if not _is_site_only(page, root))


def _is_site_only(page: Path, root: Path) -> bool:
    return page.is_relative_to(root / "docs" / SITE_ONLY)


def _targets(page: Path) -> Iterator[Path]:
    """The pages that a page links to, or lists in a toctree."""
    for link in LINK.finditer(_prose(page)):
        yield (page.parent / link["path"]).resolve()
    for toctree in TOCTREE.finditer(page.read_text("utf-8")):
        for line in toctree["pages"].split():
            if not line.startswith(":"):
                yield from (found.resolve() for found in page.parent.glob(f"{line}.md"))


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings: lower case, no punctuation, a dash for each space."""
    titles = HEADING.findall(_prose(page))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def _prose(page: Path) -> str:
    """The page with the lines of its code blocks left empty."""
    return CODE.sub(lambda block: "\n" * block[0].count("\n"), page.read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(say([*broken(PROJECT), *far(PROJECT)]))
