"""Faults of several links that run together: who restarts, and that the others go on."""

import pytest

from isfc.layout.catalogue import given_collection
from isfc.layout.file import parse_collection
from isfc.layout.loss import collection_without
from isfc.link.name import NodeName
from scenarios.faults.fault import NEVER_DRAWN, Fault, FaultKind, draw_faults, parse_faults
from scenarios.faults.run import FaultOutcome, run_with_faults
from scenarios.runs.experiment import Experiment
from scenarios.runs.workload import LinkLoad, find_workload
from tests.layouts import mesh

MS = 1_000_000
S1, S2, S3 = map(NodeName, ("S1", "S2", "S3"))
COLLECTION = parse_collection(mesh(3, shared=True))
LOADS = tuple(LinkLoad(*ends, find_workload("HL"), 3) for ends in ((S1, S2), (S1, S3), (S2, S3)))
EXPERIMENT = Experiment(COLLECTION, LOADS, seconds=0.15, warmup=0.03)


def during(outcome: FaultOutcome) -> dict[str, float | None]:
    return {recovery.link: recovery.during_mb_per_s for recovery in outcome.recoveries}


def said(outcome: FaultOutcome) -> set[tuple[str, str]]:
    """What was said once all links were up."""
    return {(entry.node, entry.text) for entry in outcome.events if entry.at_s > 0.001}


def test_a_crash_restarts_the_ends_that_lead_to_it_and_no_other() -> None:
    outcome = run_with_faults(
        EXPERIMENT, [Fault(FaultKind.CRASH, 60 * MS, S2, 20 * MS)], together=True
    )
    over = {entry for entry in said(outcome) if "are over" in entry[1]}
    assert over == {
        (node, f"all conversations with {partner} are over: S2 has restarted")
        for node, partner in ((S1, S2), (S2, S1), (S2, S3), (S3, S2))
    }
    assert (S1, "the link to S3 went down") not in said(outcome)
    carried = during(outcome)
    assert carried["S1-S2"] == carried["S2-S3"] == 0
    assert (carried["S1-S3"] or 0) > 0
    assert all(recovery.recovered_ms is not None for recovery in outcome.recoveries)


def test_a_bounced_link_leaves_the_others_alone() -> None:
    (link,) = (link for link in COLLECTION.links if link.nodes == (S1, S2))
    gap = Fault(FaultKind.GAP, 60 * MS, S1, 20 * MS, rdev=link.ctcs[0].rdevs[0])
    outcome = run_with_faults(EXPERIMENT, [gap], together=True)
    bounced = {node for node, text in said(outcome) if text.endswith("the link was bounced")}
    assert bounced == {"S1", "S2"}
    assert {text for node, text in said(outcome) if node == "S3" and "link" in text} == set()


def test_one_chpid_takes_the_ctcs_of_every_link_that_it_carries() -> None:
    chpid = COLLECTION.links[0].fibres[0].chpids[0]
    lost = Fault(FaultKind.CHPID_LOST, 60 * MS, S1, 20 * MS, chpid=chpid)
    down = {
        node
        for node, text in said(run_with_faults(EXPERIMENT, [lost], together=True))
        if text.endswith("is down")
    }
    assert down == {"S1", "S2", "S3"}


CECS = given_collection("two-cecs")


@pytest.mark.parametrize(
    "piece", ["ALPHA:40", "beta:40", "vary:ALPHA:40", "director:1", "cec:EAST", "system:ALPHA"]
)
def test_a_piece_that_is_lost_takes_the_ctcs_that_a_plan_says(piece: str) -> None:
    file = f'[[fault]]\nat = "1ms"\nkind = "piece lost"\npiece = "{piece}"\nfor = "2ms"\n'
    (fault,) = parse_faults(file.encode(), CECS, NodeName("ALPHA"), 9 * MS)
    assert fault.describe() == f"piece lost {piece} for 2 ms"
    left = collection_without(CECS, [piece])
    kept = {(link.nodes, ctc.rdevs) for link in left.links for ctc in link.ctcs}
    of = {
        (link.nodes[0], ctc.rdevs[0]): (link.nodes, ctc.rdevs)
        for link in CECS.links
        for ctc in link.ctcs
    }
    assert {of[place] for place in fault.places} == {*of.values()} - kept


def test_a_chpid_that_is_lost_is_the_channel_of_all_that_have_it() -> None:
    file = '[[fault]]\nat = "1ms"\nkind = "{}"\n{}\nfor = "2ms"\n'
    both = [
        parse_faults(file.format(*of).encode(), CECS, NodeName("ALPHA"), 9 * MS)[0].places
        for of in (("chpid lost", 'chpid = "40"'), ("piece lost", 'piece = "BETA:40"'))
    ]
    assert len(both[0]) == 12
    assert both[0] == both[1]


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind not in NEVER_DRAWN])
def test_every_kind_is_told_and_survived(kind: FaultKind) -> None:
    rdev = COLLECTION.links[-1].ctcs[0].rdevs[0]
    fault = Fault(kind, 60 * MS, S2, 10 * MS, rdev=rdev, amount=100_000)
    outcome = run_with_faults(EXPERIMENT, [fault], together=True)
    assert next(entry.text for entry in outcome.events if entry.is_fault) == fault.describe()
    assert len(outcome.recoveries) == len(LOADS)
    # a dropped frame is missed after 15 s, long after the end of this run
    links = {recovery.link for recovery in outcome.recoveries if recovery.after_mb_per_s}
    assert links >= {"S1-S2", "S1-S3"}
    assert "S2-S3" in links or kind is FaultKind.FRAME_DROPPED


def test_faults_are_drawn_from_all_systems() -> None:
    drawn = [fault for seed in range(40) for fault in draw_faults(seed, COLLECTION, 100, 900)]
    assert {fault.node for fault in drawn} == {S1, S2, S3}
    assert draw_faults(7, COLLECTION, 100, 900) == draw_faults(7, COLLECTION, 100, 900)


FAR = """
[fibre.1]
feature = "FICON Express4"
chpid = { S1 = "40", S2 = "40" }
path = "far"
[[ctc]]
fibre = "1"
rdevs = { S1 = "6000-6003", S2 = "6000-6003" }
[path.far]
km = 1
isl = { count = 2, gbps = 1, credits = 200 }
"""


def test_one_of_two_inter_switch_links_takes_half_the_rate_and_both_all_of_it() -> None:
    far = parse_collection(FAR)
    loads = (LinkLoad(S1, S2, find_workload("HL"), 10),)
    experiment = Experiment(far, loads, seconds=0.4, warmup=0.05)

    def lost(*times_ms: tuple[int, int]) -> FaultOutcome:
        piece = 'kind = "piece lost"\npiece = "ISL:far"\n'
        file = "".join(
            f'[[fault]]\nat = "{at}ms"\n{piece}for = "{for_ms}ms"\n' for at, for_ms in times_ms
        )
        return run_with_faults(experiment, parse_faults(file.encode(), far, S1, 450 * MS))

    (half,) = lost((150, 150)).recoveries
    assert half.before_mb_per_s is not None
    assert half.during_mb_per_s == pytest.approx(half.before_mb_per_s / 2, rel=0.05)
    assert half.after_mb_per_s == pytest.approx(half.before_mb_per_s, rel=0.05)
    outcome = lost((150, 100), (180, 20), (185, 20))
    down = [(entry.node, entry.at_s) for entry in outcome.events if entry.text == "6000 is down"]
    assert down == [(S1, 0.18), (S2, 0.18)]
    assert outcome.recoveries[-1].after_mb_per_s
