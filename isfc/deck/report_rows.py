"""The deck that rows of IOCP's reports tell: partitions, channels, control units and devices."""

from collections.abc import Iterator
from typing import Any

from ctc.address import ChpidId, Rdev, format_chpid
from isfc.deck.deck import Access, Channel, ControlUnit, CuPath, Deck, Device, Partition
from isfc.deck.place import Place
from isfc.errors.in_words import grouped

Said = dict[tuple[Any, ...], tuple[Any, Place]]
"""What rows say, by what it is about, and where it is said first."""


def _of(said: Said, kind: str) -> Iterator[tuple[tuple[Any, ...], Any, Place]]:
    """All that was said of one kind: about what, the value and the place."""
    for key, (value, place) in said.items():
        if key[0] == kind:
            yield key[1:], value, place


def deck_of(file: str, said: Said, rdevs: list[Rdev]) -> Deck:
    """The deck with the CTCs ``rdevs``; raise `ConfigurationError` where rows contradict it."""
    deck = Deck(file)
    names = _names(said)
    for (css, mif), (name, place) in names.items():
        known = deck.partitions.setdefault(name, Partition(name, css, mif, place))
        if known.image != (css << 4 | mif):
            raise place.error(
                f"partition {name} is already in line {known.place.line}", "each partition once"
            )
    _add_channels(deck, said, names)
    _add_units(deck, said)
    images: dict[Rdev, dict[int | None, frozenset[str]]] = {}
    for (css, rdev), mask, _ in _of(said, "images"):
        images.setdefault(rdev, {})[css] = frozenset(names[css, mif][0] for mif in mask)
    for rdev in rdevs:
        (address, cu), place = said["device", rdev]
        unit = deck.control_units[cu]
        if not unit.recognizes(address):
            raise place.error(
                f"{rdev:04X} has unit address {address:02X}, which control unit {cu:04X} lacks",
                "one of its range: was a line lost?",
            )
        access = Access(images.get(rdev, {}), {}, place)
        deck.add([Device(rdev, address, unit, access, place)], Place(file, 1))
    return deck


def _names(said: Said) -> dict[tuple[int, int], tuple[str, Place]]:
    """The partitions by CSS and MIF image id; one whose name is not said has these for a name."""
    names = {
        (css, mif): (name, place)
        for (css, mif), name, place in _of(said, "partition")
        if name != "*"
    }
    listed = {css for (css, _), _, _ in _of(said, "partition")}
    for kind in ("access", "images"):
        for (css, _), mask, place in _of(said, kind):
            for mif in sorted(mask):
                if css in listed and ("partition", css, mif) not in said:
                    raise place.error(
                        f"image {mif:X} of CSS {css} is in no PARTITION report",
                        "its row: was a line lost?",
                    )
                names.setdefault((css, mif), (f"{css}.{mif:X}", place))
    return names


def _add_channels(deck: Deck, said: Said, names: dict[tuple[int, int], tuple[str, Place]]) -> None:
    """Add the channels that FCTCs are on, or that a CHPID SUMMARY has."""
    pchids, switches, masks = (
        {(css, chpid): value for (css, chpid), value, _ in _of(said, kind)}
        for kind in ("pchid", "switch", "access")
    )
    summed = {css for css, _ in masks}
    users = _users(said)
    used: dict[tuple[int, ChpidId], Place] = {}
    for (css, _), (chpid, _, _), place in _of(said, "path"):
        used.setdefault((css, chpid), place)
        if css in summed and (css, chpid) not in masks:
            raise place.error(
                f"chpid {format_chpid(chpid)} is not in the CHPID SUMMARY of CSS {css}",
                "its row: was a line lost?",
            )
    channels: dict[tuple[ChpidId, str], Channel] = {}
    for css, chpid in dict.fromkeys([*masks, *used]):
        pchid = pchids.get((css, chpid), "")
        place = used.get((css, chpid)) or said["access", css, chpid][1]
        csss = tuple(
            c
            for c in range(6)
            if (c, chpid) in {*masks, *used} and pchids.get((c, chpid), "") == pchid
        )
        if not pchid and len(csss) > 1:
            raise place.error(
                f"chpid {format_chpid(chpid)} is in CSS {' and '.join(map(str, csss))}",
                "the CHPID SUMMARY or CHANNEL PATH report too, which say whether it is one channel",
            )
        kind, access = said.get(("channel", chpid, pchid), (("", ""), place))[0]
        allowed: dict[int | None, frozenset[str]] = {
            c: frozenset(names[c, mif][0] for mif in masks[c, chpid])
            for c in csss
            if (c, chpid) in masks
        }
        shared = access == "SHARED" if access else len(users.get((css, chpid), ())) > 1
        deck.channels[css, chpid] = channels.setdefault(
            (chpid, pchid),
            Channel(
                chpid=chpid,
                kind=kind,
                csss=csss,
                switch=switches[css, chpid],
                shared=shared or len(csss) > 1,
                access=Access(allowed, {}, place),
                place=place,
            ),
        )


def _users(said: Said) -> dict[tuple[int, ChpidId], frozenset[int]]:
    """The MIF image ids that have a device on each channel."""
    chpids = {(css, cu): value[0] for (css, cu), value, _ in _of(said, "path")}
    found: dict[tuple[int, ChpidId], frozenset[int]] = {}
    for (css, rdev), mask, _ in _of(said, "images"):
        on = css, chpids[css, said["device", rdev][0][1]]
        found[on] = found.get(on, frozenset()) | mask
    return found


def _add_units(deck: Deck, said: Said) -> None:
    """Add the control units with their paths, and the unit addresses that they recognize."""
    known = grouped((cu, address) for (cu, address), _, _ in _of(said, "recognizes"))
    of_devices = grouped((cu, address) for _, (address, cu), _ in _of(said, "device"))
    for (css, cu), (chpid, link, cuadd), place in _of(said, "path"):
        addresses = known.get(cu) or of_devices.get(cu, [])
        unit = deck.control_units.setdefault(
            cu, ControlUnit(cu, {}, cuadd, tuple((each, 1) for each in addresses), place)
        )
        if unit.cuadd != cuadd:
            raise place.error(
                f"control unit {cu:04X} has CUADD {cuadd:X} here, and {unit.cuadd:X} in line "
                f"{unit.place.line}",
                "one of them",
            )
        unit.paths[css] = (CuPath(deck.channels[css, chpid], link),)
