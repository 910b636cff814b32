"""The links that console logs show: what one system's console says is held against the other's."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from ctc.address import ChpidId, CtcError, Rdev, format_chpid, format_rdev, parse_chpid, parse_rdevs
from isfc.deck.console import FCTC, ConsoleLog, LinkedDevice, down_remark
from isfc.deck.place import shown
from isfc.errors import ConfigurationError
from isfc.errors.in_words import runs
from isfc.layout.build import CtcChoice
from isfc.layout.write import format_rdevs
from isfc.link.name import NodeName, Nodes

_SAID: Final = "isfc import islink --chpids"
"""How chpids are said that no console shows; other commands read consoles, too."""

_EACH: Final = 4
"""CTCs on a chpid of an example: as many as `isfc new` makes."""

Chpids = Mapping[NodeName, Mapping[Rdev, ChpidId]]


class ConsoleLink(Struct):
    """One link: its connections, in the order of ``nodes``, and what a reader should know."""

    nodes: Nodes
    connections: list[CtcChoice] = []
    remarks: list[str] = []


def name_logs(logs: Sequence[tuple[str, ConsoleLog]]) -> dict[NodeName, ConsoleLog]:
    """The logs by the node they were pasted from; each comes with its name, or with none.

    Of two, each names the other's node. Raises `ConfigurationError` where that does not tell.
    """
    named: dict[NodeName, ConsoleLog] = {}
    for index, (name, log) in enumerate(logs):
        if name:
            node = NodeName(name.upper())
        else:
            others = [other for n, (_, other) in enumerate(logs) if n != index]
            told = others[0].partners if len(others) == 1 else frozenset()
            if len(told) != 1 or not log.partners:
                raise ConfigurationError(
                    f"{log.file}: does not say which system it was pasted from; "
                    f"expected its name, as in NODE={log.file}, or, where several answer in it, "
                    "QUERY USERID in front of what each answers"
                )
            (node,) = told
        if node in named:
            raise ConfigurationError(
                f"{log.file}: is of {node}, and so is {named[node].file}; expected one log a system"
            )
        if node in log.partners:
            raise ConfigurationError(
                f"{log.file}: names {node} as a partner; expected the name of another system, or, "
                "where several answer in one file, QUERY USERID in front of what each answers"
            )
        named[node] = log
    return named


def parse_chpids(texts: Iterable[str], first: NodeName) -> dict[NodeName, dict[Rdev, ChpidId]]:
    """What ``40=6000-6003,6010,41=6020`` says of ``first``, or of NODE in ``NODE:40=6000``."""
    said: dict[NodeName, dict[Rdev, ChpidId]] = {}
    for text in texts:
        node, chpid = first, ""
        for part in text.split(","):
            place, equals, rdevs = part.strip().rpartition("=")
            try:
                if equals:
                    name, _, chpid = place.rpartition(":")
                    node = NodeName(name.upper()) if name else node
                known = parse_chpid(chpid)
                said.setdefault(node, {}).update(dict.fromkeys(parse_rdevs(rdevs), known))
            except (ConfigurationError, CtcError) as error:
                raise ConfigurationError(
                    f"--chpids {shown(part)}: {error}; expected CHPID=RDEVS, such as 40=6000-6003"
                ) from None
    return said


def find_links(logs: Mapping[NodeName, ConsoleLog], chpids: Chpids) -> list[ConsoleLink]:
    """Every link that the logs show. ``chpids`` adds to what the logs say of chpids.

    Raises `ConfigurationError` where two logs contradict each other, and where no chpid is known.
    """
    known = {
        node: dict(_single(node, log, chpids.get(node, {}), _linked(node, logs)))
        | dict(chpids.get(node, {}))
        for node, log in logs.items()
    }
    known |= {node: dict(more) for node, more in chpids.items() if node not in known}
    pairs: dict[frozenset[NodeName], Nodes] = {}
    for node, log in logs.items():
        for partner in sorted(log.partners):
            pairs.setdefault(frozenset((node, partner)), (node, partner))
    links = [_link(nodes, logs, known) for nodes in pairs.values()]
    joined = [link for link in links if link.connections]
    empty = []
    for link in links:
        if not link.connections:
            reasons = "; ".join(link.remarks)
            none = f"no CTC joins {link.nodes[0]} and {link.nodes[1]}"
            empty.append(f"{none}: {reasons}" if reasons else none)
    if not joined:
        raise ConfigurationError(f"{'; '.join(empty)}; expected at least one")
    joined[0].remarks += empty
    return joined


def _linked(node: NodeName, logs: Mapping[NodeName, ConsoleLog]) -> frozenset[Rdev]:
    """The devices of ``node`` that its own log shows in a link, or that of another system."""
    far = (each for log in logs.values() for each in log.devices.values() if each.partner == node)
    return frozenset(
        (*logs[node].devices, *(each.partner_rdev for each in far if each.partner_rdev is not None))
    )


def _single(
    node: NodeName, log: ConsoleLog, said: Mapping[Rdev, ChpidId], linked: frozenset[Rdev]
) -> Iterable[tuple[Rdev, ChpidId]]:
    """The chpid of each device that is ``linked``; two of one are refused unless it is ``said``."""
    for rdev, chpids in log.chpids.items():
        (chpid, first), *others = chpids.items()
        if rdev in said or rdev not in linked:
            continue
        if others:
            other, place = others[0]
            raise place.error(
                f"{format_rdev(rdev)} is on chpid {format_chpid(other)} here, and on "
                f"{format_chpid(chpid)} in line {first.line}",
                f"one, or '{_SAID} {node}:{format_chpid(chpid)}={format_rdev(rdev)}'",
            )
        yield rdev, chpid


def _link(nodes: Nodes, logs: Mapping[NodeName, ConsoleLog], chpids: Chpids) -> ConsoleLink:
    link = ConsoleLink(nodes)
    mates: tuple[dict[Rdev, Rdev], dict[Rdev, Rdev]] = ({}, {})
    seen: list[tuple[int, LinkedDevice]] = []
    for end, node in enumerate(nodes):
        for device in _seen(node, nodes[1 - end], logs, link):
            seen.append((end, device))
            if device.partner_rdev is None:
                continue
            pair = device.rdev, device.partner_rdev
            here, there = pair if end == 0 else pair[::-1]
            known = mates[0].setdefault(here, there), mates[1].setdefault(there, here)
            if known != (there, here):
                raise device.place.error(
                    f"{nodes[0]} {format_rdev(here)} and {nodes[1]} {format_rdev(there)} are "
                    "joined, but another line joins one of them with another device",
                    "logs of one time",
                )
    link.remarks += [
        f"left out: {nodes[end]} {format_rdev(each.rdev)}, whose remote link device is not known"
        for end, each in seen
        if each.rdev not in mates[end]
    ]
    if down := down_remark(each for end, each in seen if each.rdev in mates[end]):
        link.remarks.append(down)
    link.connections = _on_chpids(link, mates[0], chpids)
    return link


def _seen(
    node: NodeName, partner: NodeName, logs: Mapping[NodeName, ConsoleLog], link: ConsoleLink
) -> Iterable[LinkedDevice]:
    """The FICON devices to ``partner`` that the log of ``node`` shows, if there is one."""
    if node not in logs:
        return
    for device in logs[node].devices.values():
        if device.partner == partner:
            if device.kind == FCTC:
                yield device
            else:
                link.remarks.append(
                    f"left out: {node} {format_rdev(device.rdev)}, which is no {FCTC}"
                )


def _for_example(rdevs: Iterable[Rdev], taken: Collection[ChpidId]) -> str:
    """``40=6000-6003,41=6004-6007``: a few devices on each chpid, and on none that is taken."""
    free = (ChpidId(chpid) for chpid in range(0x40, 0x100) if chpid not in taken)
    found = runs(sorted(rdevs), lambda last, rdev: rdev == last + 1)
    parts = (run[at : at + _EACH] for run in found for at in range(0, len(run), _EACH))
    return ",".join(f"{format_chpid(next(free))}={format_rdevs(part)}" for part in parts)


def _on_chpids(link: ConsoleLink, mates: Mapping[Rdev, Rdev], chpids: Chpids) -> list[CtcChoice]:
    """The connections, each on its chpids; an end of which none are known has the other's."""
    ends = [chpids.get(node, {}) for node in link.nodes]
    rdevs = [list(mates), list(mates.values())]
    unknown = [[rdev for rdev in rdevs[end] if rdev not in ends[end]] for end in (0, 1)]
    for end, node in enumerate(link.nodes):
        if unknown[end] and (unknown[end] != rdevs[end] or unknown[1 - end]):
            raise ConfigurationError(
                f"{node}: the chpid of {format_rdevs(sorted(unknown[end]))} is not known; expected "
                "what QUERY CHPID or QUERY PATHS shows in its log, or each chpid with its devices, "
                f"as '{_SAID} {node}:{_for_example(unknown[end], ends[end].values())}'"
            )
        if unknown[end]:
            link.remarks.append(
                f"assumed: chpids at {node} have the numbers of those at {link.nodes[1 - end]}; "
                f"'{_SAID} {node}:40=...' says otherwise"
            )
            far = ends[1 - end]
            ends[end] = {
                rdev: far[mate] for rdev, mate in zip(rdevs[end], rdevs[1 - end], strict=True)
            }
    return [CtcChoice((ends[0][a], ends[1][b]), (a, b)) for a, b in mates.items()]
