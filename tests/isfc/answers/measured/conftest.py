"""Runs that are short, as what is proven here is what is said of them."""

import pytest

from scenarios.figures import site_compare
from scenarios.search import site_fit, site_search


@pytest.fixture(autouse=True)
def short_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Emulate for a moment, and fit with few points."""
    monkeypatch.setattr(site_compare, "SECONDS", 0.2)
    monkeypatch.setattr(site_compare, "WARMUP", 0.05)
    monkeypatch.setattr(site_search, "SECONDS", 0.05)
    monkeypatch.setattr(site_search, "WARMUP", 0.02)
    monkeypatch.setattr(site_fit, "JUDGED_SECONDS", 0.05)
    monkeypatch.setattr(site_search, "ROUNDS", ((0.3, 8), (0.2, 8)))
