"""What tests of isfc share."""

import pytest

from tests.short_isfc import SHORT


@pytest.fixture(autouse=True)
def short_runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs of the model in this process be short, but for tests marked ``full_length``."""
    if request.node.get_closest_marker("full_length"):
        return
    for module, name, value in SHORT:
        monkeypatch.setattr(module, name, value)
