"""What tests of isfc share."""

import pytest

from scenarios.figures import cluster_loss, glance
from scenarios.runs import steady

LENGTHS_NS = [
    (steady, "WARMUP_NS", 20_000_000),
    (steady, "BATCH_NS", 8_000_000),
    (cluster_loss, "WARMUP_NS", 20_000_000),
    (cluster_loss, "LENGTH_NS", 50_000_000),
    (glance, "BEGIN_NS", 40_000_000),
    (glance, "LENGTH_NS", 50_000_000),
]
"""A tenth of the virtual time, or less."""


@pytest.fixture(autouse=True)
def short_runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs of the model in this process be short, but for tests marked ``full_length``.

    Most tests here are of what is said of a figure, whatever it is.
    """
    if request.node.get_closest_marker("full_length"):
        return
    for module, name, length_ns in LENGTHS_NS:
        monkeypatch.setattr(module, name, length_ns)
    monkeypatch.setattr(steady, "BATCHES_MAX", steady.BATCHES_MIN)
