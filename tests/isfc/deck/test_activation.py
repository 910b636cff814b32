"""ACTIVATE ISLINK in configurations and on consoles: which devices and links it chooses."""

from typing import Final

import pytest

from ctc.address import Rdev
from isfc.deck.activation import Activation, imbedded, parse_activations
from isfc.deck.active import Chosen, choose, choose_from, mates_of, paired_devices, wire
from isfc.deck.deck import choose_systems
from isfc.deck.pairing import never_paired, pair_all
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import given_collection
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.write import format_collection
from isfc.link.name import NodeName
from tests.decks import drawn, mates, paired, shipped
from tests.refusals import refused

A, B, C = map(NodeName, ("ATLANTA", "BOSTON", "CHICAGO"))
DEVICES: Final = mates_of(
    (A, B), [((A, B), (Rdev(0x6000 + n), Rdev(0x7000 + n))) for n in range(4)]
)


def statements(text: str, node: NodeName | None = None) -> list[tuple[NodeName | None, Activation]]:
    return [(node, each) for _, each in parse_activations(text, "config")]


def chosen(text: str) -> Chosen:
    """What is chosen of `DEVICES`; the file may be ``NODE=text``."""
    name, equals, rest = text.partition("=")
    return choose(statements(rest, NodeName(name)) if equals else statements(text), DEVICES)


def active(found: Chosen) -> dict[str, list[str]]:
    return {node: [f"{rdev:04X}" for rdev in sorted(rdevs)] for node, rdevs in found.active.items()}


@pytest.mark.parametrize(
    "text",
    [
        "ACTIVATE ISLINK 6000 6001",
        "  act islink 6000-6001 node boston",
        "10:22:31 #CP ACTIV ISLINK 6000 6001 BUFFERS 8 NODE BOSTON",
        "Activate ISLINK 6000, /* the first */\n    6001",
        "ATLANTA: ACTIVATE ISLINK 6000 6001",
        "ATLANTA: BEGIN\nCP_Owned Slot 1\nACTIVATE ISLINK 6000\nACTIVATE ISLINK 6001\nATLANTA: END",
        "ACTIVATE ISLINK 6000 6001 6002\nDEACTIVE ISLINK 6002",
        "ATLANTA=ACT ISLINK 6003\nDEACT ISLINK ALL\nACT ISLINK 6000\nACT ISLINK 6001",
        "/* ACTIVATE ISLINK 6003\n ACTIVATE ISLINK 6002 */ ACTIVATE ISLINK 6000 6001",
        "ATLANTA=ACTIVATE ISLINK 6000 6001",
        "ACTIVATE ISLINK 6000,\n\n   /* the second */\n 6001",
        "ACTIVATE ISL 6000 6001 6002\nDEA ISLINK 6002",
        "ATLANTA: ACTIVATE ISLINK 6000,  /* a */\n /* b */\n\n  6001 NODE BOSTON",
        "Equate South ATLANTA\nSouth: ACTIVATE ISLINK 6000 6001",
        "South: ACTIVATE ISLINK 6000 6001\nEQUATE SOUTH ATLANTA,\n  CHICAGO",
        "EQUATE SOUTH ATLANTA\nACT ISLINK 6000 NODE BOSTON\nSOUTH: ACTIVATE ISLINK 6001",
        "EQUATE ALL SOUTH CHICAGO\nEQUATE SOUTH ATLANTA\nALL: ACTIVATE ISLINK 6000 6001",
        "EQUATE SOUTH A*\nSOUTH: BEGIN\nACTIVATE ISLINK 6000-6001\nSOUTH: END",
        "ATL*: ACTIVATE ISLINK 6000 6001",
        "ATLANT%: ACTIVATE ISLINK 6000 6001",
        "CHICAGO ATLANTA : ACTIVATE ISLINK 6000 6001",
        # fuzzing: each time was looked up again, eight levels deep
        f"EQUATE PAIR {'ATLANTA PAIR ' * 200}\nPAIR: ACT ISLINK 6000-6001",
    ],
)
def test_statements_and_commands_choose_devices(text: str) -> None:
    assert active(chosen(text)) == {"ATLANTA": ["6000", "6001"]}


@pytest.mark.parametrize(
    ("text", "devices", "remarks"),
    [
        ("ACTIVATE ISLINK 6000 NODE BOSTON\nACTIVATE ISLINK 7000 NODE ATLANTA",
         {"ATLANTA": ["6000"], "BOSTON": ["7000"]}, []),
        (
            "DENVER: ACTIVATE ISLINK 6000\nATLANTA: ACTIVATE ISLINK 6001",
            {"ATLANTA": ["6001"]},
            [
                "config:1:9: is of DENVER: passed over",
                "BOSTON: no statement is of it: it keeps all its devices",
            ],
        ),
        ("ACTIVATE ISLINK 6000 NODE DENVER", {}, ["config:1:1: is for the link to DENVER: passed"]),
        ("ATLANTA=ACTIVATE ISLINK 6009", None, ["config:1:1: 6009 leads from ATLANTA to no other"]),
        ("ATLANTA=ACT ISLINK 6000-6002 NODE ATLANTA", None,
         ["config:1:1: 6000-6002 lead from ATLANTA to BOSTON, not to ATLANTA: passed over"]),
    ],
)  # fmt: skip
def test_what_concerns_no_device_here_is_said(
    text: str, devices: dict[str, list[str]] | None, remarks: list[str]
) -> None:
    found = chosen(text)
    assert {node: rdevs for node, rdevs in active(found).items() if rdevs} == (devices or {})
    assert all(map(str.startswith, found.remarks, remarks))
    assert len(found.remarks) >= len(remarks)


@pytest.mark.parametrize(
    "qualifier", ["ATLANTA BOSTON:", "*:", "EQUATE PAIR ATLANTA BOSTON\nPAIR:", "A* %%%TON:"]
)
def test_a_statement_may_be_of_both_systems(qualifier: str) -> None:
    # a nickname was taken for another system's name, and every device kept
    devices = mates_of((A, B), [((A, B), (Rdev(0x6000), Rdev(0x6000)))])
    found = choose(statements(f"{qualifier} ACT ISLINK 6000"), devices)
    assert found.active == {A: {0x6000}, B: {0x6000}}


def test_deactive_of_all_devices_to_a_node_leaves_those_to_others() -> None:
    pairs = [(B, 0x6000, 0x7000), (B, 0x6001, 0x7001), (C, 0x6100, 0x8000), (C, 0x6101, 0x8001)]
    devices = mates_of((A, B, C), [((A, far), (Rdev(n), Rdev(mate))) for far, n, mate in pairs])
    text = "ATLANTA: ACT ISLINK 6000-6001 6100-6101\nATLANTA: DEACT ISLINK ALL NODE CHICAGO\n"
    assert choose(statements(text), devices).active == {A: {0x6000, 0x6001}}


LOST: Final = "ACTIVATE ISLINK 6000\nQUERY ISLINK ALL\n{}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IPL CMS", "config:1:1: there is no ACTIVATE ISLINK; expected at least one, such as ACT"),
        ("ACT ISLINK", "config:1:1: ACT ISLINK has no device number; expected 1 to 16 of them"),
        ("ACT ISLINK 0-10", "config:1:12: ACT ISLINK has more than 16 device numbers; expect"),
        ("ACT ISLINK" + " 0-FFFF" * 9999, "config:1:12: ACT ISLINK has more than 16 device"),
        ("x\n ACT ISLINK 60G0", "config:2:13: ISLINK '60G0'; expected a device number, NODE with"),
        ("ACT ISLINK 6000 NODE", "config:1:17: NODE has no value; expected NODE and a name"),
        ("ACT ISLINK 6000 NOD A!", "config:1:21: NODE 'A!'; expected a name of 1 to 8 characters"),
        ("DENVER=ACT ISLINK 6000", "DENVER=config: there is no DENVER here; expected one of ATL"),
        ("SOUTH: ACT ISLINK 6000", "config:1:8: SOUTH is no system here, and no EQUATE statement"),
        ("EQUATE SOUTH\nACT ISLINK 6000", "config:1:1: EQUATE names no system; expected a nickn"),
        ("ACT ISLINK 6000,\n\n", "config:1:12: the statement ends with a comma, and the file ends"),
        ("x\n /* ACT ISLINK 6000", "config:2:2: a comment begins here and does not end, and has s"),
        ("ACT ISLINK 9000", "config:1:1: this may be of ATLANTA or of BOSTON; expected the node"),
        # a statement that lost a blank or a word is not passed over
        (LOST.format("ACTIVATEISLINK 6021"), "config:3:1: 'ACTIVATEISLINK' is no statement or com"),
        *((LOST.format(f"ACTIVATE {word} 6021"), f"config:3:10: '{word[:2]}")
          for word in ("ISL1NK", "ISLNK", "SLINK", "IS LINK")),
        (LOST.format("ACTIVAT"), "config:3:1: 'ACTIVAT' is no statement or command about links"),
        (LOST.format("ISLINK 6021"), "config:3:1: 'ISLINK' is no statement or command about links"),
        (LOST.format("ACTIVATE 6021 NODE BOSTON"), "config:3:10: '6021' is no statement or comm"),
        ("BOSTON: ACTIVATE ISLINK 7000 7020\n7021 /* ALL OF THEM */\n",
         "config:2:1: '7021' stands alone below a statement"),
        ("ATLANTA: ACTIVATE ISLINK 6000 6001\n 6002 6003 NODE BOSTON\n",
         "config:2:2: '6002' stands alone below a statement"),
        ("ACTIVATE ISLINK 6000\n NODE BOSTON", "config:2:2: 'NODE' stands alone below a statement"),
        ("EQUATE PAIR ATLANTA\n BOSTON\nPAIR: ACT ISLINK 6000",
         "config:2:2: 'BOSTON' stands alone below EQUATE; expected a comma at the end of the line"),
        ("ATLANTA:\n ACT ISLINK 6000", "config:1:1: ATLANTA: has no statement behind it; expected"),
        ("STORAGE RECONFIG,\nATLANTA: ACTIVATE ISLINK 6000",
         "config:2:10: 'ACTIVATE' stands where the statement in line 1 goes on; expected no comma"),
        ("ATLANTA: BEGIN\nACT ISLINK 6000", "config:1:1: ATLANTA: BEGIN without END; expected"),
        ("ACT ISLINK 6000\nBOSTON: END", "config:2:1: BOSTON: END without BEGIN; expected NODE:"),
        ("ATLANTA: BEGIN\nACT ISLINK 6000\nBOSTON: END",
         "config:3:1: BOSTON: END behind ATLANTA: BEGIN in line 1; expected NODE: BEGIN"),
        ("ACT ISLINK 6000, /* a\n 6001, /* b */\n 6002", "config:1:18: a comment begins here"),
        # 7 was a system, and what it activates of none here
        ("/* links */\n7: ACTIVATE ISLINK 6000\n\n9: ACTIVATE ISLINK 6001\n",
         "config:2:1: 7: may be the number of the line, as they rise down to line 4"),
        ("ACT ISLINK 6000\n 2: ACT ISLINK 6001,\n 3: 6002", "config:2:1: 2: may be the number"),
        (LOST.format("ACTIVATE ISLINK6021"), "config:3:10: 'ISLINK6021' is no statement or comm"),
        (LOST.format("DEACTIVE NODE BOSTON"), "config:3:10: 'NODE' is no statement or command ab"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_place(text: str, message: str) -> None:
    refused(lambda: chosen(text), message)


def test_a_file_that_is_imbedded_is_named() -> None:
    text = "ACT ISLINK 6000\n  Imbed LINKS CONFIG\n/* IMBED OTHER CONFIG */"
    (said,) = imbedded(text, "config")
    assert said == (
        "config:2:3: IMBED LINKS CONFIG is not followed: give that file as well if it has "
        "ACTIVATE ISLINK"
    )


def left(layout: Collection, text: str) -> tuple[Collection, tuple[str, ...]]:
    """What statements leave of a layout."""
    return choose_from(layout, statements(text))


def test_a_layout_keeps_what_both_ends_activate() -> None:
    text = "ACT ISLINK 6000-6003 NODE BOSTON\nACT ISLINK 7002 7003 7023 NODE ATLANTA"
    kept, remarks = left(given_collection("atlanta-boston"), text)
    layout = kept.link()
    assert [f"{ctc.rdevs[0]:04X}" for ctc in layout.ctcs] == ["6002", "6003"]
    assert [fibre.name for fibre in layout.fibres] == ["1"]
    assert remarks == (
        "ATLANTA: 6000-6001 lead to 7000-7001 at BOSTON, which no statement activates: left out",
        "BOSTON: 7023 leads to 6023 at ATLANTA, which no statement activates: left out",
    )
    text = "ACT ISLINK 6000 NODE BOSTON\nACT ISLINK 7001 NODE ATLANTA"
    with pytest.raises(
        ConfigurationError, match=r"leave no CTC between ATLANTA and BOSTON.*\n.*6000"
    ):
        left(given_collection("atlanta-boston"), text)


def test_a_link_that_is_left_out_is_said_and_its_channels_are_not_named_any_more() -> None:
    text = """
        ALPHA: ACT ISLINK 6100-6101 6110-6111 NODE BETA
        BETA: ACT ISLINK 6000-6001 6010-6011 NODE ALPHA
        GAMMA: ACT ISLINK 6000-6001
        DELTA: ACT ISLINK 6000-6001
    """
    two_cecs = given_collection("two-cecs")
    kept, remarks = left(two_cecs, text)
    assert [link.nodes for link in kept.links] == [("ALPHA", "BETA")]
    said = [remark for remark in remarks if "leave no CTC of it" in remark]
    assert len(said) == len(two_cecs.links) - 1
    used = {kept.channel(end.node, end.chpid) for end in kept.chpid_ends}
    assert {*kept.shared_channels} == used < {*two_cecs.shared_channels}
    assert parse_collection(format_collection(kept)) == kept


def test_of_three_systems_ports_are_inferred_once_and_devices_told_once() -> None:
    systems = choose_systems("VMA,VMB,VMC", [shipped("three-systems.iocp")])
    pairings = pair_all(systems, ["VMA:50=01"])
    assert [len(pairing.ctcs) for pairing in pairings] == [8, 8, 8]
    assert [dict(pairing.inferred) for pairing in pairings] == [{"VMB:60": "02"}, {}, {}]
    told = never_paired(pairings)
    assert all(each.text.endswith("out, as it should: CUADD names it") for each in told)
    assert len(told) == len({(each.node, each.device.rdev) for each in told}) == 3 * 8


def test_the_reason_that_says_most_is_told() -> None:
    near = drawn("a LP1 50 | 4010 50 D1 2")
    far = drawn("b LP2,LP3 60 | 5010 60 C1 1 PART=LP2")
    told = never_paired(pair_all(choose_systems("LP1,LP2,LP3", [near, far]), []))
    reasons = {f"{each.node} {each.device.rdev:04X}": each.reason.value for each in told}
    assert reasons["LP1 4010"] == "no-mate"


def test_systems_that_no_ctc_joins_are_left_out_unless_they_are_all() -> None:
    chain = [drawn("a LP1 50 | 4010 50 - 1"), drawn("b LP2 60 | 5010 60 - 1"), drawn("c LP3 70")]
    systems = choose_systems("LP1,LP2,LP3", chain)
    (only,) = pair_all(systems, [])
    first, second = (system.node for system in only.systems)
    assert (first, second) == ("LP1", "LP2")
    assert paired_devices([only])[first] == {0x4010 + n: (second, 0x5010 + n) for n in range(4)}
    (none,) = pair_all(systems[::2], [])
    with pytest.raises(ConfigurationError, match="no CTC joins LP1 and LP3"):
        wire(none, lambda _: None, {})


def test_a_chpid_may_lead_to_several() -> None:
    near = drawn("a LP1 50 | 4010 50 D1 1 | 4020 50 D2 1")
    far = drawn("b LP2 60 61 | 5010 60 C1 1 | 5020 61 C1 1")
    pairing = paired("LP1,LP2", near, far, ports="LP2:60=D1")
    assert len(mates(pairing)) == 8
    assert len(wire(pairing, lambda _: None, {}).fibres) == 2
    some = {pairing.systems[0].node: [device.rdev for device in near.devices[:4]]}
    assert len(wire(pairing, lambda _: None, some).ctcs) == 4
