"""Recordings: both ends of one run, as a whole and in parts."""

from dataclasses import replace

import pytest

from isfc.layout.catalogue import load_layout
from scenarios.recording import PARTS, Recording, record
from scenarios.run import Experiment, run, sample
from scenarios.workload import find_workload

HL = Experiment(load_layout("published-4"), find_workload("HL"), 5, seconds=0.06, warmup=0.01)
CLIENT, SERVER = HL.layout.nodes


@pytest.fixture(scope="module")
def recording() -> Recording:
    return record(HL)


def test_both_ends_see_what_a_run_shows_of_each(recording: Recording) -> None:
    assert recording.whole("H1", "client").result == run(HL)
    assert recording.whole("H1", "server").result == run(HL, SERVER)
    assert recording.whole("H1", "server").side == "server"
    assert recording.whole("H1", "client").name == "H1"


def test_parts_are_thirds(recording: Recording) -> None:
    parts = recording.parts("H1", "client").samples
    assert len(parts) == PARTS == 3
    assert [part.until for part in parts] == pytest.approx([0.03, 0.05, 0.07])
    assert parts == tuple(sample(HL, 0.02))


def test_parts_may_have_another_length() -> None:
    found = record(HL, interval=0.025).parts("H1", "server").samples
    assert [part.until for part in found] == pytest.approx([0.035, 0.06, 0.07])
    assert found == tuple(sample(HL, 0.025, SERVER))


@pytest.mark.parametrize("seconds", [0.001, 0.05, 1 / 30])
def test_length_need_not_be_divisible(seconds: float) -> None:
    found = record(replace(HL, seconds=seconds))
    assert len(found.client.parts) == PARTS
    assert found.client.parts[-1].until == found.client.whole.until


def test_clients_may_be_on_the_other_node() -> None:
    there = record(replace(HL, client=SERVER))
    assert there.whole("H1", "client").result.node == SERVER
    assert there.whole("H1", "client").side == "client"
