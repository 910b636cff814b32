"""The rules of ``isfc check``, as the page about it has them."""

from collections.abc import Iterator
from typing import Final

from isfc.answers.check import RULES
from tools.pages.spans import block

DOCUMENTS: Final = {
    "z/VM 6.2 performance report, ISFC Improvements": "report",
    "IBM, z/VM live guest relocation with Linux": "LGR",
}
"""What the page on sources calls them, for short."""


def figures(_: str) -> dict[str, str]:
    """Every rule: what breaks it, why, what to change, and who says so."""
    return {"rules": block("\n".join(_lines()))}


def _lines() -> Iterator[str]:
    told: dict[str, str] = {}
    for rule in RULES:
        source = rule.source
        for document, short in DOCUMENTS.items():
            source = source.replace(document, short)
        yield f"\n### {rule.id}\n"
        yield f"{rule.severity.capitalize()}: {rule.title} {rule.reason}\n"
        advice = f"- Change: {rule.remedy}\n- Source: {source}."
        if (same := told.setdefault(advice, rule.id)) != rule.id:
            advice = f"- Change and source: as of [{same}](#{same})."
        yield advice
