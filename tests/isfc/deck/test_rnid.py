"""The ports of chpids are those of a director's table of nodes, or the table is refused."""

import re
from typing import Final

import pytest
from hypothesis import given

from isfc.deck.deck import find_system
from isfc.deck.rnid import is_rnid_table, rnid_ports
from isfc.errors import ConfigurationError
from tests.decks import shipped
from tests.isfc.foreign import RNID
from tests.properties.mutations import LEFT, mutated
from tests.properties.test_marked_rows import marked

EAST: Final = find_system("EAST", [shipped("one-cec.iocp")])
PORTS: Final = ["EAST:20=03A0", "EAST:21=03A1", "EAST:22=03A2", "EAST:23=03A3"]
LINES: Final = RNID.split("\n")


def read(text: str, cpc: str = "2C3A7") -> list[str]:
    return rnid_ports(text, "table", EAST, cpc)[0]


def test_ports_are_those_of_the_chpids_of_the_cpc_that_is_meant() -> None:
    assert is_rnid_table(RNID)
    ports, account = rnid_ports(RNID, "table", EAST, "2c3a7")
    assert ports == PORTS
    assert account.startswith("table: 14 lines: 8 rows, 1 heading, 2 rules, 2 of other reports, 1")
    assert account.endswith(f"EAST is of CPC 00000002C3A7: {', '.join(PORTS)}")
    alone = "\n".join(line for line in LINES if "0000000169CA" not in line)
    assert read(alone, "") == PORTS


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("", "", "table:1:1: the table has CPCs 0000000169CA, 00000002C3A7, and 2 may be that of"),
        ("03a100 ", "O3a100 ", "table:5:1: "),
        (" 8021", " 80Z1", "table:5:1: "),
        (" 8021", " 8020", "of a port, a chpid or another node that is above"),
        ("03a100 ", "03a000 ", "of a port, a chpid or another node that is above"),
        (" 802", " 402", "CPC 00000002C3A7 has no chpid of a CTC of EAST in CSS 0"),
        ("c2:c3:a7 0x10", "c2:c3:a7 0x01", "table:4:1: "),
        ("003931", "03a100", "table:4:1: "),
        ("Tag\n  0x18 N 03a000 50:05", "Tag  0x18 N 03a000 5O:05", "table:3:1: "),
        ("Tag\n", "Tag", "table:3:1: "),
        ("director", f"{{ {LINES[3]}", "table:1:1: "),
        ("AW80 8020\n", "AW80 8020", "table:12:1: "),
        (" 0x10 ", " 0x30 ", "the table has CPCs nowhere, and 0 may be that of EAST"),
    ],
)
def test_what_does_not_tell_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        read(RNID.replace(old, new), "2C3A7" if old else "")


def test_a_marked_or_lost_row_is_read_or_named() -> None:
    rows = [number for number, line in enumerate(LINES) if line.startswith("  0x18")]
    changes = [(number, [each]) for number in rows for each in marked(LINES[number])]
    assert len(changes) > 1000
    for number, put in changes:
        try:
            found = read("\n".join([*LINES[:number], *put, *LINES[number + 1 :]]))
        except ConfigurationError as error:
            found = PORTS if re.match(r"table:([2-9]|\d\d):", str(error)) else []
        assert found == PORTS, put
    for number in rows:
        left = read("\n".join([*LINES[:number], *LINES[number + 1 :]]))
        assert {*left} <= {*PORTS}
        assert len(left) >= len(PORTS) - 1


@given(mutated(RNID))
def test_a_mutated_table_is_never_read_as_another(changed: tuple[str, str]) -> None:
    try:
        found = read(changed[0])
    except ConfigurationError:
        return
    assert {*found} <= {*PORTS}, changed
    assert {*found} == {*PORTS} or not LEFT.issuperset(changed[1].split("+")), changed
