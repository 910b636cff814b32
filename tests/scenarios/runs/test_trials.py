"""Trials of the model: what it would be without one of its rules."""

import pytest

from isfc.layout.catalogue import load_layout
from isfc.link.lock import LinkLock
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.run import run
from scenarios.runs.workload import find_workload
from tests.lengthy import few_in_every_run

# from source: compiled code would not see that a rule is taken out of its class
pytestmark = pytest.mark.slow

GUESTS = GuestCosts()


def mb_per_s(
    layout: str, workload: str, pairs: int, seconds: float, guests: GuestCosts = GUESTS
) -> float:
    """What the model sends, after half of the time that is measured."""
    found = find_workload(workload)
    experiment = Experiment.of(
        load_layout(layout), found, pairs=pairs, seconds=seconds, warmup=seconds / 2, guests=guests
    )
    return run(experiment).mb_per_s


def test_one_queue_for_all_that_interrupts_bring_would_be_slower(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = mb_per_s("published-4", "HL", 100, 1.0)
    monkeypatch.setattr(LinkLock, "want_first", LinkLock.want)
    assert 0.8 * both < mb_per_s("published-4", "HL", 100, 1.0) < 0.9 * both  # 174 of 204


@pytest.mark.at_length
@pytest.mark.parametrize("ctcs", few_in_every_run([8, 16]))
def test_clients_processors_hardly_matter_to_hs(ctcs: int) -> None:
    few = mb_per_s(f"published-{ctcs}", "HS", 50, 0.6)
    many = mb_per_s(f"published-{ctcs}", "HS", 50, 0.6, GuestCosts(client_processors=50))
    assert many == pytest.approx(few, rel=0.03)
