"""Chpids that CTCs of a link's layout use, and that disks use too.

``[[io]]`` names them as it names channels. A ``[channel.NAME]`` of the same system and chpid says
more of what the disks find there, such as the way to their storage; it may not say anything else
than the fibre does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctc.address import format_chpid
from isfc.errors import ConfigurationError
from isfc.io.configuration import IoChannel
from isfc.layout.checked_toml import show_key
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre


@dataclass(frozen=True, slots=True)
class SharedChpids:
    """The ``nodes`` of a layout, and its fibres by chpid and node, both as the file writes them."""

    nodes: frozenset[str]
    fibres: Mapping[str, Mapping[str, Fibre]]


def find_shared_chpids(collection: Collection) -> SharedChpids:
    """What the links of a file say of its chpids."""
    fibres: dict[str, dict[str, Fibre]] = {}
    nodes: set[str] = set()
    for link in collection.links:
        nodes.update(link.nodes)
        for fibre in link.fibres:
            for node, chpid in zip(link.nodes, fibre.chpids, strict=True):
                fibres.setdefault(format_chpid(chpid), {})[node] = fibre
    return SharedChpids(frozenset(nodes), fibres)


def with_shared_chpids(
    shared: SharedChpids,
    tables: Sequence[Mapping[str, Any]],
    channels: Mapping[str, IoChannel],
    cards: Mapping[str, str],
) -> dict[str, IoChannel]:
    """All channels of a layout's file: its own, and the chpids that its ``[[io]]`` name besides.

    ``channels`` are those that it says something of, ``cards`` has the card of each that is on one.
    Raises `ConfigurationError` where these and the fibres say different things.
    """
    found = {name: _agreeing(shared, channel, name in cards) for name, channel in channels.items()}
    for place, name, system in _named(tables):
        owners = {
            node: fibre
            for node, fibre in shared.fibres.get(name, {}).items()
            if system in (None, node)
        }
        if name in channels or not owners:
            continue
        node = _only(f"{place} channels", name, owners)
        profile = owners[node].profile
        channel = IoChannel(name, profile.feature, profile.link_gbps, system=node)
        if found.setdefault(name, channel).system != node:
            raise ConfigurationError(
                f"{place} channels: {show_key(name)} of {found[name].system} carries disks too; "
                "expected disks of one system in a file"
            )
    return found


def _named(tables: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    """Each name in ``channels`` of each ``[[io]]``, with its place and system (None if not said).

    The tables are not checked yet.
    """
    for number, table in enumerate(tables, start=1):
        wanted = table.get("channels", ())
        for name in wanted if isinstance(wanted, list) else ():
            if isinstance(name, str):
                yield f"[[io]] #{number}", name, table.get("system")


def _only(place: str, name: str, owners: Mapping[str, Fibre]) -> str:
    """The one node whose chpid is meant."""
    if len(owners) > 1:
        raise ConfigurationError(
            f"{place}: {show_key(name)} is a chpid of {' and of '.join(owners)}; "
            "expected system, which says whose"
        )
    return next(iter(owners))


def _agreeing(shared: SharedChpids, channel: IoChannel, on_card: bool) -> IoChannel:
    """A channel that the file has a table of, which belongs to a node if it is a chpid of one."""
    place = f"[channel.{show_key(channel.chpid)}]"
    owners = shared.fibres.get(channel.chpid, {})
    if channel.system not in ("", *owners) or not owners:
        return channel
    node = channel.system or _only(place, channel.chpid, owners)
    fibre, profile = owners[node], owners[node].profile
    about = f"CTCs of [fibre.{show_key(fibre.name)}] use it at {node}"
    if channel.feature != profile.feature:
        raise ConfigurationError(
            f"{place} feature: {about}, on {profile.feature}; expected that, or a system of its own"
        )
    if channel.link_gbps not in (None, profile.link_gbps):
        raise ConfigurationError(
            f"{place} link_gbps: {about}, at {profile.link_gbps:g} Gb/s; expected no such key"
        )
    if on_card:
        raise ConfigurationError(
            f"{place} card: {about}, and no card counts what they move; expected no such key"
        )
    return replace(channel, link_gbps=profile.link_gbps, system=node)
