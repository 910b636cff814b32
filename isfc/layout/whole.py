"""What a collection is held to, read from a file or built by a program: one that a file can say.

`made_whole` gives its links as reading its file would, or raises the error of a file.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.in_words import check_between
from isfc.layout.checked_toml import check_table_name, show_key, within
from isfc.layout.document import FREE_GIB_MAX, OVERCOMMIT_MAX, PAIRS_MAX
from isfc.layout.layout import CHANNEL_SEPARATOR, Fibre, Layout
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX

if TYPE_CHECKING:
    from isfc.layout.collection import Cec, Channel, ChannelEnd, Collection

SYSTEMS_MAX: Final = 32
"""Systems of a collection. Chosen: a mesh of so many, 496 links, is what runs are tried with. How
many an SSI cluster may have, `isfc check` says (`isfc.layout.rules.clusters`)."""


def made_whole(links: Sequence[Layout]) -> tuple[Layout, ...]:
    """Links by the names of their systems, each in the order of its devices, fibres by one name.

    Raises `ConfigurationError` for what no file may say of them.
    """
    if not links:
        raise ConfigurationError("links: none; expected one or more")
    joined: set[tuple[NodeName, NodeName]] = set()
    owners: dict[tuple[NodeName, Rdev], Layout] = {}
    for link in links:
        first, second = link.nodes
        if first == second or second.precedes(first):
            raise ConfigurationError(
                f"nodes {first}, {second}: expected two, the lesser name first"
            )
        if link.nodes in joined:
            raise ConfigurationError(
                f"{first} and {second} are joined already; expected one link between them"
            )
        joined.add(link.nodes)
        _check_ctcs(link)
        for ctc in link.ctcs:
            for node, rdev in zip(link.nodes, ctc.rdevs, strict=True):
                if owners.setdefault((node, rdev), link) is not link:
                    raise ConfigurationError(
                        f"{format_rdev(rdev)} at {node} is already in {owners[node, rdev].name}; "
                        "expected it once"
                    )
    check_systems({node for link in links for node in link.nodes})
    ordered = sorted(links, key=lambda link: [node.collation for node in link.nodes])
    return tuple(with_own_names([link.in_order() for link in ordered]))


def check_systems(systems: set[NodeName]) -> None:
    """Raise `ConfigurationError` for more than a collection may have."""
    if len(systems) > SYSTEMS_MAX:
        raise ConfigurationError(
            f"[[link]] nodes: {len(systems)} systems; expected at most {SYSTEMS_MAX}"
        )


def _check_ctcs(link: Layout) -> None:
    used = {ctc.fibre for ctc in link.ctcs}
    for fibre in link.fibres:
        if fibre not in used:
            raise ConfigurationError(
                f"[fibre.{show_key(fibre.name)}]: carries no CTC; expected a [[ctc]] that names it"
            )
    if not 1 <= len(link.ctcs) <= CTCS_MAX:
        raise ConfigurationError(
            f"{link.name}: {len(link.ctcs)} CTCs; expected 1 to {CTCS_MAX} in a logical link"
        )
    for end, node in enumerate(link.nodes):
        rdevs = Counter(ctc.rdevs[end] for ctc in link.ctcs)
        rdev, times = rdevs.most_common(1)[0]
        if times > 1:
            raise ConfigurationError(
                f"{format_rdev(rdev)} at {node} is twice in {link.name}; expected it once"
            )
    if strange := used - {*link.fibres}:
        name = min(fibre.name for fibre in strange)
        raise ConfigurationError(
            f"{link.name}: a CTC is on fibre {name!r}, none of fibres; expected one of them"
        )
    pairs: dict[tuple[ChpidId, ChpidId], Fibre] = {}
    for fibre in link.fibres:
        other = pairs.setdefault(fibre.chpids, fibre)
        if other is not fibre:
            raise ConfigurationError(
                f"[fibre.{show_key(fibre.name)}] chpid: joins the chpids of "
                f"[fibre.{show_key(other.name)}]; expected the CTCs of both on one fibre"
            )


def with_own_names(links: Sequence[Layout]) -> Iterator[Layout]:
    """The links with names of fibres that are unique in a file."""
    names = [fibre.name for link in links for fibre in link.fibres]
    if len(set(names)) == len(names):
        yield from links
        return
    unique = map(str, count(1))
    for link in links:
        yield link.with_fibres(lambda fibre: replace(fibre, name=next(unique)))


def with_channels(collection: "Collection") -> tuple[Layout, ...]:
    """Its links, the fibres that share anything with the names of their channels."""
    ends = Counter(channel for *_, channels in collection.fibres() for channel in channels)

    def named(fibre: Fibre, nodes: tuple[NodeName, NodeName]) -> Fibre:
        channels = collection.channels_of(fibre, nodes)
        if fibre.isl is None and all(ends[channel] == 1 for channel in channels):
            return replace(fibre, channels=()) if fibre.channels else fibre
        return replace(
            fibre, channels=tuple(CHANNEL_SEPARATOR.join(map(str, each)) for each in channels)
        )

    return tuple(link.with_fibres(partial(named, nodes=link.nodes)) for link in collection.links)


def check_shared(collection: "Collection") -> None:
    """Raise `ConfigurationError` for channels, ports and other links that no file may have."""
    _check_profiles(collection)
    _check_ports(collection)
    _check_others(collection)


def _check_profiles(collection: "Collection") -> None:
    """A channel has one feature and one speed, wherever the file names it."""
    seen: dict[Channel, Fibre] = {}
    for link, fibre, channels in collection.fibres():
        for node, chpid, channel in zip(link.nodes, fibre.chpids, channels, strict=True):
            other = seen.setdefault(channel, fibre)
            if other.profile != fibre.profile:
                raise ConfigurationError(
                    f"[fibre.{show_key(fibre.name)}] chpid: {format_chpid(chpid)} at "
                    f"{node} is already in [fibre.{show_key(other.name)}]; expected the same "
                    "feature and link_gbps in both"
                )


def _check_others(collection: "Collection") -> None:
    """Other links are none of the collection's, and have as many channels as systems."""
    known = {frozenset(link.nodes) for link in collection.links}
    for number, other in enumerate(collection.others, start=1):
        place = f"[[other_link]] #{number}"
        if not 1 <= len({*other.nodes}) == len(other.nodes) <= 2:
            raise ConfigurationError(
                f"{place} nodes: expected two systems, or the one whose other end is not known"
            )
        if frozenset(other.nodes) in known:
            raise ConfigurationError(
                f"{place} nodes: {' and '.join(other.nodes)} have a link in this file; expected "
                "those of another"
            )
        if not other.ctcs or any(len(each.channels) != len(other.nodes) for each in other.ctcs):
            raise ConfigurationError(f"{place} ctcs: expected a channel for each of nodes")


def _check_ports(collection: "Collection") -> None:
    """A channel has one port of one director, and a port one channel."""
    channels: dict[tuple[str, str], Channel] = {}
    ports: dict[Channel, tuple[str, str]] = {}
    for _, fibre, ends in collection.fibres():
        if not fibre.ports:
            continue
        for at, channel in enumerate(ends):
            plug = fibre.directors[at], fibre.ports[at]
            place = f"[fibre.{show_key(fibre.name)}] port: "
            other = channels.setdefault(plug, channel)
            if other != channel:
                raise ConfigurationError(
                    f"{place}{plug[1]} of director {plug[0]} is that of {other[0]}; "
                    f"expected another for {channel[0]}"
                )
            first = ports.setdefault(channel, plug)
            if first != plug:
                raise ConfigurationError(
                    f"{place}{channel[0]} is at port {first[1]} of director {first[0]}; "
                    "expected one port for a channel"
                )


def check_machines(collection: "Collection") -> None:
    """Raise `ConfigurationError` for what no file may say of the machines of its links."""
    systems = collection.systems
    _check_cecs(collection.cecs, systems)
    _check_shared_channels(collection, systems)
    _check_memory(collection, systems)
    for number, traffic in enumerate(collection.traffic, start=1):
        for key, name in (("from", traffic.client), ("to", traffic.server)):
            with within(f"[[traffic]] #{number} {key}"):
                check_system(name, systems)
        with within(f"[[traffic]] #{number} to"):
            find_link(collection, traffic.client, traffic.server)
        check_between(f"[[traffic]] #{number} pairs", traffic.pairs, 1, PAIRS_MAX)


def find_link(collection: "Collection", one: NodeName, other: NodeName) -> Layout:
    """The link between two systems. Raises `ConfigurationError` if there is none."""
    for link in collection.links:
        if {one, other} == set(link.nodes):
            return link
    names = ", ".join(link.name for link in collection.links)
    raise ConfigurationError(
        f"no link joins {one} and {other}, and isfc forwards nothing by way of a third system; "
        f"expected the ends of {names}"
    )


def check_system(system: NodeName, systems: tuple[NodeName, ...]) -> None:
    """Raise `ConfigurationError` for one that no link joins."""
    if system not in systems:
        raise ConfigurationError(f"{system} has no link; expected one of {', '.join(systems)}")


def _check_cecs(cecs: "Iterable[Cec]", systems: tuple[NodeName, ...]) -> None:
    """Each system is in one machine at most."""
    folded: dict[str, str] = {}
    homes: dict[NodeName, str] = {}
    for cec in cecs:
        place = f"[cec.{show_key(cec.name)}]"
        check_table_name(place, cec.name, "a CEC")
        if cec.name.upper() in folded:
            raise ConfigurationError(
                f"{place}: differs from [cec.{show_key(folded[cec.name.upper()])}] in case alone; "
                "expected another name"
            )
        folded[cec.name.upper()] = cec.name
        with within(f"{place} systems"):
            if not cec.systems:
                raise ConfigurationError("names no system; expected one at least")
            for member in cec.systems:
                check_system(member, systems)
                if member in homes:
                    raise ConfigurationError(
                        f"{member} is already in [cec.{show_key(homes[member])}]; "
                        "expected it in one CEC, and once"
                    )
                homes[member] = cec.name


def _check_memory(collection: "Collection", systems: tuple[NodeName, ...]) -> None:
    """Of all systems, or of none."""
    found: set[NodeName] = set()
    for each in collection.memory:
        with within(f"[memory.{show_key(each.system)}]"):
            check_system(each.system, systems)
            if each.system in found:
                raise ConfigurationError(f"{each.system} has one already; expected one")
            check_between("free_gib", each.free_gib, 0, FREE_GIB_MAX)
            if not 0 < each.overcommit <= OVERCOMMIT_MAX:
                raise ConfigurationError(
                    f"overcommit {each.overcommit:g}: expected more than 0, at most "
                    f"{OVERCOMMIT_MAX:g}"
                )
        found.add(each.system)
    if found and (missing := [system for system in systems if system not in found]):
        raise ConfigurationError(
            f"[memory.NAME]: there is none of {', '.join(missing)}; expected one of each system, "
            "or none at all"
        )


def _check_shared_channels(collection: "Collection", systems: tuple[NodeName, ...]) -> None:
    """Each is of several systems of one machine, and of chpids that CTCs use."""
    owners: dict[ChannelEnd, int] = {}
    known = {*collection.chpid_ends}
    for number, channel in enumerate(collection.shared_channels, start=1):
        with within(f"[[shared_channel]] #{number} chpid"):
            if len(channel) < 2:
                raise ConfigurationError("names one system or none; expected two or more")
            for end in channel:
                check_system(end.node, systems)
                if end not in known:
                    raise ConfigurationError(
                        f"{format_chpid(end.chpid)} at {end.node} is on no [fibre.NAME]; "
                        "expected a chpid that CTCs use"
                    )
                if end in owners:
                    raise ConfigurationError(
                        f"{format_chpid(end.chpid)} at {end.node} is already in "
                        f"[[shared_channel]] #{owners[end]}; expected it in one"
                    )
                owners[end] = number
            homes = {end.node: collection.cec_of(end.node) for end in channel}
            if collection.cecs and (len({*homes.values()}) > 1 or None in homes.values()):
                told = ", ".join(
                    f"{node} is in {f'[cec.{show_key(home.name)}]' if home else 'no [cec.NAME]'}"
                    for node, home in homes.items()
                )
                raise ConfigurationError(f"{told}; expected systems of one CEC")
