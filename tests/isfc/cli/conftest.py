"""What tests of the command share."""

from typing import Any

import pytest

from scenarios.run import Experiment


@pytest.fixture
def own_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Emulate in this process: for tests that are not about workers."""

    def share_out(work: Any, items: list[Experiment], _: int) -> Any:
        yield from enumerate(map(work, items))

    monkeypatch.setattr("isfc.cli.experiments.share_out", share_out)
