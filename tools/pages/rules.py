"""The list of the rules for layouts in ``docs/check.md``, made from the rules."""

from collections.abc import Iterator

from isfc.layout.rules.book import RULES
from tools.pages.spans import block


def rules() -> str:
    """The rules, as Markdown."""
    return block("\n".join(_lines()))


def _lines() -> Iterator[str]:
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
