"""The guest of ``guest.asm``, assembled here, and what it has counted.

What may meet an attention is chained to a SENSE: then Hercules drops the attention, for which the
guest asks, where else it would try again for up to 21 s and hear nothing meanwhile.
"""

import re
from pathlib import Path
from struct import pack, pack_into
from typing import Final

GOOD: Final = 0xE0D
BAD: Final = 0xBAD
"""Where the guest's last PSW points."""

CODE: Final = 0x200
COUNTS: Final = 0xE00
IRB: Final = 0xF00
STATUSES: Final = 0x2000
BUFFERS: Final = (0x10000, 0x20000)
LENGTH: Final = 0x4000

RX: Final = {"L": 0x58, "ST": 0x50, "A": 0x5A, "C": 0x59, "LA": 0x41, "IC": 0x43, "BCT": 0x46}
RR: Final = {"LTR": 0x12, "SR": 0x1B}
SI: Final = {"TM": 0x91, "CLI": 0x95, "OI": 0x96}
S: Final = {"LPSW": 0x8200, "MSCH": 0xB232, "SSCH": 0xB233, "STSCH": 0xB234, "TSCH": 0xB235}
BRANCHES: Final = {"B": 15, "BZ": 8, "BE": 8, "BL": 4, "BNZ": 7, "BNE": 7}

_PSW: Final = {"restpsw": (0x02080000, "rest"), "maskpsw": (0x00080000, "ask")}
_WAITS: Final = {"waitpsw": (0x020A0000, "main")}


WORDS: Final = "phase attn op written read collided checks errors busy wtarget rtarget".split()
"""The guest's words from `COUNTS` on."""


def guest(writes: int, reads: range, length: int = 64) -> bytes:
    """A guest's storage from address 0 on: it writes so many blocks, and reads those numbers."""
    lines = (Path(__file__).parent / "guest.asm").read_text("ascii").splitlines()
    code = [found for line in lines if (found := re.match(r"(\w*)\s+(\w+)\s+(\S+)", line))]
    labels = _data_labels()
    at = CODE
    for line in code:
        if line[1]:
            labels[line[1]] = at
        at += 2 if line[2] in RR else 4
    core = bytearray(LENGTH)
    at = CODE
    for line in code:
        made = _assemble(line[2], line[3], labels)
        core[at : at + len(made)] = made
        at += len(made)
    assert at <= labels["cr6"], "the code runs into its data"
    _fill(core, labels, length)
    pack_into(">II", core, labels["wtarget"], writes, reads.stop - 1)
    pack_into(">I", core, labels["read"], reads.start - 1)
    return bytes(core)


def _data_labels() -> dict[str, int]:
    words = "cr6 sid one two three five wbuffer rbuffer last statuses pause delay".split()
    labels = {name: 0xB00 + 4 * index for index, name in enumerate(words)}
    doubles = "restpsw maskpsw waitpsw endpsw badpsw "
    doubles += "c_nop c_read tail c_write tail c_scb tail c_sense"
    labels |= {name: 0xB80 + 8 * index for index, name in enumerate(doubles.split())}
    labels |= {name: COUNTS + 4 * index for index, name in enumerate(WORDS)}
    return labels | {"orb": 0xC00, "schib": 0xC40, "irb": IRB, "command": 0xDF8}


def _fill(core: bytearray, labels: dict[str, int], length: int) -> None:
    words = {"cr6": 0xFF000000, "sid": 0x10000, "one": 1, "two": 2, "three": 3, "five": 5}
    words |= {"wbuffer": BUFFERS[0], "rbuffer": BUFFERS[1], "last": length - 4}
    words |= {"statuses": STATUSES, "pause": 200_000, "delay": 2_000_000}
    for name, value in words.items():
        pack_into(">I", core, labels[name], value)
    for name, (mask, to) in (_PSW | _WAITS).items():
        pack_into(">II", core, labels[name], mask, 0x80000000 | labels[to])
    for name, said in (("endpsw", GOOD), ("badpsw", BAD)):
        pack_into(">II", core, labels[name], 0x000A0000, 0x80000000 | said)
    pack_into(">II", core, 0x00, 0x00080000, 0x80000000 | labels["start"])  # restart
    pack_into(">II", core, 0x68, 0x000A0000, 0x80000BAD)  # program check
    pack_into(">II", core, 0x78, 0x00080000, 0x80000000 | labels["io"])
    pack_into(">III", core, labels["orb"], 0, 0x0080FF00, 0)  # format-1 CCWs, any path
    chained, alone = 0x60, 0x20  # both with SLI
    ccws = {
        "c_nop": (0x03, alone, 1, BUFFERS[0]),
        "c_read": (0x02, chained, length, BUFFERS[1]),
        "c_write": (0x01, chained, length, BUFFERS[0]),
        "c_sense": (0x04, alone, 2, 0xDF0),
        "c_scb": (0x14, chained, 1, labels["command"]),
    }
    for name, ccw in ccws.items():
        pack_into(">BBHI", core, labels[name], *ccw)
        if ccw[1] == chained:
            pack_into(">BBHI", core, labels[name] + 8, *ccws["c_sense"])


def _assemble(operation: str, operands: str, labels: dict[str, int]) -> bytes:
    """One instruction: of RX, RR, RS, SI and S only what the guest has."""
    parts = re.sub(r"X'(\w+)'", lambda hexed: str(int(hexed[1], 16)), operands).split(",")
    if operation in BRANCHES:
        return pack(">BBH", 0x47, BRANCHES[operation] << 4, _address(parts[0], labels))
    if operation in S:
        return pack(">HH", S[operation], _address(parts[0], labels))
    if operation in SI:
        return pack(">BBH", SI[operation], int(parts[1]), _address(parts[0], labels))
    register = int(parts[0]) << 4
    if operation in RR:
        return bytes([RR[operation], register | int(parts[1])])
    if operation == "LCTL":
        return pack(">BBH", 0xB7, register | int(parts[1]), _address(parts[2], labels))
    if operation == "SLL":
        return pack(">BBH", 0x89, register, int(parts[1]))
    return pack(">BBH", RX[operation], register, _address(parts[1], labels))


def _address(text: str, labels: dict[str, int]) -> int:
    """``label``, ``label+5``, ``7`` or ``0(5)``: base and displacement."""
    found = re.fullmatch(r"(\w+)(?:\+(\d+))?(?:\((\d+)\))?", text)
    assert found is not None, text
    place = labels[found[1]] if found[1] in labels else int(found[1])
    return int(found[3] or 0) << 12 | (place + int(found[2] or 0))
