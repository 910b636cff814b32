"""CP commands that act, and what they do to both ends of the link."""

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
    OFFLINE_ALREADY,
    ONLINE_ALREADY,
    OPERAND_MISSING,
    OPERATOR,
    CpResponse,
)
from isfc.testing.pair import MS, Pair, Setup
from tests.isfc.system.cp.desk import Desk


def new_desk(ctc_count: int = 2, fibre_count: int = 1) -> Desk:
    return Desk(Pair(Setup(ctc_count=ctc_count, fibre_count=fibre_count)))


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
        assert desk.refusal(f"deact islink {selection}")[0] == 9002


def test_deactivation_says_what_it_must_know() -> None:
    desk = new_desk()
    assert desk.refusal("deact islink") == (26, OPERAND_MISSING())
    assert desk.refusal("deact islink node atlanta")[0] == 9003
    assert states(desk) == [DeviceState.IDLE] * 2


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
    assert desk.lines("act islink 6000 bu 20 node boston") == [
        BUFFERS_IGNORED(),
        "Link 6000 activated.",
    ]
    assert desk.refusal("act islink 6001 buffers many") == (2, INVALID_OPERAND("MANY"))
    assert desk.refusal("act islink 6001 node boston now")[0] == 3
    assert desk.refusal("act islink node boston")[0] == 26
    assert desk.refusal("act islink 6001 node akron")[0] == 9003
    assert states(desk)[1] is DeviceState.INACTIVE


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
    assert desk.refusal("vary off chpid 41") == (9006, OFFLINE_ALREADY("CHPID 41"))
    assert desk.lines("vary on chpid 41") == ["CHPID 41 varied online"]
    assert desk.refusal("vary on chpid 41") == (9005, ONLINE_ALREADY("CHPID 41"))
    desk.pair.run(MS)
    desk.pair.expect_state(LinkState.UP)


def test_varying_says_what_it_must_know() -> None:
    desk = new_desk()
    assert desk.refusal("vary off") == (26, OPERAND_MISSING())
    assert desk.refusal("vary off chpid")[0] == 26
    assert desk.refusal("vary off chpid 99") == (9004, NO_SUCH_CHPID("99"))
