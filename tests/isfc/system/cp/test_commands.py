"""CP commands: what those that look show, and what those that act do to both ends of a link."""

from dataclasses import replace
from textwrap import dedent

import pytest

from isfc.layout.catalogue import load_layout
from isfc.layout.definition import define_link_end
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.package import Package
from isfc.link.parameters import LinkParameters
from isfc.link.state import DeviceState, LinkState
from isfc.system.cp.messages import (
    BUFFERS_IGNORED,
    DEVICE_IN_USE,
    DEVICE_OFFLINE,
    INVALID_OPERAND,
    LINK_ACTIVATED,
    LINK_DEACTIVATED,
    NO_SUCH_CHPID,
    NO_SUCH_DEVICE,
    NOT_ACTIVE,
    NOT_THE_PARTNER,
    OFFLINE_ALREADY,
    ONLINE_ALREADY,
    OPERAND_MISSING,
    OPERATOR,
    CpResponse,
)
from isfc.system.cp.processor import CommandProcessor
from isfc.system.system import System
from isfc.testing.pair import MS, US, Pair, S, Setup
from tests.isfc.system.cp.desk import Desk

ONE = Package(0, [Message(0, 100)], 100).length
"""Bytes of a package with one message of 100 bytes."""


def text(lines: list[str]) -> str:
    return "\n".join((*lines, ""))


def new_desk(ctc_count: int = 2, fibre_count: int = 1) -> Desk:
    return Desk(Pair(Setup(ctc_count=ctc_count, fibre_count=fibre_count)))


def settled() -> Desk:
    """Two CTCs that have carried packages of ``ONE`` bytes each."""
    pair = Pair(Setup(ctc_count=2))
    pair.send(pair.first, 100)
    pair.expect_all_arrived()
    for side in pair.sides:
        pair.send(side, 100)
        pair.expect_all_arrived()
    return Desk(pair)


def test_islink_of_the_first_side_in_the_reports_words_and_order() -> None:
    assert text(settled().lines("query islink")) == dedent(f"""\
        Node BOSTON
        Link device: 6000                        Type: FCTC
        Node:        BOSTON                      Bytes Sent: {2 * ONE}
        State:       Up                          Bytes Received: 0
        Status:      Idle                        Remote link device: 7000
        Link device: 6001                        Type: FCTC
        Node:        BOSTON                      Bytes Sent: 0
        State:       Up                          Bytes Received: {ONE}
        Status:      Idle                        Remote link device: 7001
        """)


def test_islink_of_the_second_side_is_its_mirror() -> None:
    desk = settled()
    assert text(desk.lines("query islink", desk.pair.second)) == dedent(f"""\
        Node ATLANTA
        Link device: 7000                        Type: FCTC
        Node:        ATLANTA                     Bytes Sent: 0
        State:       Up                          Bytes Received: {2 * ONE}
        Status:      Idle                        Remote link device: 6000
        Link device: 7001                        Type: FCTC
        Node:        ATLANTA                     Bytes Sent: {ONE}
        State:       Up                          Bytes Received: 0
        Status:      Idle                        Remote link device: 6001
        """)


def test_devices_of_the_published_example_are_paired_as_there() -> None:
    layout = load_layout("query-islink")
    system = System([define_link_end(layout, NodeName("1STI"), LinkParameters())])
    lines = CommandProcessor().execute("Q ISLINK", system, 0).lines
    assert lines[0] == "Node 2NDI"
    assert [line.split()[2] for line in lines if line.startswith("Link device:")] == [
        "CC30", "CC31", "CC32", "CC33"
    ]  # fmt: skip
    assert [line.split()[-1] for line in lines if "Remote link device:" in line] == [
        "33C0", "33C1", "33C2", "33C3"
    ]  # fmt: skip


def statuses(desk: Desk, rdev: str) -> tuple[str, str]:
    """State and status of one device of the first side."""
    lines = desk.lines(f"q islink {rdev}")
    return lines[3][13:40].strip(), lines[4][13:40].strip()


def test_status_says_what_a_device_is_doing_meanwhile() -> None:
    parameters = replace(LinkParameters(), build_package_ns=MS)
    pair = Pair(Setup(ctc_count=2, parameters=parameters))
    desk = Desk(pair)
    pair.send(pair.first, 1_000_000)
    pair.send(pair.second, 1_000_000)
    seen = set()
    for _ in range(400):
        pair.run(100 * US)
        for rdev in ("6000", "6001"):
            state, status = statuses(desk, rdev)
            assert state == "Up"
            seen.add(status)
    assert seen >= {"Idle", "Busy", "Write in progress", "Read in progress"}


def test_device_that_is_down_says_why() -> None:
    desk = new_desk(4, 2)
    desk.pair.unplug(0)
    lines = desk.lines("q islink 6000")  # the longest status keeps columns and width
    assert lines[4] == "Status:      Initialization in progress  Remote link device: 7000"
    desk.lines("vary off 6002")
    desk.lines("vary off chpid 41")
    desk.pair.run(MS)
    assert statuses(desk, "6000") == ("Down", "Initialization in progress")
    assert statuses(desk, "6001") == ("Down", "Path offline")
    assert statuses(desk, "6002") == ("Down", "Offline")


def test_devices_are_selected() -> None:
    desk = new_desk()
    assert desk.lines("q islink 6001")[1].startswith("Link device: 6001 ")
    assert len(desk.lines("q islink 6001 6000")) == 9
    assert desk.lines("q islink node boston") == desk.lines("q islink all")
    assert desk.lines("q counters 6001")[2].startswith("6001 ")


def test_what_cannot_be_shown_is_named_beside_what_can() -> None:
    desk = new_desk()
    desk.lines("deact islink 6001")
    response = desk.give("q islink 6009 6001 6000")
    assert response.return_code == 40
    assert response.lines[:2] == [
        NO_SUCH_DEVICE("6009"),
        NOT_ACTIVE("6001"),
    ]
    assert response.lines[3].startswith("Link device: 6000")


def test_counters_add_packages_and_collisions() -> None:
    assert text(settled().lines("q counters")) == dedent(f"""\
        Node BOSTON
        Rdev        I/Os   Pkg out    Pkg in       Bytes out        Bytes in Collisions
        6000           2         2         0{2 * ONE:16}               0          0
        6001           2         0         1               0{ONE:16}          0
        """)


def test_counters_show_collisions() -> None:
    pair = Pair(Setup(ctc_count=1))
    for side in pair.sides:
        pair.send(side, 100)
    pair.expect_all_arrived()
    assert Desk(pair).lines("q counters")[2].split()[-1] == "1"


def test_chpid_shows_which_devices_are_online() -> None:
    desk = new_desk(16)
    assert desk.lines("q chpid 40") == [
        "Path 40 online to devices 6000 6001 6002 6003 6004 6005 6006 6007",
        "Path 40 online to devices 6008 6009 600A 600B 600C 600D 600E 600F",
    ]
    desk.lines("vary off 6003")
    assert desk.lines("q chpid 40")[-1] == "Path 40 offline to devices 6003"


def test_indicate_shows_the_load_since_the_last_one() -> None:
    pair = Pair(Setup(ctc_count=2))
    desk = Desk(pair)
    desk.lines("ind islink")
    pair.send(pair.first, *[100_000] * 8)
    pair.run(2 * S)
    lines = desk.lines("indicate islink")
    assert lines[0] == "Node BOSTON Up, 2 of 2 CTCs up; over 2.000 s"
    assert lines[2].split() == ["Msgs", "Sent/s:", "4.0", "Msgs", "Received/s:", "0.0"]
    pair.run(S)
    assert desk.lines("indicate islink")[2].split()[2] == "0.0"


def test_every_line_fits_a_terminal_and_to_indicate_twice_divides_by_no_time() -> None:
    desk = settled()
    for command in ("q islink", "q counters", "q chpid 40", "ind islink", "help"):
        assert max(map(len, desk.lines(command))) <= 80
    assert desk.lines("ind islink")[0].endswith("over 0.000 s")


def test_isfc_and_collect_say_what_is_known_and_that_cps_words_are_not() -> None:
    desk = settled()
    assert text(desk.lines("query isfc")) == dedent("""\
        Link to BOSTON: Up, 2 of 2 CTCs up
        (What CP shows for QUERY ISFC is not known: these lines are of isfc.)
        """)
    assert text(desk.lines("query collect", desk.pair.second)) == dedent("""\
        Node BOSTON: this one
        Node ATLANTA: Up
        (What CP shows for QUERY COLLECT is not known: these lines are of isfc.)
        """)


def states(desk: Desk) -> list[DeviceState]:
    return [ctc.state for ctc in desk.pair.first.end.link.ctcs.values()]


def test_deactivated_device_leaves_the_link_and_comes_back() -> None:
    desk = new_desk()
    assert desk.give("deactive islink 6001") == CpResponse(
        "deactive islink 6001",
        0,
        ["Link 6001 deactivated."],
        [LINK_DEACTIVATED("6001", OPERATOR)],
    )
    desk.pair.run(MS)
    assert states(desk) == [DeviceState.IDLE, DeviceState.INACTIVE]
    assert desk.give("activate islink 6001") == CpResponse(
        "activate islink 6001",
        0,
        ["Link 6001 activated."],
        [LINK_ACTIVATED("6001", OPERATOR)],
    )
    desk.pair.run(MS)
    desk.pair.expect_state(LinkState.UP)


def test_messages_go_on_while_devices_come_and_go() -> None:
    desk = new_desk(4)
    for side in desk.pair.sides:
        desk.pair.send(side, *[100_000] * 50)
    for command in (
        "deact islink 6000", "vary off 6001", "vary off chpid 40", "act islink 6000",
        "vary on chpid 40", "deact islink node boston", "act islink 6000 6002 6003", "vary on 6001",
        "act islink 6001",
    ):  # fmt: skip
        desk.pair.run(2 * MS)
        desk.lines(command)
    desk.pair.expect_all_arrived()
    desk.pair.expect_state(LinkState.UP)


def test_link_is_deactivated_by_node_or_as_a_whole() -> None:
    for selection in ("node boston", "all"):
        desk = new_desk()
        assert desk.lines(f"deact islink {selection}") == [
            "Link 6000 deactivated.",
            "Link 6001 deactivated.",
        ]
        assert states(desk) == [DeviceState.INACTIVE] * 2


def test_activation_refuses_device_by_device() -> None:
    desk = new_desk(4)
    desk.lines("deact islink 6000 6001")
    desk.lines("vary off 6001")
    response = desk.give("act islink 6009 6002 6001 6000")
    assert response.return_code == 40
    assert response.lines == [
        NO_SUCH_DEVICE("6009"),
        DEVICE_IN_USE("6002"),
        DEVICE_OFFLINE("6001"),
        "Link 6000 activated.",
    ]
    assert response.announcements == [LINK_ACTIVATED("6000", OPERATOR)]


def test_activation_takes_node_and_ignores_buffers() -> None:
    desk = new_desk()
    desk.lines("deact islink all")
    lines = desk.lines("act islink 6000 bu 20 node boston")
    assert lines == [BUFFERS_IGNORED(), "Link 6000 activated."]
    assert states(desk)[1] is DeviceState.INACTIVE


@pytest.mark.parametrize(
    ("before", "command", "code", "line"),
    [
        ([], "q islink node atlanta", 9003, NOT_THE_PARTNER("ATLANTA", "BOSTON")),
        (["deact islink all"], "q islink", 9002, None),
        (["deact islink all"], "q counters", 9002, None),
        ([], "q chpid 50", 9004, NO_SUCH_CHPID("50")),
        ([], "q chpid", 26, None),
        ([], "q chpid 40 41", 3, None),
        ([], "query isfc now", 3, None),
        ([], "deact islink", 26, OPERAND_MISSING()),
        ([], "deact islink node atlanta", 9003, None),
        (["deact islink node boston"], "deact islink node boston", 9002, None),
        (["deact islink all"], "deact islink all", 9002, None),
        (["deact islink all"], "act islink 6001 buffers many", 2, INVALID_OPERAND("MANY")),
        (["deact islink all"], "act islink 6001 node boston now", 3, None),
        (["deact islink all"], "act islink node boston", 26, None),
        (["deact islink all"], "act islink 6001 node akron", 9003, None),
        (["vary off chpid 40"], "vary off chpid 40", 9006, OFFLINE_ALREADY("CHPID 40")),
        ([], "vary on chpid 40", 9005, ONLINE_ALREADY("CHPID 40")),
        ([], "vary off", 26, OPERAND_MISSING()),
        ([], "vary off chpid", 26, None),
        ([], "vary off chpid 99", 9004, NO_SUCH_CHPID("99")),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(
    before: list[str], command: str, code: int, line: str | None
) -> None:
    desk = new_desk()
    for each in before:
        desk.lines(each)
    found = states(desk)
    refused = desk.refusal(command)
    assert refused == (code, line or refused[1])
    assert states(desk) == found


def test_wrong_word_anywhere_leaves_everything_as_it_was() -> None:
    desk = new_desk()
    for command in ("deact islink 6000 600g", "vary off 6000 600g", "vary off chpid 40 41"):
        desk.give(command)
        assert states(desk) == [DeviceState.IDLE] * 2
    desk.lines("deact islink all")
    desk.give("act islink 6000 bu x")
    assert states(desk) == [DeviceState.INACTIVE] * 2


def test_device_is_varied_off_and_on() -> None:
    desk = new_desk()
    assert desk.lines("vary off 6000") == [
        "6000 varied offline",
        "1 device(s) specified; 1 device(s) successfully varied offline",
    ]
    desk.pair.run(MS)
    assert states(desk) == [DeviceState.DOWN, DeviceState.IDLE]
    assert desk.lines("vary online 6000") == [
        "6000 varied online",
        "1 device(s) specified; 1 device(s) successfully varied online",
    ]
    desk.pair.run(MS)
    desk.pair.expect_state(LinkState.UP)


def test_varying_refuses_what_is_not_there_or_so_already() -> None:
    desk = new_desk()
    desk.lines("vary off 6001")
    off, on = desk.give("vary off 6009 6001 6000"), desk.give("vary on 6009 6001 6000")
    assert off.lines == [
        NO_SUCH_DEVICE("6009"),
        DEVICE_OFFLINE("6001"),
        "6000 varied offline",
        "3 device(s) specified; 1 device(s) successfully varied offline",
    ]
    assert on.lines == [
        NO_SUCH_DEVICE("6009"),
        "6001 varied online",
        "6000 varied online",
        "3 device(s) specified; 2 device(s) successfully varied online",
    ]
    assert (off.return_code, on.return_code) == (40, 40)
    assert desk.give("vary on 6000").lines[0] == ONLINE_ALREADY("Device 6000")


def test_chpid_takes_its_devices_along() -> None:
    desk = new_desk(4, 2)
    assert desk.lines("vary off chpid 41") == ["CHPID 41 varied offline"]
    desk.pair.run(MS)
    assert [state is DeviceState.DOWN for state in states(desk)] == [False, True, False, True]
    assert desk.lines("vary on chpid 41") == ["CHPID 41 varied online"]
    desk.pair.run(MS)
    desk.pair.expect_state(LinkState.UP)
