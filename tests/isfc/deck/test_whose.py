"""One console with the answers of several systems: each is of the one that gave it, or refused."""

from typing import Final

import pytest

from isfc.deck.console import parse_log
from isfc.deck.importing import import_config, import_islink
from isfc.deck.whose import account_of_console, by_system
from isfc.link.name import NodeName
from tests.refusals import refused

OTHER: Final = NodeName("SSIMBR2")
CONSOLE: Final = """\
q chpid 40
Path 40 online to devices 5A40 5A41
 5A42
AT ssimbr2 cmd query chpid 50
Path 50 online to devices 5A40 5A41
 5A42
{end}
Path 41 online to devices 5B40
"""


def chpids(text: str) -> dict[str, str]:
    log = parse_log(text, "log", needs_devices=False)
    return {f"{rdev:04X}": f"{chpid:02X}" for rdev, (chpid,) in log.chpids.items()}


@pytest.mark.parametrize(
    "end", ["q chpid 41", "10:22:01 OPERATOR * QUERY CHPID 41", "Ready; T=0.01/0.01 10:22:01"]
)
def test_an_answer_is_of_the_system_that_its_command_ran_on(end: str) -> None:
    parts = by_system(CONSOLE.format(end=end), "log")
    same = ("5A40", "5A41", "5A42")
    assert {node: chpids(text) for node, text in parts.items()} == {
        None: {**dict.fromkeys(same, "40"), "5B40": "41"},
        OTHER: dict.fromkeys(same, "50"),
    }


def answers(partner: str, chpid: str) -> str:
    """What a system answers that has one device, 6000, to the same at its partner."""
    return f"""\
q islink
Node {partner}
Link device: 6000        Type: FCTC
Node:        {partner}         Bytes Sent: 9931
State:       Up          Bytes Received: 1021
Status:      Idle        Remote link device: 6000
q chpid {chpid}
Path {chpid} online to devices 6000
"""


OF_A, OF_B = answers("VMB", "40"), answers("VMA", "50")
OTHERS: Final = OF_B.replace("6000", "7000")
LOGON: Final = "LOGON AT 10:22:31 EST MONDAY 11/30/26\n"


def in_front(text: str, front: str) -> str:
    return "".join(f"{front}{line}\n" for line in text.splitlines())


def screen(text: str, system: str) -> str:
    return f"{text}\n{'RUNNING   ':>70}{system}   \n"


BOTH: Final = {
    "query userid": f"q userid\nMAINT    AT VMA\n{OF_A}q userid\nMAINT    AT VMB\n{OF_B}",
    "identify": f"""\
10:22:31 MAINT    AT VMA      VIA RSCS     09:37:31 11/30/26 GMT     MONDAY
{OF_A}MAINT AT VMB VIA RSCS 09:39:31 11/30/26 GMT MONDAY
{OF_B}""",
    "logged on to the next": f"{LOGON}{OF_A}id\nMAINT AT VMA VIA *\nLOGOFF AT 10:30:00 EST\n"
    f"{LOGON}{OF_B}q userid\nMAINT    AT VMB\n",
    "the second alone": f"{OF_A}q userid\nMAINT    AT VMB\n{OF_B}",
    "screens": screen(OF_A, "VMA") + screen(OF_B, "VMB"),
    "screens and at": screen(f"{OF_A}{in_front(OF_B, '').replace('q ', 'at vmb cmd q ')}", "VMA"),
    "programmable operator": in_front(OF_A, "26/11/30 10:22:31 MAINT    VMA     : ")
    + in_front(OF_B, "26/11/30 10:22:31          VMB     : "),
    "programmable operator of the second": in_front(OF_A, "26/11/30 10:22:31 MAINT    VMA     : ")
    + in_front(OF_B, f"26/11/30 10:22:31 {'':17}: "),
    "names in front": in_front(OF_A, "10:22:31 VMA: ") + in_front(OF_B, "vmb : "),
}


@pytest.mark.parametrize("form", BOTH)
def test_one_log_holds_both_ends(form: str) -> None:
    found = import_islink([BOTH[form]])
    (link,) = found.links
    assert dict(zip(link.nodes, link.ctcs[0].chpids, strict=True)) == {"VMA": "40", "VMB": "50"}
    assert not found.remarks


@pytest.mark.parametrize("front", ["> ", "* ", "10:22:31 ", "10:22:31 OPERATOR * "])
@pytest.mark.parametrize("form", ["query userid", "logged on to the next", "screens and at"])
def test_what_stands_before_every_line_changes_nothing(form: str, front: str) -> None:
    changed = in_front(BOTH[form], front)
    assert import_islink([changed]).links == import_islink([BOTH[form]]).links


def test_the_name_of_a_file_is_of_what_nothing_else_tells() -> None:
    text = f"{OF_A}q userid\nMAINT    AT VMB\n{OF_B}"
    assert str(account_of_console(text)) == "18 lines: 18 of commands and answers"
    told = import_islink({"VMA": f"q chpid 40\nPath 40 online to devices 6000\n{text}"})
    assert told.links == import_islink([text]).links


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("", CONSOLE.format(end="vary online chpid 41"), ":8:1: this may answer AT SSIMBR2 in lin"),
        ("", f"{OF_A}at vmb q chpid 50\n", ":9:4: AT vmb does not say what one system runs; exp"),
        ("", f"{OF_A}at vmb cmd\nq chpid 50\n", ":9:4: AT vmb does not say what one system runs"),
        ("", f"{OF_A}at all cmd q chpid 50\n", ":9:4: AT all does not say what one system runs"),
        ("", f"{OF_A}at vmb\ncmd q chpid 50\n", ":10:1: CMD without AT; expected AT member CMD"),
        ("", f"{OF_A}at\nvmb cmd q chpid 50\n", ":10:1: CMD without AT; expected AT member CMD"),
        ("", f"{OF_A}at vmb cmd q userid\nMAINT    AT VMC\n", ":10:1: VMC answers what AT runs on"),
        ("", f"MAINT AT VMA\n{OF_A}{LOGON}{OF_B}", ":11:1: nothing says which system answer"),
        ("", f"MAINT AT VMA\n{screen(OF_A, 'VMB')}", ":11:1: VMA answers on a screen of VMB; exp"),
        ("VMC", f"MAINT AT VMA\n{OF_A}", ":1:1: this is of VMA, and the file is said to be of VMC"),
        ("", f"{OF_A}{OF_B}", ":11:14: Link device 6000 leads to VMA 6000 here, and to"),
        ("", f"{OF_A}{OTHERS}", ": does not say which system it was pasted from; expected its na"),
        ("VMA", f"{OF_A}{OTHERS}", ": names VMA as a partner; expected the name of"),
        # what stands in front is not VMB's because VMA leads there
        ("", f"q chpid 40\nPath 40 online to devices 6000\nMAINT AT VMA\n{answers('VMB', '41')}",
         ": does not say which system it was pasted from"),
    ],
)  # fmt: skip
def test_an_answer_that_may_be_of_either_is_refused(name: str, text: str, message: str) -> None:
    read = {name: text} if name else [text]
    refused(lambda: import_islink(read), f"text{message}")


LAYOUT: Final = """\
[fibre.1]
chpid = { VMA = "40", VMB = "50" }
feature = "FICON Express8S"
[[ctc]]
fibre = "1"
rdevs = { VMA = "6000-6001", VMB = "6000-6001" }
"""


@pytest.mark.parametrize(
    "text",
    [
        "VMA: BEGIN\nACT ISLINK 6000,\n 6001\nVMA: END\nVMB: ACT ISLINK 6001\n",
        "VMB: ACT ISLINK 6001 /* AT ALL CMD x */\nVMA: ACT ISLINK 6000, /* AT VMB CMD */\n 6001\n",
        "VMB: ACT ISLINK 6000-6001\nACT ISLINK 6001 NODE VMB\n",
    ],
)
def test_a_qualifier_is_none_of_what_tells_of_a_console(text: str) -> None:
    # VMA: in front of a line counts for QUERY ISLINK, where the log names VMA as a node
    for logs in ("", OF_A + OF_B):
        (link,) = import_config([text + logs], LAYOUT).links
        assert [ctc.rdevs for ctc in link.ctcs] == [("6001", "6001")]


@pytest.mark.parametrize(
    "text",
    [
        "q userid\nMAINT AT VMA\nact islink 6000 6001\nq userid\nMAINT AT VMB\nact islink 6001\n",
        "at vma cmd act islink 6000 6001\nat vmb cmd act islink 6001\n",
    ],
)
def test_a_command_is_of_the_system_that_its_console_is_on(text: str) -> None:
    (link,) = import_config([text], LAYOUT).links
    assert [ctc.rdevs for ctc in link.ctcs] == [("6001", "6001")]
