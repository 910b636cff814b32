"""The director ports of chpids, from the table of nodes that a Brocade director keeps.

``ficonshow rnid table`` has a row for each port with a node. Its 13 columns, a tag's two bytes (the
CSSs as a mask, then the chpid) and flags of nodes are as the open reader brcddb takes them
(`util/parse_cli.py`, `util/iocp.py`); the flags agree with z/VM's NEDBK. No table of Cisco's
directors with tags was found.
"""

import re
from typing import Final

from isfc.deck.deck import DeckSystem
from isfc.deck.place import Place, shown
from isfc.layout.layers import plain
from isfc.layout.pasted import Kind, is_rule

_HEADING: Final = "SEQUENCE#"
_WWN: Final = "(?:[0-9A-F]{2}:){7}[0-9A-F]{2}"
_BEGIN: Final = (
    rf"(?:0X)?[0-9A-F]+ \w+ (?P<pid>[0-9A-F]{{6}}) {_WWN} (?P<node>{_WWN}) "
    "0X(?P<flags>[0-9A-F]0) "
)
_PORT: Final = re.compile(f"{_WWN} {_WWN}")
_NODE: Final = re.compile(_BEGIN + r"\S+(?: \S+){,6}", re.ASCII)
_CPC: Final = re.compile(
    _BEGIN + r"0X[0-9A-F]{6} \d{6} \w+ \w+ \w+ "
    r"(?P<id>(?P<sequence>[0-9A-F]{12}) (?:0X)?(?P<css>[0-9A-F]{2})(?P<chpid>[0-9A-F]{2}))",
    re.ASCII,
)
_CURRENT_CPC: Final = 0x10
"""Flags of a channel whose node is valid and current."""


def is_rnid_table(text: str) -> bool:
    """Whether a text has the heading of such a table."""
    return _HEADING in text.upper()


def rnid_ports(text: str, file: str, system: DeckSystem, cpc: str) -> tuple[list[str], str]:
    """The ports of a system's CTC chpids, as ``--ports`` takes them, and the account of the lines.

    ``cpc`` is the end of the sequence number of the system's CPC; empty where the table has only
    one. Raises `ConfigurationError` for what cannot be read, and if nothing is left.
    """
    rows: list[re.Match[str]] = []
    below = False

    def take(raw: str, number: int) -> Kind:
        nonlocal below
        line = " ".join(raw.upper().split())
        node, row = _NODE.fullmatch(line), _CPC.fullmatch(line)
        if line in ("{", "}") or is_rule(line):
            below = below and line != "}"
            return Kind.RULE
        if _HEADING in line and not re.search(r"\d", line):
            below = True
            return Kind.HEADING
        if not below and not _PORT.search(line) and _HEADING not in line:
            return Kind.TEXT
        if node and below and int(node["flags"], 16) != _CURRENT_CPC:
            return Kind.OTHER
        if row and below and not any(_contradicts(row, each) for each in rows):
            rows.append(row)
            return Kind.ROW
        raise Place(file, number).error(
            f"{shown(line)} is no row, or of a port, a chpid or another node that is above",
            f"13 cells as they were printed, below a heading with {_HEADING}",
        )

    account = plain(text).read(take)
    cpcs = sorted({row["sequence"] for row in rows})
    found = [each for each in cpcs if each.endswith(cpc.upper())]
    if len(found) != 1:
        like = (found or cpcs or ["12345"])[0].lstrip("0")
        raise Place(file, 1).error(
            f"the table has CPCs {', '.join(cpcs) or 'nowhere'}, and {len(found)} may be that of "
            f"{system.node}",
            f"the end of its sequence number, as {system.node}=FILE:{like}",
        )
    css, own = system.css, {f"{path.channel}" for path in system.paths}
    ports = [
        f"{system.node}:{row['chpid']}={row['pid'][:4]}"
        for row in rows
        if row["sequence"] == found[0] and row["chpid"] in own and int(row["css"], 16) & 0x80 >> css
    ]
    if not ports:
        raise Place(file, 1).error(
            f"CPC {found[0]} has no chpid of a CTC of {system.node} in CSS {css}",
            "the table of a director that they are on",
        )
    return ports, f"{file}: {account}; {system.node} is of CPC {found[0]}: {', '.join(ports)}"


def _contradicts(one: re.Match[str], other: re.Match[str]) -> bool:
    """Whether two rows are of one port or chpid, or of one node that has two CPCs."""
    twice = one["pid"] == other["pid"] or one["id"] == other["id"]
    return twice or (one["node"] == other["node"] and one["sequence"] != other["sequence"])
