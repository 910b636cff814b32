"""Consoles: any shape of lines, links, and the chpids of their ends."""

from typing import Final

import pytest

from ctc.address import Rdev
from isfc.deck.activation import parse_activations
from isfc.deck.active import choose, mates_of
from isfc.deck.console import ConsoleLog, parse_log
from isfc.deck.console_links import ConsoleLink, find_links, name_logs, parse_chpids
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from tests.decks import LOGS
from tests.refusals import refused

A, B = NodeName("ATLANTA"), NodeName("BOSTON")
SEEN: Final = ("CC30", "2NDI", "33C0")
MATE: Final = "Remote link device: 33C0"
ONE: Final = f"""\
Link device: CC30   Type: FCTC
Node: 2NDI          Bytes Sent: 12
State: Up           Bytes Received: 0
Status: Idle        {MATE}
"""


def seen(text: str) -> list[tuple[str, str, str | None]]:
    return [
        (f"{d.rdev:04X}", d.partner, None if d.partner_rdev is None else f"{d.partner_rdev:04X}")
        for d in parse_log(text, "log").devices.values()
    ]


def chpids(log: ConsoleLog) -> dict[str, str]:
    return {f"{rdev:04X}": f"{chpid:02X}" for rdev, (chpid,) in log.chpids.items()}


@pytest.mark.parametrize(
    ("text", "device"),
    [
        (ONE, SEEN),
        (" ".join(ONE.split()), SEEN),
        (ONE.replace("   ", "\n"), SEEN),
        (ONE.replace("\n", "\r\n").lower(), SEEN),
        ("\n".join(f"10:22:01 OPERATOR * {line}" for line in ONE.splitlines()), SEEN),
        (f"q islink\nNode 2NDI\n{ONE}Ready; T=0.01\n{ONE}", SEEN),
        # labels that mail broke in two
        (ONE.replace(MATE, "Remote link\ndevice: 33C0"), SEEN),
        (ONE.replace(MATE, "Remote\nlink device: 33C0"), SEEN),
        (ONE.replace(MATE, "Remote link device:\n33C0"), SEEN),
        # one that is down may have no mate; what was queried later counts
        (ONE.replace("33C0", ""), (*SEEN[:2], None)),
        (ONE.partition("Status")[0], (*SEEN[:2], None)),
        (ONE.replace("33C0", "") + ONE, SEEN),
    ],
)
def test_a_device_is_found_however_it_was_pasted(
    text: str, device: tuple[str, str, str | None]
) -> None:
    assert seen(text) == [device]


@pytest.mark.parametrize("front", ["09:41:15 ", "09:41:15 OPERATOR * "])
def test_a_chpid_has_devices_of_several_lines_behind_a_prefix(front: str) -> None:
    text = f"{front}Path 40 online to devices 6000\n{front} 6001 6002\n{front}Ready;\n{front}6003"
    assert chpids(parse_log(ONE + text, "log")) == dict.fromkeys(["6000", "6001", "6002"], "40")


def test_chpids_come_from_query_chpid_and_query_paths() -> None:
    log = parse_log((LOGS / "atlanta.txt").read_text("utf-8"), "atlanta.txt")
    assert len(log.devices) == 4
    on_40 = dict.fromkeys(["6000", "6001", "6002", "6003"], "40")
    assert chpids(log) == {**on_40, "6020": "41", "6021": "41"}
    text = "Path 40 online to devices 6000 6001\n 6002 6003\nPath 41 offline to device 6020\nReady;"
    assert chpids(parse_log(ONE + text, "log")) == {**on_40, "6020": "41"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: there is no link device; expected what QUERY ISLINK shows, such as Link"),
        (ONE.replace("CC30", "CC3Z"), "1:14: Link device: 'CC3Z'; expected a device number"),
        (ONE.replace("FCTC", "FCTC!!"), "1:27: Type: 'FCTC!!'; expected a type such as FCTC"),
        (ONE.replace("33C0", "33C00"), "4:41: Remote link device: '33C00'; expected a device"),
        (ONE.replace("2NDI", "2ND(I)"), "2:7: Node: '2ND(I)'; expected a name of 1 to 8"),
        (f"10:22:01 Node BOSTON\n{ONE}", "3:7: Node: '2NDI' is below Node BOSTON; expe"),
        (ONE.partition("\n")[2], "1:7: Node: without a Link device: above it; expected all"),
        (ONE.replace("2NDI          Bytes", "Bytes 2NDI"), "2:1: 'Node: Bytes 2NDI Sen"),
        (ONE.replace("Node:", "Nod:"), "1:14: Link device 'CC30' has no Node in line"),
        (f"{ONE}Path 4G online to devices 6000", "5:6: chpid '4G'; expected 2 hex"),
        (f"{ONE}Path 4 online to devices 6000", "5:6: chpid '4'; expected 2 hex digits: was"),
        (f"{ONE}Path 40 online to devices 0-FFFF", "5:27: a range of devices; expected device"),
        (f"{ONE}Path 40 online to devices 60G0", "5:27: '60G0' is not a device number; expe"),
        (f"{ONE}Path 40 online to devices 6000.6001", "5:1: 'Path 40 online to dev"),
        (f"{ONE} CHPIDs to Device 6020 (PIM)  : 41.2", "5:1: 'CHPIDs to Device 6020 "),
        (f"{ONE} CHPIDs to Device 6020 (PIM)  : 41 42", "5:33: CHPIDs to Device: 2 of them; exp"),
        (ONE + ONE.replace("33C0", "33C1"),
         "5:14: Link device CC30 leads to 2NDI 33C1 here, and to 2NDI 33C0 in line 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_place(text: str, message: str) -> None:
    refused(lambda: parse_log(text, "log"), f"log:{message}")


ONE_SYSTEM, OTHER = NodeName("SSIMBR1"), NodeName("SSIMBR2")


@pytest.mark.parametrize(
    "text",
    [
        "at ssimbr1 cmd act isl 5a40 5a41\nat ssimbr2 cmd act isl 5a41 5b40\n",
        "ACTIVATE ISLINK 5A40 5A41\n10:22:01 OPERATOR * AT SSIMBR2 COMMAND ACT ISLINK 5A41 5B40\n",
    ],
)
def test_a_command_is_of_the_system_that_at_names(text: str) -> None:
    nodes = ONE_SYSTEM, OTHER
    devices = mates_of(nodes, [(nodes, (Rdev(n), Rdev(n))) for n in (0x5A40, 0x5A41, 0x5B40)])
    chosen = choose(parse_activations(text, "log", "ssimbr1"), devices)
    assert chosen.active == {nodes[0]: {0x5A40, 0x5A41}, nodes[1]: {0x5A41, 0x5B40}}
    text = f"{text}at third cmd act isl 5a40"
    third = choose(parse_activations(text, "log", "ssimbr1"), devices)
    assert third.active == chosen.active
    assert third.remarks[0] == "log:3:14: is of THIRD: passed over"


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


TO_B: Final = log("BOSTON", "6000=7000")
TO_A: Final = log("ATLANTA", "7000=6000")
BOTH: Final = log("BOSTON", "6000=7000", "6020=7020")


def test_two_logs_name_each_other() -> None:
    assert name_logs([("", TO_B), ("", TO_A)]) == {A: TO_B, B: TO_A}


@pytest.mark.parametrize(
    ("logs", "message"),
    [
        ([("", TO_B)], "log: does not say which system it was pasted from"),
        ([("A", TO_B), ("A", TO_A)], "log: is of A, and so is log; expected one log a system"),
        ([("BOSTON", TO_B)], "log: names BOSTON as a partner; expected"),
        ([("BOSTON!", TO_B)], "'BOSTON!' is not a node name"),
    ],
)
def test_a_log_without_a_system_is_refused(
    logs: list[tuple[str, ConsoleLog]], message: str
) -> None:
    refused(lambda: name_logs(logs), message)


ASSUMED: Final = "assumed: chpids at BOSTON have the numbers of those at ATLANTA;"
CTCA: Final = "Link device: 6000 Type: CTCA Node: BOSTON Remote link device: 7000\n"
LEFT_OUT: Final = "left out: ATLANTA 6000, which is no FCTC"
MORE: Final = "Link device: 6001 Type: FCTC Node: BOSTON Remote link device: 7001\n"
THIRD: Final = "Link device: 6100 Node: CHICAGO Remote link device: 8000\n"
ONE_SIDE: Final = "40=6000,BOSTON:50=7000,51=7020,ATLANTA:41=6020"


@pytest.mark.parametrize(
    ("logs", "said", "found", "remarks"),
    [
        ({A: BOTH}, ONE_SIDE, ["40 50 6000 7000", "41 51 6020 7020"], []),
        ({A: BOTH}, "40=6000,41=6020", ["40 40 6000 7000", "41 41 6020 7020"], [ASSUMED]),
        ({A: TO_B}, "BOSTON:50=7000", ["50 50 6000 7000"], ["assumed: chpids at ATLANTA"]),
        ({A: log("BOSTON", "6000=7000", "6001="), B: log("ATLANTA", "7001=6001", "7002=")},
         "40=6000-6001", ["40 40 6000 7000", "40 40 6001 7001"],
         ["left out: BOSTON 7002, whose remote link device is not known", ASSUMED]),
        ({A: parse_log(CTCA + MORE, "log")}, "40=6001", ["40 40 6001 7001"], [LEFT_OUT, ASSUMED]),
        ({A: parse_log(MORE + THIRD, "log"), B: log("ATLANTA", "7001=6001")}, "40=6001,41=6100",
         ["40 40 6001 7001", "CHICAGO", "41 41 6100 8000"],
         [ASSUMED, "assumed: chpids at CHICAGO have"]),
    ],
)  # fmt: skip
def test_logs_of_either_side_make_links(
    logs: dict[NodeName, ConsoleLog], said: str, found: list[str], remarks: list[str]
) -> None:
    first, *others = links(logs, said)
    assert first.nodes == (A, B)
    assert [*rows(first), *(row for one in others for row in (one.nodes[1], *rows(one)))] == found
    told = [remark for link in (first, *others) for remark in link.remarks]
    assert len(told) == len(remarks)
    assert all(map(str.startswith, told, remarks))


@pytest.mark.parametrize(
    "second", ["Path 50 online to devices 6000", " CHPIDs to Device 6000 (PIM)  : 50"]
)
def test_two_chpids_of_one_device_are_both_named(second: str) -> None:
    text = f"{CTCA.replace('CTCA', 'FCTC')}Path 40 online to devices 6000\n{second}\n"
    with pytest.raises(ConfigurationError, match="6000 is on chpid 50 here, and on 40 in line 2"):
        links({A: parse_log(text, "log")})
    # of 6010, which is in no link, nothing need be said
    text = text.replace("devices 6000", "devices 6000 6010")
    (link,) = links({A: parse_log(text, "log")}, "40=6000")
    assert link.connections[0].chpids == (0x40, 0x40)


@pytest.mark.parametrize(
    ("logs", "said", "message"),
    [
        ({A: TO_B, B: log("ATLANTA", "7000=6001", file="other")}, ["40=6000-6001"],
         "other:1:14: ATLANTA 6001 and BOSTON 7000 are joined, but"),
        ({A: parse_log(CTCA, "log")}, [], f"no CTC joins ATLANTA and BOSTON: {LEFT_OUT}"),
        ({A: BOTH}, [], "ATLANTA: the chpid of 6000,6020 is not known; expected what QUERY"),
        ({A: BOTH}, ["40=6000"], "ATLANTA: the chpid of 6020 is not known; expected what QUERY"),
        *(
            ({A: TO_B}, [said], f"--chpids '{said}': ")
            for said in ("6000", "4G=6000", "40=600G", "A!:40=6000")
        ),
    ],
)  # fmt: skip
def test_what_contradicts_or_is_not_known_is_refused(
    logs: dict[NodeName, ConsoleLog], said: list[str], message: str
) -> None:
    refused(lambda: links(logs, *said), message)


def test_what_is_offered_in_place_of_chpids_is_taken() -> None:
    both = [f"{0x7000 + n:04X}={0x6000 + n:04X}" for n in (*range(6), 0x20)]
    logs, said = {B: log("ATLANTA", *both)}, ["BOSTON:40=7005"]
    with pytest.raises(ConfigurationError, match="chpid of 7000-7004,7020 is not known") as refusal:
        links(logs, *said)
    offered = str(refusal.value).partition("--chpids ")[2].rstrip("'")
    assert offered == "BOSTON:41=7000-7003,42=7004,43=7020"
    (link,) = links(logs, *said, offered)
    assert len(link.connections) == len(both)
    # of two chpids of a device of the second log, too
    paths = "".join(f"Path {chpid} online to devices 7000\n" for chpid in (40, 50))
    two = parse_log(paths, "log", needs_devices=False)
    two.devices.update(log("ATLANTA", "7000=6000").devices)
    with pytest.raises(ConfigurationError) as refusal:
        links({A: log("BOSTON", "6000=7000"), B: two})
    offered = str(refusal.value).partition("--chpids ")[2].rstrip("'")
    (link,) = links({A: log("BOSTON", "6000=7000"), B: two}, offered)
    assert rows(link) == [f"{offered[7:9]} {offered[7:9]} 6000 7000"]


def test_shipped_logs_agree() -> None:
    logs = [(LOGS / name).read_text("utf-8") for name in ("atlanta.txt", "boston.txt")]
    named = name_logs([("", parse_log(text, "log")) for text in logs])
    (link,) = links(named, "BOSTON:50=7000-7001,51=7020-7021")
    on_40, on_41 = ["40 50 6000 7000", "40 50 6001 7001"], ["41 51 6020 7020", "41 51 6021 7021"]
    assert rows(link) == on_40 + on_41


DEVICE: Final = "09:41:07   Link device: 6001          Type: FCTC"
STATUS: Final = "09:41:07   Status:      Idle          Remote link device: 7000"


def test_a_device_whose_lines_stand_in_another_order_than_the_others_is_refused() -> None:
    # 6000 lost its Status, and that of 6001 stood above its Node: 6001 led where 6000 does
    first, *lines = (LOGS / "atlanta.txt").read_text("utf-8").splitlines()
    lines.insert(lines.index(STATUS), lines.pop(lines.index(DEVICE)))
    lines = [line for line in lines if "device: 7001" not in line]
    with pytest.raises(ConfigurationError, match=r"^log:11:.*than in line 8: was a line moved"):
        parse_log("\n".join([first, *lines]), "log")
