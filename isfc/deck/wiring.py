"""From pairs of devices to a layout, and what a reader of it should know."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ctc.address import Rdev
from isfc.deck.pairing import Pairing
from isfc.layout.build import Connection, Names, Profiles, build_layout
from isfc.layout.layout import Layout
from isfc.link.name import NodeName


@dataclass(frozen=True, slots=True)
class Wired:
    """A layout, and remarks on what was inferred or does not show in it."""

    layout: Layout
    remarks: tuple[str, ...]


def wire(
    pairing: Pairing,
    profile: Profiles,
    active: Mapping[NodeName, Collection[Rdev]],
    name: Names = lambda _: None,
) -> Wired:
    """The layout of what was paired, of the ``active`` devices alone where a node has some.

    Raises `ConfigurationError` for what is no logical link.
    """
    first, second = (system.node for system in pairing.systems)
    connections = [
        Connection(
            (ctc.channels[0].chpid, ctc.channels[1].chpid),
            (ctc.devices[0].rdev, ctc.devices[1].rdev),
        )
        for ctc in pairing.ctcs
        if ctc.devices[0].rdev in active.get(first, (ctc.devices[0].rdev,))
        and ctc.devices[1].rdev in active.get(second, (ctc.devices[1].rdev,))
    ]
    inferred = ",".join(f"{key}={value}" for key, value in sorted(pairing.inferred.items()))
    remarks = [f"inferred, since nothing else fits: --ports {inferred}"] if inferred else []
    pairs = {frozenset(map(id, ctc.channels)): ctc.channels for ctc in pairing.ctcs}
    ways = {tuple(map(id, ctc.channels)) for ctc in pairing.ctcs}
    for key, (one, other) in pairs.items():
        if len(key) == 2 and {(id(one), id(other)), (id(other), id(one))} <= ways:
            remarks.append(
                f"chpids {one} and {other} carry two fibres of the layout, one for each "
                "direction of use; the model gives each fibre channels of its own"
            )
    return Wired(build_layout((first, second), connections, profile, name), tuple(remarks))


def paired_devices(pairings: Iterable[Pairing]) -> dict[NodeName, set[Rdev]]:
    """By node, all devices that were paired."""
    devices: dict[NodeName, set[Rdev]] = {}
    for pairing in pairings:
        for end, system in enumerate(pairing.systems):
            devices.setdefault(system.node, set()).update(
                ctc.devices[end].rdev for ctc in pairing.ctcs
            )
    return devices
