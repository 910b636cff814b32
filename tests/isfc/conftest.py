"""What tests of isfc share."""

import pytest

from scenarios.runs import steady


@pytest.fixture
def short_steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs until they are steady last a tenth of a second of virtual time, in this process."""
    monkeypatch.setattr(steady, "WARMUP_NS", 20_000_000)
    monkeypatch.setattr(steady, "BATCH_NS", 8_000_000)
    monkeypatch.setattr(steady, "BATCHES_MAX", steady.BATCHES_MIN)
