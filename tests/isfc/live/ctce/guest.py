"""The guest of ``guest.asm``, assembled here.

What may meet an attention is chained to a SENSE: then Hercules drops the attention, for which the
guest asks, where else it would try again for up to 21 s and hear nothing meanwhile.
"""

import re
from pathlib import Path
from struct import pack, pack_into
from typing import Final

GOOD: Final = 0xE0D
AGAIN: Final = 0xACE
BAD: Final = 0xBAD
"""Where the guest's last PSW points: all was right, right after some was written again, or not."""

CODE: Final = 0x200
DATA: Final = 0xB00
BLOCKS: Final = 0x1000
"""Of a CTC each."""
BLOCK_SIZE: Final = 0x80
BUFFERS: Final = 0x10_0000
BUFFER_SIZE: Final = 0x1_0000
CTCS_MAX: Final = 8
"""Two buffers for each fill the storage."""

RX: Final = {"L": 0x58, "ST": 0x50, "A": 0x5A, "C": 0x59, "LA": 0x41, "BCT": 0x46}
RR: Final = {"LTR": 0x12, "SR": 0x1B}
SI: Final = {"TM": 0x91, "CLI": 0x95, "OI": 0x96}
S: Final = {"LPSW": 0x8200, "SPT": 0xB208, "HSCH": 0xB231, "MSCH": 0xB232}
S.update(SSCH=0xB233, STSCH=0xB234, TSCH=0xB235)
BRANCHES: Final = {"B": 15, "BZ": 8, "BE": 8, "BL": 4, "BNZ": 7, "BNE": 7}

_PSWS: Final = {"restpsw": (0x030A0000, "sweep"), "waitpsw": (0x020A0000, "sweep")}
_FIXED: Final = {"endpsw": GOOD, "acepsw": AGAIN, "badpsw": BAD}
_WORDS = "pause micros cr0 cr6 first size end one two three five last delay".split()
_WORDS += "wtarget rtarget errors patience rests silence silences again".split()
_BLOCK_WORDS = "sid op attn phase written read wbuffer rbuffer command acked owes".split()
_CCWS: Final = "c_nop c_read tail c_write tail c_scb tail c_sense".split()
_CCWS_AT: Final = 0x40
_SENSE_AT: Final = 0x30


def guest(
    writes: int,
    reads: range,
    length: int = 64,
    ctcs: int = 1,
    program: str = "guest",
    patience: int = 0,
) -> bytes:
    """A guest's storage from address 0 on.

    Over each CTC it writes so many blocks of this length, and reads those numbers; unless it has
    another ``program``. With a ``patience``, in rests of 10 ms, both guests write again what was
    lost.
    """
    lines = (Path(__file__).parent / f"{program}.asm").read_text("ascii").splitlines()
    code = [found for line in lines if (found := re.match(r"(\w*)\s+(\w+)\s+(\S+)", line))]
    labels = _data_labels()
    at = CODE
    for line in code:
        if line[1]:
            labels[line[1]] = at
        at += 2 if line[2] in RR else 4
    core = bytearray(BLOCKS + ctcs * BLOCK_SIZE)
    at = CODE
    for line in code:
        made = _assemble(line[2], line[3], labels)
        core[at : at + len(made)] = made
        at += len(made)
    assert at <= DATA, "the code runs into its data"
    words = {
        "micros": 10_000 << 12,
        "cr0": 0x4E0,
        "cr6": 0xFF000000,
        "first": BLOCKS,
        "size": BLOCK_SIZE,
        "end": len(core),
    }
    words |= {"one": 1, "two": 2, "three": 3, "five": 5, "last": length - 4}
    words |= {"delay": 2_000_000, "wtarget": writes, "rtarget": reads.stop - 1}
    words |= {"patience": patience, "silences": 50 if patience else 0x7FFFFFFF}
    for name, value in words.items():
        pack_into(">I", core, labels[name], value)
    psws = {labels[name]: (mask, labels[to]) for name, (mask, to) in _PSWS.items()}
    psws |= {labels[name]: (0x000A0000, said) for name, said in _FIXED.items()}
    psws |= {0x00: (0x00080000, labels["start"])}  # restart
    psws |= {0x68: (0x000A0000, BAD), 0x78: (0x00080000, labels["io"])}  # program check, I/O
    psws |= {0x58: (0x00080000, labels["tired"])}  # external: the CPU timer
    for at, (mask, to) in psws.items():
        pack_into(">II", core, at, mask, 0x80000000 | to)
    pack_into(">II", core, labels["orb"] + 4, 0x0080FF00, 0)  # format-1 CCWs, any path
    for ctc in range(ctcs):
        _fill(core, ctc, labels, reads.start - 1, length)
    return bytes(core)


def _data_labels() -> dict[str, int]:
    labels = {name: DATA + 4 * index for index, name in enumerate(_WORDS)}
    labels |= {name: DATA + 0x80 + 8 * index for index, name in enumerate([*_PSWS, *_FIXED])}
    labels |= {name: 4 * index for index, name in enumerate(_BLOCK_WORDS)}
    labels |= {name: _CCWS_AT + 8 * index for index, name in enumerate(_CCWS)}
    return labels | {"orb": 0xC00, "schib": 0xC40, "irb": 0xC80}


def _fill(core: bytearray, ctc: int, labels: dict[str, int], read: int, length: int) -> None:
    """The data of one CTC."""
    at = BLOCKS + ctc * BLOCK_SIZE
    buffers = [BUFFERS + (2 * ctc + index) * BUFFER_SIZE for index in (0, 1)]
    words = {"sid": 0x10000 + ctc, "read": read, "wbuffer": buffers[0], "rbuffer": buffers[1]}
    for name, value in words.items():
        pack_into(">I", core, at + labels[name], value)
    chained, alone = 0x60, 0x20  # both with SLI
    ccws = {
        "c_nop": (0x03, alone, 1, buffers[0]),
        "c_read": (0x02, chained, length, buffers[1]),
        "c_write": (0x01, chained, length, buffers[0]),
        "c_sense": (0x04, alone, 2, at + _SENSE_AT),
        "c_scb": (0x14, chained, 1, at + labels["command"]),
    }
    for name, ccw in ccws.items():
        pack_into(">BBHI", core, at + labels[name], *ccw)
        if ccw[1] == chained:
            pack_into(">BBHI", core, at + labels[name] + 8, *ccws["c_sense"])


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
    return pack(">BBH", RX[operation], register, _address(parts[1], labels))


def _address(text: str, labels: dict[str, int]) -> int:
    """``label``, ``label+5``, ``7`` or ``label(10)``: base and displacement."""
    found = re.fullmatch(r"(\w+)(?:\+(\d+))?(?:\((\d+)\))?", text)
    assert found is not None, text
    place = labels[found[1]] if found[1] in labels else int(found[1])
    return int(found[3] or 0) << 12 | (place + int(found[2] or 0))
