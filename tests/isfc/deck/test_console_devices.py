"""Pasted QUERY ISLINK: any shape of lines, any prefix, and what its console says of chpids."""

import pytest

from isfc.deck.console import ConsoleLog, parse_log
from isfc.errors import ConfigurationError
from tests.decks import LOGS

ONE = """\
Link device: CC30   Type: FCTC
Node: 2NDI          Bytes Sent: 12
State: Up           Bytes Received: 0
Status: Idle        Remote link device: 33C0
"""


def seen(text: str) -> list[tuple[str, str, str | None]]:
    return [
        (
            f"{device.rdev:04X}",
            device.partner,
            None if device.partner_rdev is None else f"{device.partner_rdev:04X}",
        )
        for device in parse_log(text, "log").devices.values()
    ]


def chpids(log: ConsoleLog) -> dict[str, str]:
    return {f"{rdev:04X}": f"{chpid:02X}" for rdev, (chpid,) in log.chpids.items()}


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        " ".join(ONE.split()),
        ONE.replace("   ", "\n"),
        ONE.replace("\n", "\r\n").lower(),
        "\n".join(f"10:22:01 OPERATOR * {line}" for line in ONE.splitlines()),
        f"q islink\nNode 2NDI\n{ONE}Ready; T=0.01\n{ONE}",
    ],
)
def test_a_device_is_found_however_it_was_pasted(text: str) -> None:
    assert seen(text) == [("CC30", "2NDI", "33C0")]


def test_a_device_that_is_down_may_have_no_mate() -> None:
    assert seen(ONE.replace("33C0", "")) == [("CC30", "2NDI", None)]
    assert seen(ONE.partition("Status")[0]) == [("CC30", "2NDI", None)]


def test_what_was_queried_later_counts_where_it_does_not_contradict() -> None:
    assert seen(ONE.replace("33C0", "") + ONE) == [("CC30", "2NDI", "33C0")]
    with pytest.raises(ConfigurationError, match="2NDI 33C1 here, and to 2NDI 33C0 in line 1"):
        seen(ONE + ONE.replace("33C0", "33C1"))


@pytest.mark.parametrize(
    "broken",
    ["Remote link\ndevice: 33C0", "Remote\nlink device: 33C0", "Remote link device:\n33C0"],
)
def test_a_label_that_mail_broke_in_two_is_one(broken: str) -> None:
    assert seen(ONE.replace("Remote link device: 33C0", broken)) == [("CC30", "2NDI", "33C0")]


def test_chpids_come_from_query_chpid_and_query_paths() -> None:
    log = parse_log((LOGS / "atlanta.txt").read_text("utf-8"), "atlanta.txt")
    assert len(log.devices) == 4
    on_40 = dict.fromkeys(["6000", "6001", "6002", "6003"], "40")
    assert chpids(log) == {**on_40, "6020": "41", "6021": "41"}


def test_query_chpid_may_go_on_in_a_further_line() -> None:
    text = "Path 40 online to devices 6000 6001\n 6002 6003\nPath 41 offline to device 6020\nReady;"
    log = parse_log(ONE + text, "log")
    assert chpids(log) == {
        "6000": "40", "6001": "40", "6002": "40", "6003": "40", "6020": "41"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "log:1:1: there is no link device; expected what QUERY ISLINK shows, such as Link"),
        (ONE.replace("CC30", "CC3Z"), "log:1:14: Link device: 'CC3Z'; expected a device number"),
        (ONE.replace("33C0", "33C00"), "log:4:41: Remote link device: '33C00'; expected a device"),
        (ONE.replace("2NDI", "2ND(I)"), "log:2:7: Node: '2ND(I)'; expected a name of 1 to 8"),
        (ONE.replace("Node:", "Nod:"), "log:1:14: Link device 'CC30' has no Node; expected Node:"),
        (ONE + "Path 4G online to devices 6000", "log:5:6: chpid '4G'; expected 1 or 2 hex"),
        (ONE + "Path 40 online to devices 0-FFFF", "log:5:27: a range of devices; expected device"),
        (ONE + "Path 40 online to devices 60G0", "log:5:27: '60G0' is not a device number; expe"),
        (
            ONE + " CHPIDs to Device 6020 (PIM)  : 41 42",
            "log:5:33: CHPIDs to Device: 2 of them; expected one for a CTC",
        ),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text: str, what: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_log(text, "log")
    assert str(caught.value).startswith(what)
