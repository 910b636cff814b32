"""Decisions without runs: rates by rule of thumb, and an order that is not searched for."""

from functools import partial
from typing import Any

import pytest

import isfc
from isfc.answers import decision_parts
from scenarios.search.sizing import LostPiece, SizedLink


def by_rule(patch: pytest.MonkeyPatch) -> None:
    """Let the parts of a decision be made so."""
    for name in ("plan", "losses"):
        patch.setattr(decision_parts, name, partial(getattr(decision_parts, name), rule=True))
    patch.setattr(decision_parts, "change", partial(isfc.change, rates=False))
    patch.setattr(decision_parts, "size", ordered)


def ordered(*, systems: str, **_: Any) -> isfc.LinkSizing:
    """Three chpids with three CTCs each, whatever is wanted."""
    layout = isfc.new(systems, "40:50,41:51,42:52", ctcs=3, feature="FICON Express16SA")
    rate = isfc.losses(layout, rule=True).whole.rate
    text = isfc.format_collection(isfc.Collection((layout,)))
    best = SizedLink("FICON Express16SA", 3, 9, 6, rate, rate, 70, True, text)
    return isfc.LinkSizing(1000.0, LostPiece.CHPID, 0.0, "HL", 50, best, (best,), None, ())
