"""The page of the rules for layouts, made from the rules.

``python -m tools.pages.rules`` puts the list of rules into ``docs/check.md``, below its marker.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from isfc.layout.rules.book import RULES

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "check.md"
MARKER: Final = "<!-- from here on: python -m tools.pages.rules -->\n"


def rules() -> str:
    """The rules, as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield ""
    yield "| rule | severity | finds |"
    yield "| --- | --- | --- |"
    for rule in RULES:
        yield f"| [`{rule.id}`](#{rule.id}) | {rule.severity} | {rule.title} |"
    for rule in RULES:
        yield ""
        yield f"### {rule.id}"
        yield ""
        yield f"{rule.title} {rule.reason}"
        yield ""
        yield f"- Change: {rule.remedy}"
        yield f"- Source: {rule.source}."


def page(text: str) -> str:
    """The page with the rules as they are now."""
    head, marker, _ = text.partition(MARKER)
    return head + marker + rules()


def main() -> int:
    """Renew the page; return the exit status."""
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
