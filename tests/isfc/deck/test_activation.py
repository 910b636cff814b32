"""ACTIVATE ISLINK in configurations and on consoles: which devices it chooses."""

import pytest

from ctc.address import Rdev
from isfc.deck.activation import Activation, imbedded, parse_activations
from isfc.deck.active import Chosen, choose, choose_from, mates_of
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_collection
from isfc.layout.file import parse_collection
from isfc.layout.write import format_collection
from isfc.link.name import NodeName

A, B = NodeName("ATLANTA"), NodeName("BOSTON")
DEVICES = mates_of((A, B), [((A, B), (Rdev(0x6000 + n), Rdev(0x7000 + n))) for n in range(4)])


def chosen(*files: str) -> Chosen:
    """What is chosen of `DEVICES`; a file may be ``NODE=text``."""
    found: list[tuple[NodeName | None, Activation]] = []
    for text in files:
        name, equals, rest = text.partition("=")
        node = NodeName(name) if equals else None
        found += [(node, each) for each in parse_activations(rest if equals else text, "config")]
    return choose(found, DEVICES)


def active(*files: str) -> dict[str, list[str]]:
    return {
        node: [f"{rdev:04X}" for rdev in sorted(rdevs)]
        for node, rdevs in chosen(*files).active.items()
    }


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
        "EQUATE ALL SOUTH CHICAGO\nEQUATE SOUTH ATLANTA\nALL: ACTIVATE ISLINK 6000 6001",
        "EQUATE SOUTH A*\nSOUTH: BEGIN\nACTIVATE ISLINK 6000-6001\nSOUTH: END",
        "ATL*: ACTIVATE ISLINK 6000 6001",
        "ATLANT%: ACTIVATE ISLINK 6000 6001",
        "CHICAGO ATLANTA : ACTIVATE ISLINK 6000 6001",
    ],
)
def test_statements_and_commands_choose_devices(text: str) -> None:
    assert active(text) == {"ATLANTA": ["6000", "6001"]}


def test_one_file_may_be_of_both_systems() -> None:
    text = "ACTIVATE ISLINK 6000 NODE BOSTON\nACTIVATE ISLINK 7000 NODE ATLANTA"
    assert active(text) == {"ATLANTA": ["6000"], "BOSTON": ["7000"]}


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("ACTIVATE ISLINK 6000 NODE DENVER", "config:1:1: is for the link to DENVER: passed over"),
        ("ATLANTA=ACTIVATE ISLINK 6009", "config:1:1: 6009 leads from ATLANTA to no other system"),
        (
            "ATLANTA=ACT ISLINK 6000-6002 NODE ATLANTA",
            "config:1:1: 6000-6002 lead from ATLANTA to BOSTON, not to ATLANTA: passed over",
        ),
    ],
)
def test_what_concerns_no_device_here_is_said(text: str, remark: str) -> None:
    found = chosen(text)
    assert not any(found.active.values())
    assert found.remarks[0].startswith(remark)


def test_statements_of_another_system_are_passed_over_and_so_is_a_node_without_any() -> None:
    found = chosen("DENVER: ACTIVATE ISLINK 6000\nATLANTA: ACTIVATE ISLINK 6001")
    assert found.active == {A: {0x6001}}
    assert found.remarks == [
        "config:1:9: is of DENVER: passed over",
        "BOSTON: no statement is of it: it keeps all its devices",
    ]


@pytest.mark.parametrize(
    "qualifier", ["ATLANTA BOSTON:", "*:", "EQUATE PAIR ATLANTA BOSTON\nPAIR:", "A* %%%TON:"]
)
def test_a_statement_may_be_of_both_systems(qualifier: str) -> None:
    # a nickname was taken for another system's name, and every device kept
    devices = mates_of((A, B), [((A, B), (Rdev(0x6000), Rdev(0x6000)))])
    statements = [(None, each) for each in parse_activations(f"{qualifier} ACT ISLINK 6000", "x")]
    assert choose(statements, devices).active == {A: {0x6000}, B: {0x6000}}


@pytest.mark.parametrize(
    ("text", "what"),
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
        (
            "x\n /* ACT ISLINK 6000",
            "config:2:2: a comment begins here and does not end, and has ISL",
        ),
        ("ACT ISLINK 9000", "config:1:1: this may be of ATLANTA or of BOSTON; expected the node"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text: str, what: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        chosen(text)
    assert str(caught.value).startswith(what)


def test_a_layout_keeps_what_both_ends_activate() -> None:
    text = "ACT ISLINK 6000-6003 NODE BOSTON\nACT ISLINK 7002 7003 7023 NODE ATLANTA"
    statements = [(None, each) for each in parse_activations(text, "config")]
    chosen, remarks = choose_from(load_collection("atlanta-boston"), statements)
    layout = chosen.link()
    assert [f"{ctc.rdevs[0]:04X}" for ctc in layout.ctcs] == ["6002", "6003"]
    assert [fibre.name for fibre in layout.fibres] == ["1"]
    assert remarks == (
        "ATLANTA: 6000-6001 lead to 7000-7001 at BOSTON, which no statement activates: left out",
        "BOSTON: 7023 leads to 6023 at ATLANTA, which no statement activates: left out",
    )


def test_a_link_that_is_left_out_is_said() -> None:
    text = """
        ALPHA: ACT ISLINK 6100-6101 NODE BETA
        BETA: ACT ISLINK 6000-6001 NODE ALPHA
        GAMMA: ACT ISLINK 6000-6001
        DELTA: ACT ISLINK 6000-6001
    """
    statements = [(None, each) for each in parse_activations(text, "config")]
    two_cecs = load_collection("two-cecs")
    chosen, remarks = choose_from(two_cecs, statements)
    assert [link.nodes for link in chosen.links] == [("ALPHA", "BETA")]
    said = [remark for remark in remarks if "leave no CTC of it" in remark]
    assert len(said) == len(two_cecs.links) - 1


def test_deactive_of_all_devices_to_a_node_leaves_those_to_others() -> None:
    text = "ALPHA: ACT ISLINK 6000-6001 6100-6101\nALPHA: DEACT ISLINK ALL NODE GAMMA\n"
    devices = mates_of(
        map(NodeName, ("ALPHA", "BETA", "GAMMA")),
        [
            ((NodeName("ALPHA"), NodeName("BETA")), (Rdev(0x6000), Rdev(0x7000))),
            ((NodeName("ALPHA"), NodeName("BETA")), (Rdev(0x6001), Rdev(0x7001))),
            ((NodeName("ALPHA"), NodeName("GAMMA")), (Rdev(0x6100), Rdev(0x8000))),
            ((NodeName("ALPHA"), NodeName("GAMMA")), (Rdev(0x6101), Rdev(0x8001))),
        ],
    )
    found = choose([(None, each) for each in parse_activations(text, "config")], devices)
    assert found.active == {"ALPHA": {0x6000, 0x6001}}


def test_a_layout_of_which_nothing_is_left_is_refused() -> None:
    text = "ACT ISLINK 6000 NODE BOSTON\nACT ISLINK 7001 NODE ATLANTA"
    statements = [(None, each) for each in parse_activations(text, "config")]
    with pytest.raises(
        ConfigurationError, match=r"leave no CTC between ATLANTA and BOSTON.*\n.*6000"
    ):
        choose_from(load_collection("atlanta-boston"), statements)


def test_a_file_that_is_imbedded_is_named() -> None:
    text = "ACT ISLINK 6000\n  Imbed LINKS CONFIG\n/* IMBED OTHER CONFIG */"
    (said,) = imbedded(text, "config")
    assert said == (
        "config:2:3: IMBED LINKS CONFIG is not followed: give that file as well if it has "
        "ACTIVATE ISLINK"
    )


def test_a_nickname_may_stand_for_itself_many_times_over() -> None:
    # fuzzing: each time was looked up again, eight levels deep
    text = f"EQUATE PAIR {'ATLANTA PAIR ' * 200}\nPAIR: ACT ISLINK 6000"
    assert active(text) == {"ATLANTA": ["6000"]}


def test_channels_that_no_statement_uses_are_not_named_any_more() -> None:
    cluster = """
        [fibre.1]
        feature = "FICON Express8S"
        chpid = { VMA = "50", VMB = "50" }
        [fibre.2]
        feature = "FICON Express8S"
        chpid = { VMA = "60", VMB = "60" }
        [[ctc]]
        fibre = "1"
        rdevs = { VMA = "5020-5023", VMB = "5010-5013" }
        [[ctc]]
        fibre = "2"
        rdevs = { VMA = "6020-6023", VMB = "6010-6013" }
        [cec.one]
        systems = ["VMA", "VMB"]
        [[shared_channel]]
        chpid = { VMA = "50", VMB = "50" }
        [[shared_channel]]
        chpid = { VMA = "60", VMB = "60" }
    """
    found = parse_activations("ACTIVATE ISLINK 5020 5021 NODE VMB", "config")
    left, _ = choose_from(parse_collection(cluster), [(NodeName("VMA"), each) for each in found])
    assert [str(end) for channel in left.shared_channels for end in channel] == ["VMA 50", "VMB 50"]
    assert parse_collection(format_collection(left)) == left


@pytest.mark.parametrize(
    "text", ["ACTIVATEISLINK 6021", "ISLINK 6021", "ACTIVATE 6021 NODE BOSTON"]
)
def test_a_statement_that_lost_a_blank_or_a_word_is_not_passed_over(text: str) -> None:
    with pytest.raises(ConfigurationError, match="is no statement or command about links"):
        parse_activations(f"ACTIVATE ISLINK 6000\nQUERY ISLINK ALL\n{text}\n", "config")


def test_device_numbers_that_are_on_a_line_of_their_own_are_not_passed_over() -> None:
    with pytest.raises(ConfigurationError, match="'7021' stands alone below a statement"):
        parse_activations("BOSTON: ACTIVATE ISLINK 7000 7020\n7021 /* ALL OF THEM */\n", "config")
