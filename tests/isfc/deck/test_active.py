"""Links of several systems: what is inferred once, and what is told once."""

import pytest

from isfc.deck.active import paired_devices, wire
from isfc.deck.deck import choose_systems
from isfc.deck.pairing import never_paired, pair_all
from isfc.errors import ConfigurationError
from tests.decks import deck, mates, paired, shipped, unit


def test_what_two_systems_tell_of_ports_holds_for_the_third() -> None:
    systems = choose_systems("VMA,VMB,VMC", [shipped("three-systems.iocp")])
    pairings = pair_all(systems, ["VMA:50=01"])
    assert [len(pairing.ctcs) for pairing in pairings] == [8, 8, 8]
    assert [dict(pairing.inferred) for pairing in pairings] == [{"VMB:60": "02"}, {}, {}]


def test_a_device_is_told_once_and_only_if_it_leads_nowhere() -> None:
    systems = choose_systems("VMA,VMB,VMC", [shipped("three-systems.iocp")])
    told = never_paired(pair_all(systems, ["VMA:50=01"]))
    assert all(each.text.endswith("out, as it should: CUADD names it") for each in told)
    assert len(told) == len({(each.node, each.device.rdev) for each in told}) == 3 * 8


def test_the_reason_that_says_most_is_told() -> None:
    near = deck("a", "LP1", ["50"], unit("4010", "50", "D1", 2))
    far = deck("b", "LP2,LP3", ["60"], unit("5010", "60", "C1", 1, more=",PART=LP2"))
    systems = choose_systems("LP1,LP2,LP3", [near, far])
    reasons = {f"{each.node} {each.device.rdev:04X}": each.reason.value
               for each in never_paired(pair_all(systems, []))}  # fmt: skip
    assert reasons["LP1 4010"] == "no-mate"


def test_systems_that_no_ctc_joins_are_left_out_unless_they_are_all() -> None:
    chain = [
        deck("a", "LP1", ["50"], unit("4010", "50", None, 1)),
        deck("b", "LP2", ["60"], unit("5010", "60", None, 1)),
        deck("c", "LP3", ["70"]),
    ]
    systems = choose_systems("LP1,LP2,LP3", chain)
    (only,) = pair_all(systems, [])
    assert [system.node for system in only.systems] == ["LP1", "LP2"]
    first, second = (system.node for system in only.systems)
    assert paired_devices([only])[first] == {0x4010 + n: (second, 0x5010 + n) for n in range(4)}
    (none,) = pair_all(systems[::2], [])
    with pytest.raises(ConfigurationError, match="no CTC joins LP1 and LP3"):
        wire(none, lambda _: None, {})


def test_a_chpid_may_lead_to_several() -> None:
    near = deck("a", "LP1", ["50"], unit("4010", "50", "D1", 1), unit("4020", "50", "D2", 1))
    far = deck("b", "LP2", ["60", "61"], unit("5010", "60", "C1", 1), unit("5020", "61", "C1", 1))
    pairing = paired("LP1,LP2", near, far, ports="LP2:60=D1")
    assert len(mates(pairing)) == 8
    assert len(wire(pairing, lambda _: None, {}).fibres) == 2
    some = {pairing.systems[0].node: [device.rdev for device in near.devices[:4]]}
    assert len(wire(pairing, lambda _: None, some).ctcs) == 4
