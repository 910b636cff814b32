"""What a collection says beside its links, held to them: machines, channels, memory, traffic.

Read from a file or built by a program: one that a file can say, or the error of that file.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ctc.address import format_chpid
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import check_table_name, show_key, within
from isfc.layout.document import FREE_GIB_MAX, OVERCOMMIT_MAX, PAIRS_MAX
from isfc.layout.in_words import check_between
from isfc.layout.layout import Layout
from isfc.link.name import NodeName

if TYPE_CHECKING:
    from isfc.layout.collection import Cec, Channel, ChannelEnd, Collection


def check_machines(collection: "Collection") -> None:
    """Raise `ConfigurationError` for what no file may say of the machines of its links."""
    systems = collection.systems
    _check_cecs(collection.cecs, systems)
    _check_shared_channels(collection, systems)
    _check_memory(collection, systems)
    for number, traffic in enumerate(collection.traffic, start=1):
        for key, name in (("from", traffic.client), ("to", traffic.server)):
            with within(f"[[traffic]] #{number} {key}"):
                _check_system(name, systems)
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


def _check_system(system: NodeName, systems: tuple[NodeName, ...]) -> None:
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
                _check_system(member, systems)
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
            _check_system(each.system, systems)
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
                _check_system(end.node, systems)
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
            _check_one_machine(channel, collection)


def _check_one_machine(channel: "Channel", collection: "Collection") -> None:
    """A channel is a part of one machine."""
    homes = {end.node: collection.cec_of(end.node) for end in channel}
    if collection.cecs and (len({*homes.values()}) > 1 or None in homes.values()):
        told = ", ".join(
            f"{node} is in {'no [cec.NAME]' if home is None else f'[cec.{show_key(home.name)}]'}"
            for node, home in homes.items()
        )
        raise ConfigurationError(f"{told}; expected systems of one CEC")
