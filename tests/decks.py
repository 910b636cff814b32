"""Small decks, made from what a test is about."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from isfc.deck.cabling import Cabling, parse_ports
from isfc.deck.deck import Deck, choose_systems
from isfc.deck.iocp import parse_deck
from isfc.deck.pairing import Pairing, pair

DECKS: Final = Path(__file__).parent / "data" / "decks"
"""Decks as sites have them."""

LOGS: Final = Path(__file__).parent / "data" / "logs"
"""What consoles have shown, as it was pasted."""


def shipped(name: str) -> Deck:
    """One of `DECKS`."""
    return parse_deck((DECKS / name).read_text("utf-8"), name)


def unit(
    cu: str,
    chpid: str,
    link: str | None,
    cuadd: int,
    *,
    rdev: str = "",
    count: int = 4,
    first: int = 0,
    more: str = "",
) -> str:
    """A control unit, and an IODEVICE statement for its devices; ``more`` is for the latter."""
    linked = f",LINK={link}" if link else ""
    return (
        f" CNTLUNIT CUNUMBR={cu},PATH={chpid}{linked},CUADD={cuadd:X},UNIT=FCTC,\n"
        f"               UNITADD=(({first:02X},{count}))\n"
        f" IODEVICE ADDRESS=({rdev or cu},{count}),CUNUMBR={cu},UNITADD={first:02X},\n"
        f"               UNIT=FCTC{more}\n"
    )


def deck(file: str, partitions: str, chpids: Iterable[str], *units: str) -> Deck:
    """A deck: ``LP1,LP2`` have MIF image ids 1 and 2, ``50,SWITCH=1`` says more of a chpid."""
    named = ",".join(f"({name},{n})" for n, name in enumerate(partitions.split(","), start=1))
    channels = "".join(
        f" CHPID PATH={chpid.partition(',')[0]},TYPE=FC,SHARED{''.join(chpid.partition(',')[1:])}\n"
        for chpid in chpids
    )
    return parse_deck(f" RESOURCE PARTITION=({named})\n{channels}{''.join(units)}", file)


def drawn(text: str) -> Deck:
    """A deck as `deck` makes it, of ``a LP1 50 51 | 4010 50 D1 1 | 4110 51 - 1 first=8``.

    Behind its name, partitions and chpids come its control units as `unit` takes them, ``-`` for no
    link.
    """
    head, *units = (part.split() for part in text.split("|"))
    made = []
    for cu, chpid, link, cuadd, *more in units:
        said = dict(each.split("=", 1) for each in more)
        count, first = int(said.pop("count", 4)), int(said.pop("first", 0))
        rdev = said.pop("rdev", "")
        rest = "".join(f",{key}={value}" for key, value in said.items())
        linked = None if link == "-" else link
        made.append(
            unit(cu, chpid, linked, int(cuadd), rdev=rdev, count=count, first=first, more=rest)
        )
    return deck(head[0], head[1], head[2:], *made)


def mesh_decks(
    *cecs: Sequence[str], chpids: Sequence[str] = ("50", "51"), ctcs: int = 4
) -> tuple[list[str], list[str]]:
    """A deck for each CEC whose partitions all have CTCs to all others, and ports as `--ports` has.

    All partitions of a CEC share its chpids, which are on one director, and number the devices that
    lead to one partition alike. A CTC is between chpids of one number.
    """
    at = {(c, n): f"61{0x10 * c + n:02X}" for c in range(len(cecs)) for n in range(len(chpids))}
    far = [(c, mif) for c, names in enumerate(cecs) for mif in range(1, len(names) + 1)]
    texts = []
    for cec, names in enumerate(cecs):
        lines = [
            f" RESOURCE PARTITION=({','.join(f'({name},{m})' for m, name in enumerate(names, 1))})",
            *(f" CHPID PATH={chpid},SHARED,SWITCH=61,TYPE=FC" for chpid in chpids),
        ]
        for number, (other, mif) in enumerate(far):
            own = f",NOTPART={names[mif - 1]}" if other == cec else ""
            for n, chpid in enumerate(chpids):
                cu = f"{0x4000 + 0x100 * number + 0x10 * n:04X}"
                lines.append(unit(cu, chpid, at[other, n], mif, count=ctcs, more=own).rstrip())
        texts.append("\n".join(lines) + "\n")
    ports = [
        f"{names[0]}:{chpids[n]}={at[c, n]}"
        for c, names in enumerate(cecs)
        for n in range(len(chpids))
    ]
    return texts, ports


def paired(partitions: str, *decks: Deck, ports: str = "") -> Pairing:
    """The pairing of the two partitions that are named."""
    first, second = choose_systems(partitions, decks)
    cabling = parse_ports([ports], (first, second)) if ports else Cabling()
    return pair(first, second, cabling)


def mates(pairing: Pairing) -> list[tuple[str, str]]:
    """The device numbers that were paired, in hex digits."""
    return [(f"{a.rdev:04X}", f"{b.rdev:04X}") for a, b in (ctc.devices for ctc in pairing.ctcs)]


def reasons(pairing: Pairing) -> dict[str, str]:
    """By node and device number, why a device was not paired."""
    return {f"{each.node} {each.device.rdev:04X}": each.reason.value for each in pairing.unpaired}
