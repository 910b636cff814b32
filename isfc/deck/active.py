"""Which CTCs ACTIVATE and DEACTIVE ISLINK leave active, and the layout of those that decks join."""

from collections.abc import Collection as AnyOf
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from ctc.address import Rdev, format_rdev
from isfc.deck.activation import Activation, Statements
from isfc.deck.pairing import Joined, Pairing
from isfc.errors import ConfigurationError
from isfc.errors.in_words import grouped
from isfc.layout.build import CtcChoice, Said, assumed_on, build_layout
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.sharing import with_ctcs
from isfc.layout.write import format_rdevs
from isfc.link.name import NodeName, Nodes

Mates = Mapping[NodeName, Mapping[Rdev, tuple[NodeName, Rdev]]]
"""By node, its devices, each with the node that it leads to and its number there."""


class Chosen(Struct):
    """By node, the devices that its statements leave active, and remarks on the others."""

    active: dict[NodeName, set[Rdev]] = {}
    remarks: list[str] = []


def choose(activations: Statements, devices: Mates) -> Chosen:
    """What the statements choose of ``devices``.

    A file that names no node tells by its qualifiers, by NODE, or by devices that only one node
    has. A device is not chosen if its mate is not, or if NODE is not where it leads; remarks say
    so. Raises `ConfigurationError` for a statement that may be either node's.
    """
    chosen = Chosen()
    for given, activation in activations:
        if given is not None and given not in devices:
            raise ConfigurationError(
                f"{given}={activation.place.file}: there is no {given} here; expected one of "
                f"{', '.join(devices)}"
            )
        for node in _nodes_of(given, activation, devices, chosen):
            _apply(activation, node, devices, chosen)
    _tell_of_the_others(activations, devices, chosen)
    chosen.remarks += _one_ended(chosen.active, devices)
    return chosen


def _nodes_of(
    given: NodeName | None, activation: Activation, devices: Mates, chosen: Chosen
) -> Sequence[NodeName]:
    """The nodes that a statement is of; a statement of none is noted."""
    if activation.systems is None:
        return [given or _node_of(activation, devices)]
    named = activation.systems.chosen(devices)
    if not named:
        chosen.remarks.append(f"{activation.place}: is of {activation.systems.text}: passed over")
    return [node for node in devices if node in named and given in (None, node)]


def _apply(activation: Activation, node: NodeName, devices: Mates, chosen: Chosen) -> None:
    """Do to the devices of ``node`` what a statement says."""
    if activation.partner is not None and activation.partner not in devices:
        chosen.remarks.append(
            f"{activation.place}: is for the link to {activation.partner}: passed over"
        )
        return
    active = chosen.active.setdefault(node, set())
    if not activation.rdevs:
        ends = devices[node]
        active -= {r for r in active if activation.partner in (None, ends[r][0])}
    elsewhere: dict[NodeName, list[Rdev]] = {}
    for rdev in activation.rdevs:
        far = devices[node][rdev][0] if rdev in devices[node] else None
        if far is not None and activation.partner not in (None, far):
            elsewhere.setdefault(far, []).append(rdev)
        elif far is None:
            chosen.remarks.append(
                f"{activation.place}: {format_rdev(rdev)} leads from {node} to no other system "
                "here: passed over"
            )
        elif activation.active:
            active.add(rdev)
        else:
            active.discard(rdev)
    chosen.remarks += [
        f"{activation.place}: {format_rdevs(rdevs)} {_leads(rdevs)} from {node} to {far}, not to "
        f"{activation.partner}: passed over"
        for far, rdevs in elsewhere.items()
    ]


def _one_ended(active: Mapping[NodeName, AnyOf[Rdev]], devices: Mates) -> Iterator[str]:
    """What to say of devices that are activated at one end alone, for each node and partner."""
    for node, chosen in active.items():
        ends = ((rdev, *devices[node][rdev]) for rdev in sorted(chosen))
        alone = grouped(
            (far, rdev) for rdev, far, mate in ends if far in active and mate not in active[far]
        )
        for far, rdevs in alone.items():
            mates = format_rdevs(devices[node][rdev][1] for rdev in rdevs)
            yield (
                f"{node}: {format_rdevs(rdevs)} {_leads(rdevs)} to {mates} at {far}, which no "
                "statement activates: left out"
            )


def _leads(rdevs: Sequence[Rdev]) -> str:
    return "leads" if len(rdevs) == 1 else "lead"


def _tell_of_the_others(activations: Statements, devices: Mates, chosen: Chosen) -> None:
    """Say which nodes keep all devices.

    Raises `ConfigurationError` if all do, for a name that is not known.
    """
    for _, each in activations:
        systems = each.systems
        if systems is not None and not systems.chosen(devices) and not chosen.active:
            raise each.place.error(
                f"{systems.text} is no system here, and no EQUATE statement of this file says "
                "which systems it stands for, so that the statements choose nothing",
                f"{' or '.join(devices)}, or the EQUATE statement",
            )
    for node in devices:
        if activations and node not in chosen.active:
            chosen.remarks.append(f"{node}: no statement is of it: it keeps all its devices")


def choose_from(
    collection: Collection, activations: Statements
) -> tuple[Collection, tuple[str, ...]]:
    """``collection`` with the devices alone that the statements leave active, and remarks.

    A link of which none is left is left out. Raises `ConfigurationError` if no link is left.
    """
    pairs = [(link.nodes, ctc.rdevs) for link in collection.links for ctc in link.ctcs]
    chosen = choose(activations, mates_of(collection.systems, pairs))
    kept = with_ctcs(collection, lambda link, ctc: are_active(chosen.active, link.nodes, ctc.rdevs))
    if not kept.links:
        nodes = ", ".join(" and ".join(link.nodes) for link in collection.links)
        raise ConfigurationError(
            f"the statements leave no CTC between {nodes}; expected at least one that both activate"
            + "".join(f"\n  {remark}" for remark in chosen.remarks)
        )
    left_out = {link.nodes for link in collection.links} - {link.nodes for link in kept.links}
    chosen.remarks += [
        f"{link.name}: the statements leave no CTC of it: left out, with its traffic"
        for link in collection.links
        if link.nodes in left_out
    ]
    return kept, tuple(chosen.remarks)


def mates_of(nodes: Iterable[NodeName], pairs: Iterable[tuple[Nodes, tuple[Rdev, Rdev]]]) -> Mates:
    """The devices of ``nodes``, from pairs of device numbers, each of a link of two nodes."""
    mates: dict[NodeName, dict[Rdev, tuple[NodeName, Rdev]]] = {node: {} for node in nodes}
    for (first, second), (here, there) in pairs:
        mates[first][here] = second, there
        mates[second][there] = first, here
    return mates


def are_active(
    active: Mapping[NodeName, AnyOf[Rdev]], nodes: Nodes, rdevs: tuple[Rdev, Rdev]
) -> bool:
    """Whether both ends of a CTC are; a system that no statement is of keeps all its devices."""
    return all(rdev in active.get(end, (rdev,)) for end, rdev in zip(nodes, rdevs, strict=True))


def _node_of(activation: Activation, devices: Mapping[NodeName, AnyOf[Rdev]]) -> NodeName:
    """The node that an unqualified statement is of, as far as it and its devices tell."""
    may = [node for node in devices if node != activation.partner]
    if len(may) > 1:
        may = [node for node in may if set(activation.rdevs) <= set(devices[node])] or may
    if len(may) != 1:
        raise activation.place.error(
            f"this may be of {' or of '.join(may)}",
            f"the node in front of the file, as in {may[0]}={activation.place.file}"
            if may
            else "another NODE",
        )
    return may[0]


def paired_devices(pairings: Iterable[Pairing]) -> Mates:
    """By node, all devices that were paired, each with where it leads."""
    found = [*pairings]
    pairs = [(pairing.nodes, ctc.rdevs) for pairing in found for ctc in pairing.ctcs]
    return mates_of((node for pairing in found for node in pairing.nodes), pairs)


def wire(pairing: Pairing, said: Said, active: Mapping[NodeName, AnyOf[Rdev]]) -> Layout:
    """The layout of what was paired, of the ``active`` devices alone where a node has some.

    Raises `ConfigurationError` for what is no logical link.
    """
    connections = [CtcChoice(ctc.chpids, ctc.rdevs) for ctc in active_ctcs(pairing, active)]
    how = "'isfc import iocp --config FILE'"
    too_many = f": choose them with the ACTIVATE ISLINK statements ({how})"
    assumed = assumed_on(system.deck.machine for system in pairing.systems)
    return build_layout(pairing.nodes, connections, said, too_many, assumed)


def active_ctcs(pairing: Pairing, active: Mapping[NodeName, AnyOf[Rdev]]) -> list[Joined]:
    """What was paired, of the ``active`` devices alone where a node has some."""
    return [ctc for ctc in pairing.ctcs if are_active(active, pairing.nodes, ctc.rdevs)]
