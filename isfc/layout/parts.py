"""The parts of a collection, and what each is held to: what a file can say, whoever builds it.

`made_whole` gives links as reading their file would, or raises the error of a file.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import count
from typing import Final

from msgspec import Struct, structs

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.in_words import check_between
from isfc.layout.checked_toml import check_table_name, show_key, within
from isfc.layout.document import FREE_GIB_MAX, OVERCOMMIT_MAX
from isfc.layout.layout import Fibre, Layout, machines_of, on_machines
from isfc.layout.processors import Processors
from isfc.link.name import NodeName, Nodes
from isfc.link.scan import CTCS_MAX

SYSTEMS_MAX: Final = 32
"""Systems of a collection. Chosen: a mesh of so many, 496 links, is what runs are tried with. How
many an SSI cluster may have, `isfc check` says (`isfc.layout.rules.clusters`)."""


class ChannelEnd(Struct, frozen=True):
    """A chpid as one system knows it."""

    node: NodeName
    chpid: ChpidId

    def __str__(self) -> str:
        return f"{self.node} {format_chpid(self.chpid)}"


Channel = tuple[ChannelEnd, ...]
"""One channel of a machine: its chpid at each system that has it. Most are of one system."""


class Cec(Struct, frozen=True):
    """A machine, and the systems that are its partitions; ``machine`` is what they run on."""

    name: str
    systems: tuple[NodeName, ...]
    machine: Processors | None = None


class Memory(Struct, frozen=True):
    """What a system has room for: memory that is free for guests that come, and overcommit.

    ``overcommit`` is GiB of guests for each GiB of it.
    """

    system: NodeName
    free_gib: float
    overcommit: float = 1.0

    @property
    def room(self) -> int:
        """Bytes of guests."""
        return int(self.free_gib * self.overcommit * 2**30)


class KeptDeck(Struct, frozen=True):
    """An IOCP deck that systems were read from: ``cards`` is its text, as it was.

    ``partitions`` are the systems, each with its partition: a name, or its CSS and MIF image id as
    in ``0.1``. ``ports`` are the ports that its channels are known to be on, as ``--ports`` takes
    them.
    """

    name: str
    partitions: Mapping[NodeName, str]
    ports: tuple[str, ...]
    cards: str

    def of(self, systems: Iterable[NodeName]) -> "KeptDeck | None":
        """What it is to some systems; None if it is of none of them."""
        members = frozenset(systems)
        partitions = {node: name for node, name in self.partitions.items() if node in members}
        ports = tuple(each for each in self.ports if each.partition(":")[0] in members)
        return structs.replace(self, partitions=partitions, ports=ports) if partitions else None


class OtherCtcs(Struct, frozen=True):
    """So many CTCs between two channels, each called by a chpid of a system that has it."""

    channels: tuple[ChannelEnd, ...]
    count: int


class OtherLink(Struct, frozen=True):
    """A link that decks tell of and the layout does not have, as far as it is on its channels.

    ``nodes`` are its two systems, with two channels for each of ``ctcs``; or the one whose other
    end no deck tells, with one.
    """

    nodes: tuple[NodeName, ...]
    ctcs: tuple[OtherCtcs, ...]


class LinkTraffic(Struct, frozen=True):
    """What a file lets run over a link: ``pairs`` of guests, the clients on ``client``.

    ``workload`` is a name that `scenarios.runs.workload` knows.
    """

    client: NodeName
    server: NodeName
    workload: str
    pairs: int

    def __str__(self) -> str:
        return f"{self.client}-{self.server}:{self.workload}:{self.pairs}"


UsedFibre = tuple[Layout, Fibre, tuple[Channel, ...]]
"""A fibre, with its link and the channels at its two ends."""


def made_whole(links: Sequence[Layout]) -> tuple[Layout, ...]:
    """Links by the names of their systems, each in the order of its devices, fibres by one name.

    Raises `ConfigurationError` for what no file may say of them.
    """
    if not links:
        raise ConfigurationError("links: none; expected one or more")
    joined: set[Nodes] = set()
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
    if (systems := len({node for link in links for node in link.nodes})) > SYSTEMS_MAX:
        raise ConfigurationError(
            f"[[link]] nodes: {systems} systems; expected at most {SYSTEMS_MAX}, with which "
            "all is tried: runs take more time and memory with the square of their number"
        )
    ordered = sorted(links, key=lambda link: [node.collation for node in link.nodes])
    return tuple(with_own_names([link.in_order() for link in ordered]))


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


def with_machines(links: Sequence[Layout], cecs: Iterable[Cec]) -> tuple[Layout, ...]:
    """The links with what their systems run on: their own, or that of their machine.

    Raises `ConfigurationError` for a system whose links say two.
    """
    own = machines_of(links)
    for node, said in (each for link in links for each in machines_of([link]).items()):
        if said != own[node]:
            raise ConfigurationError(f"machine: {node} has two in its links; expected one")
    homes = {node: cec.machine for cec in cecs for node in cec.systems if cec.machine}
    return tuple(on_machines(link, homes | own) for link in links)


def with_own_names(links: Sequence[Layout]) -> Iterator[Layout]:
    """The links with names of fibres that are unique in a file."""
    names = [fibre.name for link in links for fibre in link.fibres]
    if len(set(names)) == len(names):
        yield from links
        return
    unique = map(str, count(1))
    for link in links:
        yield link.with_fibres(lambda fibre: structs.replace(fibre, name=next(unique)))


def check_profiles(fibres: Iterable[UsedFibre]) -> None:
    """A channel has one feature and one speed, wherever the file names it."""
    seen: dict[Channel, Fibre] = {}
    for link, fibre, channels in fibres:
        for node, chpid, channel in zip(link.nodes, fibre.chpids, channels, strict=True):
            other = seen.setdefault(channel, fibre)
            if other.profile != fibre.profile:
                raise ConfigurationError(
                    f"[fibre.{show_key(fibre.name)}] chpid: {format_chpid(chpid)} at "
                    f"{node} is already in [fibre.{show_key(other.name)}]; expected the same "
                    "feature and link_gbps in both"
                )


def check_others(others: Sequence[OtherLink], links: Sequence[Layout]) -> None:
    """Other links are none of the collection's, and have as many channels as systems."""
    known = {frozenset(link.nodes) for link in links}
    for number, other in enumerate(others, start=1):
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


def check_ports(fibres: Iterable[UsedFibre]) -> None:
    """A channel has one port of one director, and a port one channel."""
    channels: dict[tuple[str, str], Channel] = {}
    ports: dict[Channel, tuple[str, str]] = {}
    for _, fibre, ends in fibres:
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


def check_system(system: NodeName, systems: tuple[NodeName, ...]) -> None:
    """Raise `ConfigurationError` for one that no link joins."""
    if system not in systems:
        raise ConfigurationError(f"{system} has no link; expected one of {', '.join(systems)}")


def check_cecs(cecs: Iterable[Cec], systems: tuple[NodeName, ...]) -> None:
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


def check_memory(memory: Sequence[Memory], systems: tuple[NodeName, ...]) -> None:
    """Of all systems, or of none."""
    found: set[NodeName] = set()
    for each in memory:
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


def check_shared_channels(
    channels: Sequence[Channel],
    used: Set[ChannelEnd],
    homes: Mapping[NodeName, Cec],
    systems: tuple[NodeName, ...],
) -> None:
    """Each is of several systems of one machine, their ``homes``, and of chpids that CTCs use."""
    owners: dict[ChannelEnd, int] = {}
    for number, channel in enumerate(channels, start=1):
        with within(f"[[shared_channel]] #{number} chpid"):
            if len(channel) < 2:
                raise ConfigurationError("names one system or none; expected two or more")
            for end in channel:
                check_system(end.node, systems)
                if end not in used:
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
            of_ends = {end.node: homes.get(end.node) for end in channel}
            if homes and (len({*of_ends.values()}) > 1 or None in of_ends.values()):
                told = ", ".join(
                    f"{node} is in {f'[cec.{show_key(home.name)}]' if home else 'no [cec.NAME]'}"
                    for node, home in of_ends.items()
                )
                raise ConfigurationError(f"{told}; expected systems of one CEC")
