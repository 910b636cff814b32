"""Links from console logs: one side or both, and the chpids of either."""

import pytest

from isfc.deck.console import ConsoleLog, parse_log
from isfc.deck.console_links import ConsoleLink, find_links, name_logs, parse_chpids
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from tests.decks import LOGS

A, B = NodeName("ATLANTA"), NodeName("BOSTON")


def log(partner: str, *mates: str, file: str = "log") -> ConsoleLog:
    """A log with ``6000=7000`` for each device; ``6000=`` has no mate."""
    text = ""
    for here, _, there in (mate.partition("=") for mate in mates):
        text += f"Link device: {here} Node: {partner} Remote link device: {there}\n"
    return parse_log(text, file)


def links(logs: dict[NodeName, ConsoleLog], *chpids: str) -> list[ConsoleLink]:
    return find_links(logs, parse_chpids(chpids, next(iter(logs))))


def rows(link: ConsoleLink) -> list[str]:
    return [
        " ".join([*(f"{c:02X}" for c in each.chpids), *(f"{r:04X}" for r in each.rdevs)])
        for each in link.connections
    ]


def test_two_logs_name_each_other() -> None:
    one, other = log("BOSTON", "6000=7000"), log("ATLANTA", "7000=6000")
    assert name_logs([("", one), ("", other)]) == {A: one, B: other}


@pytest.mark.parametrize(
    ("logs", "what"),
    [
        ([("", log("BOSTON", "6000=7000"))], "log: does not say which system it was pasted from"),
        (
            [("A", log("BOSTON", "6000=7000")), ("A", log("ATLANTA", "7000=6000"))],
            "log: is of A, and so is log; expected one log a system",
        ),
        ([("BOSTON", log("BOSTON", "6000=7000"))], "log: names BOSTON as a partner; expected"),
        ([("BOSTON!", log("BOSTON", "6000=7000"))], "'BOSTON!' is not a node name"),
    ],
)
def test_a_log_without_a_system_is_refused(logs: list[tuple[str, ConsoleLog]], what: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        name_logs(logs)
    assert str(caught.value).startswith(what)


def test_one_side_is_enough() -> None:
    (link,) = links(
        {A: log("BOSTON", "6000=7000", "6020=7020")},
        "40=6000,BOSTON:50=7000,51=7020,ATLANTA:41=6020",
    )
    assert link.nodes == ("ATLANTA", "BOSTON")
    assert rows(link) == ["40 50 6000 7000", "41 51 6020 7020"]
    assert link.remarks == []


def test_chpids_of_the_far_end_are_assumed_and_said_to_be() -> None:
    (link,) = links({A: log("BOSTON", "6000=7000", "6020=7020")}, "40=6000,41=6020")
    assert rows(link) == ["40 40 6000 7000", "41 41 6020 7020"]
    (remark,) = link.remarks
    assert remark.startswith("assumed: chpids at BOSTON have the numbers of those at ATLANTA;")
    (link,) = links({A: log("BOSTON", "6000=7000")}, "BOSTON:50=7000")
    assert rows(link) == ["50 50 6000 7000"]


def test_either_side_fills_in_what_the_other_does_not_know() -> None:
    logs = {A: log("BOSTON", "6000=7000", "6001="), B: log("ATLANTA", "7001=6001", "7002=")}
    (link,) = links(logs, "40=6000-6001")
    assert rows(link) == ["40 40 6000 7000", "40 40 6001 7001"]
    assert link.remarks[0] == "left out: BOSTON 7002, whose remote link device is not known"


def test_a_log_of_three_systems_has_a_link_to_each() -> None:
    logs = {
        A: parse_log(
            "Link device: 6000 Node: BOSTON Remote link device: 7000\n"
            "Link device: 6100 Node: CHICAGO Remote link device: 8000\n",
            "log",
        ),
        B: log("ATLANTA", "7000=6000"),
    }
    first, second = links(logs, "40=6000,41=6100")
    assert (first.nodes, second.nodes) == (("ATLANTA", "BOSTON"), ("ATLANTA", "CHICAGO"))
    assert rows(second) == ["41 41 6100 8000"]


def test_contradictions_are_named() -> None:
    logs = {A: log("BOSTON", "6000=7000"), B: log("ATLANTA", "7000=6001", file="other")}
    with pytest.raises(ConfigurationError) as caught:
        links(logs, "40=6000-6001")
    assert str(caught.value).startswith("other:1:14: ATLANTA 6001 and BOSTON 7000 are joined, but")


def test_a_device_that_is_no_fctc_is_left_out() -> None:
    text = "Link device: 6000 Type: CTCA Node: BOSTON Remote link device: 7000\n"
    reason = "left out: ATLANTA 6000, which is no FCTC"
    with pytest.raises(ConfigurationError, match=f"no CTC joins ATLANTA and BOSTON: {reason}"):
        links({A: parse_log(text, "log")})
    more = "Link device: 6001 Type: FCTC Node: BOSTON Remote link device: 7001\n"
    (link,) = links({A: parse_log(text + more, "log")}, "40=6001")
    assert len(link.connections) == 1
    assert reason in link.remarks


@pytest.mark.parametrize(
    "second", ["Path 50 online to devices 6000", " CHPIDs to Device 6000 (PIM)  : 50"]
)
def test_two_chpids_of_one_device_are_both_named(second: str) -> None:
    text = (
        "Link device: 6000 Type: FCTC Node: BOSTON Remote link device: 7000\n"
        f"Path 40 online to devices 6000\n{second}\n"
    )
    with pytest.raises(ConfigurationError, match="6000 is on chpid 50 here, and on 40 in line 2"):
        links({A: parse_log(text, "log")})
    # of 6010, which is in no link, nothing need be said
    text = text.replace("devices 6000", "devices 6000 6010")
    (link,) = links({A: parse_log(text, "log")}, "40=6000")
    assert link.connections[0].chpids == (0x40, 0x40)


@pytest.mark.parametrize("chpids", ["", "40=6000"])
def test_a_chpid_that_nobody_knows_is_asked_for(chpids: str) -> None:
    said = [chpids] if chpids else []
    with pytest.raises(ConfigurationError, match=r"the chpid of .* is not known; expected --chpid"):
        links({A: log("BOSTON", "6000=7000", "6001=7001")}, *said)


@pytest.mark.parametrize("chpids", ["6000", "4G=6000", "40=600G", "A!:40=6000"])
def test_bad_chpids_are_refused(chpids: str) -> None:
    with pytest.raises(ConfigurationError, match=r"--chpids '.*': .*; expected CHPID=RDEVS"):
        parse_chpids([chpids], A)


def test_shipped_logs_agree() -> None:
    logs = [(LOGS / name).read_text("utf-8") for name in ("atlanta.txt", "boston.txt")]
    named = name_logs([("", parse_log(text, "log")) for text in logs])
    (link,) = links(named, "BOSTON:50=7000-7001,51=7020-7021")
    assert rows(link) == [
        "40 50 6000 7000",
        "40 50 6001 7001",
        "41 51 6020 7020",
        "41 51 6021 7021",
    ]
