"""What D M=CU shows of FCTC control units gives the ports that decks lack."""

import re
from typing import Final

import pytest
from hypothesis import given

from isfc.deck.deck import find_system
from isfc.deck.hint import entry_ports
from isfc.errors import ConfigurationError
from tests.decks import shipped
from tests.properties.mutations import mutated

SYSTEM: Final = find_system("EAST", [shipped("one-cec.iocp")])
ENTRIES: Final = {"20": ("2020", "03A1", "03A0"), "21": ("2120", "03A0", "03A1")}
SHOWN: Final = "".join(
    f"""\
 D M=CU({cu})
 IEE174I 10.02.{chpid} DISPLAY M 123
 CONTROL UNIT {cu}
 CHP                     {chpid}
 DEST LINK ADDRESS       {far}
 ENTRY LINK ADDRESS      {entry}
 CHP PHYSICALLY ONLINE   Y
 PATH VALIDATED          Y
 MANAGED                 N
 MAXIMUM MANAGED CHPID(S) ALLOWED = 0
 DESTINATION CU LOGICAL ADDRESS = 02
 DEFINED DEVICES
   {cu}-{cu[:3]}3
"""
    for chpid, (cu, far, entry) in ENTRIES.items()
)
PORTS: Final = ["EAST:20=03A0", "EAST:21=03A1"]


def test_entry_link_addresses_are_ports() -> None:
    assert entry_ports(SHOWN, "shown", SYSTEM) == PORTS
    assert entry_ports(SHOWN.replace("03A", "A"), "shown", SYSTEM) == ["EAST:20=A0", "EAST:21=A1"]
    disk = SHOWN.replace("2120", "8000")
    assert entry_ports(disk, "shown", SYSTEM) == PORTS[:1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "S       03A1",
            "S       03A2",
            "2020 is on chpid 20, link 03A2, and on 20.A1",
        ),
        ("S      03A0", "S      A0", "A0 and 03A1 differ in length"),
        ("S      03A0", "S      03A", "'03A'; expected 2 or 4 hex digits"),
        ("S      03A0", "S      03A0 03A4", "2020 has not as many chpids and link addresses"),
        ("S      03A0", "S", "'ENTRY LINK ADDRESS' cannot be read; expected a value"),
        (" CONTROL UNIT 2020\n", "", "CHP is not of one CONTROL UNIT"),
        (" CONTROL UNIT 2120\n", "", "CHP is not of one CONTROL UNIT"),
    ],
)
def test_what_is_contradicted_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        entry_ports(SHOWN.replace(old, new, 1), "shown", SYSTEM)


def test_two_entries_of_one_chpid_are_refused() -> None:
    other = SHOWN.replace("2020", "2010").replace("03A0\n CHP", "03A4\n CHP")
    with pytest.raises(ConfigurationError, match="chpid 20 has entry link address 03A4 here, and"):
        entry_ports(SHOWN + other, "shown", SYSTEM)


def test_nothing_of_the_system_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="shown:1:1: there is no entry link address"):
        entry_ports("D M=CU(4010)\n", "shown", SYSTEM)


@given(mutated(SHOWN))
def test_a_mutated_answer_is_never_read_as_another(changed: tuple[str, str]) -> None:
    try:
        found = entry_ports(changed[0], "shown", SYSTEM)
    except ConfigurationError:
        return
    assert {*found} <= {*PORTS}, changed
