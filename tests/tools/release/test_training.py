"""The runs that a build's profile is made of."""

import pytest

from tools.release import training


def test_every_run_of_the_training_is_one_that_isfc_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "SECONDS", 0.001)
    training.train()
