"""Which partitions of decks CTCs join, and how they are cabled if their mates are known."""

from collections.abc import Iterable, Iterator, Sequence

from ctc.address import Rdev
from isfc.deck.deck import CuPath, DeckSystem, Device
from isfc.deck.pairing import partner_images
from isfc.link.name import NodeName

Mates = tuple[NodeName | None, Rdev, NodeName, Rdev]
"""A system, None if it is not told, and its device; the system and the device at the other end."""


def meeting(systems: Sequence[DeckSystem]) -> list[DeckSystem]:
    """The systems between which CTCs lead both ways: the CUADD of each names the other."""
    return [
        one
        for one in systems
        if any(_leads(one, each) and _leads(each, one) for each in systems if each is not one)
    ]


def _leads(one: DeckSystem, other: DeckSystem) -> bool:
    images = partner_images(other)
    return any(device.control_unit.cuadd in images for device, _ in _devices(one))


def _devices(system: DeckSystem) -> Iterator[tuple[Device, CuPath]]:
    """Its CTC devices on a channel that it may use."""
    for device in system.ctcs:
        for path in device.control_unit.paths[system.css][:1]:
            if not system.refused(path.channel):
                yield device, path


def ports_of(systems: Sequence[DeckSystem], mates: Iterable[Mates]) -> list[str]:
    """The ports and cables by which devices lead to their mates, as ``--ports`` takes them.

    The address in a control unit is the port of the far channel, and so each end tells the other's.
    """
    paths = {
        (system.node, device.rdev): path for system in systems for device, path in _devices(system)
    }
    found = dict[str, None]()
    for owner, rdev, far, mate in mates:
        nears = [each.node for each in systems if each.node != far and owner in (None, each.node)]
        nears = [node for node in nears if (node, rdev) in paths]
        if len(nears) != 1 or (far, mate) not in paths:
            continue
        (near,), there = nears, paths[far, mate]
        here = paths[near, rdev]
        if there.link and here.link:
            found[f"{near}:{here.channel}={there.link}"] = None
            found[f"{far}:{there.channel}={here.link}"] = None
        elif not (there.link or here.link):
            one, other = sorted((f"{near}:{here.channel}", f"{far}:{there.channel}"))
            found[f"{one}={other}"] = None
    return [*found]
