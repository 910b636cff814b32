"""Faults as data, and what each of them does to a run."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.link.name import NodeName
from scenarios.faults.fault import (
    NEVER_DRAWN,
    PHASES,
    Fault,
    FaultKind,
    draw_fault,
    draw_faults,
    parse_faults,
    read_faults,
)
from scenarios.faults.run import FaultOutcome, run_with_faults
from scenarios.runs.experiment import Experiment
from scenarios.runs.workload import find_workload

pytestmark = pytest.mark.at_length

LAYOUT = load_layout("published-4")
LINK = Collection((LAYOUT,))
CLIENT, SERVER = LAYOUT.nodes
MS = 1_000_000
S = 1_000 * MS


def parse(text: str) -> list[Fault]:
    return parse_faults(text.encode(), LINK, CLIENT, 3 * S)


def one(kind: str, keys: str = "") -> FaultOutcome:
    return ran(f'[[fault]]\nat = "100ms"\nkind = "{kind}"\n{keys}')


def ran(faults: str, seconds: float = 0.3) -> FaultOutcome:
    experiment = Experiment.of(LAYOUT, find_workload("HL"), 5, seconds=seconds, warmup=0.05)
    return run_with_faults(experiment, parse(faults))


def said(outcome: FaultOutcome) -> list[str]:
    return [f"{entry.node} {entry.text}" for entry in outcome.events if entry.at_s >= 0.09]


def test_file_of_faults_is_read_in_the_order_of_time(tmp_path: Path) -> None:
    path = tmp_path / "faults.toml"
    path.write_text(
        '[[fault]]\nat = "2s"\nkind = "crash"\nnode = "server"\nfor = "50ms"\n'
        '[[fault]]\nat = "1.5s"\nkind = "ctc lost"\nrdev = "6001"\nphase = "DISC"\nfor = "2ms"\n'
    )
    lost, crash = read_faults(str(path), LINK, CLIENT, 3 * S)
    assert lost == Fault(FaultKind.CTC_LOST, 1_500 * MS, CLIENT, 2 * MS, Rdev(0x6001), phase="DISC")
    assert crash == Fault(FaultKind.CRASH, 2 * S, SERVER, 50 * MS)
    assert lost.until_ns == 1_502 * MS
    assert lost.describe() == "ctc lost 6001 at CLIENT, DISC for 2 ms"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "fault: missing"),
        ("fault = []", "expected 1 to 1000 tables"),
        ("fault = [1]", r"\[\[fault\]\] 1"),
        ('[[fault]]\nkind = "crash"', r"\[\[fault\]\] 1 at: missing"),
        ('[[fault]]\nat = "1"\nkind = "crash"\nfor = "1s"', "at '1': expected a time"),
        ('[[fault]]\nat = "9s"\nkind = "crash"\nfor = "1s"', "before the end of the run"),
        ('[[fault]]\nat = "1s"\nkind = "flood"', "kind 'flood': expected one of ctc lost"),
        ('[[fault]]\nat = "1s"\nkind = "crash"\nnode = "X"', "node X: "),
        ('[[fault]]\nat = "1s"\nkind = "crash"', "for: missing"),
        ('[[fault]]\nat = "1s"\nkind = "crash"\nfor = "1s"\nrdev = "6000"', "not a key of"),
        ('[[fault]]\nat = "1s"\nkind = "ctc lost"\nfor = "1s"\nrdev = "9"', "expected one of 6000"),
        ('[[fault]]\nat = "1s"\nkind = "ctc lost"\nfor = "1s"\nrdev = "-"', "not a device number"),
        ('[[fault]]\nat = "1s"\nkind = "chpid lost"\nfor = "1s"\nchpid = "9"', "expected one of"),
        ('[[fault]]\nat = "1s"\nkind = "chpid lost"\nfor = "1s"\nchpid = "-"', "not a chpid"),
        (
            '[[fault]]\nat = "1s"\nkind = "ctc lost"\nfor = "1s"\nrdev = "6000"\nphase = "X"',
            "phase 'X': expected one of idle",
        ),
        ('[[fault]]\nat = "1s"\nkind = "throttled"\nfor = "1s"\nbytes = -1', "bytes -1: expected"),
        ('[[fault]]\nat = "1s"\nkind = "throttled"\nfor = "1s"\nbytes = "x"', "bytes: got text"),
        ('[[fault]]\nat = "1s"\nkind = "delay"\nfor = "1s"\nmore = 1', "more: no such key"),
    ],
)
def test_wrong_file_names_the_place_and_the_remedy(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        parse(text)


@pytest.mark.parametrize("phase", PHASES)
def test_ctc_lost_in_any_phase_costs_nothing_but_time(phase: str) -> None:
    outcome = one("ctc lost", f'rdev = "6001"\nphase = "{phase}"\nfor = "50ms"')
    assert "CLIENT 6001 is down" in said(outcome)
    assert "SERVER 6001 can be used" in said(outcome)
    (recovery,) = outcome.recoveries
    assert recovery.recovered_ms is not None


def test_chpid_lost_is_all_its_ctcs_lost() -> None:
    outcome = one("chpid lost", 'node = "SERVER"\nchpid = "50"\nfor = "50ms"')
    assert said(outcome).count("CLIENT the link went down") == 1
    assert said(outcome).count("SERVER the link came up") == 1


def test_crash_severs_everything_and_traffic_restarts() -> None:
    outcome = one("crash", 'node = "SERVER"\nfor = "50ms"')
    for node in (CLIENT, SERVER):
        assert f"{node} all conversations are over: SERVER has restarted" in said(outcome)
    (recovery,) = outcome.recoveries
    assert recovery.during_mb_per_s == 0
    assert recovery.recovered_ms is not None


def test_partition_ends_without_a_loss() -> None:
    outcome = one("partition", 'for = "50ms"')
    assert not any("over: " in line for line in said(outcome))
    assert outcome.recoveries[0].recovered_ms is not None


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("delay", 'by = "1ms"\njitter = "100us"\nfor = "100ms"'),
        ("slow receiver", 'node = "SERVER"\nby = "20ms"\nfor = "100ms"'),
        ("stopped", 'node = "SERVER"\nfor = "100ms"'),
        ("throttled", 'bytes = 0\nfor = "100ms"'),
        ("older partner", 'node = "SERVER"\nfor = "100ms"'),
    ],
)
def test_what_slows_a_link_down_does_so_and_is_over(kind: str, keys: str) -> None:
    (recovery,) = one(kind, keys).recoveries
    assert recovery.during_mb_per_s is not None
    assert recovery.before_mb_per_s is not None
    assert recovery.during_mb_per_s < 0.8 * recovery.before_mb_per_s
    assert recovery.recovered_ms is not None


@pytest.mark.parametrize("kind", ["frame corrupted", "frame truncated"])
def test_damaged_frame_takes_its_ctc_down_for_a_while(kind: str) -> None:
    outcome = one(kind, 'rdev = "6000"\nfor = "10ms"')
    assert {"CLIENT 6000 is down", "CLIENT 6000 can be used"} <= {*said(outcome)}


def test_damage_that_meets_no_frame_in_its_time_is_over() -> None:
    # a dropped frame leaves the CTC waiting for its missing interrupt: nothing leaves it meanwhile
    outcome = ran(
        '[[fault]]\nat = "100ms"\nkind = "frame dropped"\nrdev = "6001"\n'
        '[[fault]]\nat = "150ms"\nkind = "frame corrupted"\nrdev = "6001"\nfor = "10ms"\n'
        '[[fault]]\nat = "200ms"\nkind = "ctc lost"\nrdev = "6001"\nfor = "10ms"\n'
    )
    assert [text for text in said(outcome) if text.startswith("CLIENT 6001")] == [
        "CLIENT 6001 is down",
        "CLIENT 6001 can be used",
    ]


def test_dropped_frame_is_noticed_by_nobody_for_a_while() -> None:
    assert said(one("frame dropped", 'rdev = "6000"')) == ["CLIENT frame dropped 6000 at CLIENT"]


def test_doubled_frame_does_nothing() -> None:
    outcome = one("frame doubled", 'rdev = "6000"')
    assert len(said(outcome)) == 1
    assert outcome.recoveries[0].recovered_ms is not None


def test_gap_blocks_its_conversations_until_the_link_is_bounced() -> None:
    outcome = one("gap", 'rdev = "6000"\nfor = "100ms"')
    assert "CLIENT all conversations are over: the link was bounced" in said(outcome)
    (recovery,) = outcome.recoveries
    assert recovery.during_mb_per_s is not None
    assert recovery.before_mb_per_s is not None
    assert recovery.during_mb_per_s < recovery.before_mb_per_s


@pytest.mark.parametrize("at", ["20ms", "50ms", "59ms"])
def test_fault_before_anything_was_measured_has_no_before_and_no_recovery(at: str) -> None:
    faults = f'[[fault]]\nat = "{at}"\nkind = "partition"\nfor = "20ms"'
    (recovery,) = ran(faults, seconds=0.1).recoveries
    assert recovery.before_mb_per_s is None
    assert recovery.recovered_ms is None
    assert recovery.during_mb_per_s is not None


def test_fault_within_another_is_compared_with_what_ran_before_both() -> None:
    faults = (
        '[[fault]]\nat = "100ms"\nkind = "partition"\nfor = "100ms"\n'
        '[[fault]]\nat = "180ms"\nkind = "delay"\nby = "10us"\nfor = "40ms"\n'
    )
    outer, inner = ran(faults, seconds=0.2).recoveries
    assert inner.before_mb_per_s == outer.before_mb_per_s


def test_last_interval_counts_by_its_own_length() -> None:
    faults = parse('[[fault]]\nat = "100ms"\nkind = "frame doubled"\nrdev = "6000"')
    experiment = Experiment.of(LAYOUT, find_workload("HM"), 20, seconds=0.025, warmup=0.1)
    whole = run_with_faults(replace(experiment, seconds=0.1), faults).mb_per_s
    assert run_with_faults(experiment, faults).mb_per_s == pytest.approx(whole, rel=0.05)


def test_same_faults_and_seed_tell_the_same_story() -> None:
    keys = 'by = "100us"\njitter = "1ms"\nfor = "50ms"'
    assert one("delay", keys) == one("delay", keys)


def test_fault_that_is_not_over_when_the_run_ends_has_not_recovered() -> None:
    (recovery,) = one("partition", 'for = "1s"').recoveries
    assert recovery.recovered_ms is None


def test_faults_of_a_seed_are_of_every_kind_but_the_gap_and_of_the_layout() -> None:
    drawn = [fault for seed in range(200) for fault in draw_faults(seed, LINK, 100, 900)]
    assert {fault.kind for fault in drawn} == {*FaultKind} - NEVER_DRAWN
    assert all(100 <= fault.at_ns < 900 for fault in drawn)
    lost = [fault for fault in drawn if fault.kind is FaultKind.CHPID_LOST]
    for here, node in enumerate(LAYOUT.nodes):
        chpids = {fibre.chpids[here] for fibre in LAYOUT.fibres}
        assert {fault.chpid for fault in lost if fault.node == node} == chpids


def test_faults_can_be_drawn() -> None:
    places = [(NodeName("A"), ctc.rdevs[0]) for ctc in LAYOUT.ctcs]
    drawn = [draw_fault(Random(seed), [*FaultKind], 5, places) for seed in range(300)]
    assert {fault.kind for fault in drawn} == {*FaultKind}
    assert all(fault.at_ns == 5 and 10_000 <= fault.for_ns <= 32 * MS for fault in drawn)
    assert drawn == [draw_fault(Random(seed), [*FaultKind], 5, places) for seed in range(300)]
