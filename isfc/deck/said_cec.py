"""Which systems are partitions of one CEC, as people say it: a console does not.

A chpid of one number at two systems of a CEC is taken for one channel, as it is in one channel
subsystem.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ctc.address import ChpidId, format_chpid
from isfc.errors import ConfigurationError
from isfc.layout.collection import Cec, ChannelEnd, Collection
from isfc.layout.in_words import find_node, first_listed, listed
from isfc.layout.sharing import in_use, maybe_one


def with_cecs(collection: Collection, said: Iterable[str]) -> Collection:
    """The collection with the CECs of ``EAST=VMA1,VMA2``, and with the channels that they share.

    Raises `ConfigurationError` for a system that there is not, or that is in two.
    """
    cecs: list[Cec] = []
    for text in said:
        name, equals, systems = text.partition("=")
        if not name.strip() or not equals or name in (cec.name for cec in cecs):
            raise ConfigurationError(
                f"--cec {text[:40]!r}: expected a name and its systems, each name once, such as "
                "EAST=VMA1,VMA2"
            )
        nodes = [
            find_node(f"--cec {name}", each.strip(), collection.systems)
            for each in systems.split(",")
        ]
        if len({*nodes, *(node for cec in cecs for node in cec.systems)}) < len(nodes) + sum(
            len(cec.systems) for cec in cecs
        ):
            raise ConfigurationError(f"--cec {text[:40]!r}: expected each system in one CEC, once")
        cecs.append(Cec(name.strip(), tuple(nodes)))
    shared = tuple(channel for cec in cecs for channel in _shared(collection, cec))
    return in_use(replace(collection, cecs=tuple(cecs), shared_channels=shared))


def _shared(collection: Collection, cec: Cec) -> Iterator[tuple[ChannelEnd, ...]]:
    users: dict[ChpidId, dict[ChannelEnd, None]] = {}
    for link, fibre, _ in collection.fibres():
        for node, chpid in zip(link.nodes, fibre.chpids, strict=True):
            if node in cec.systems:
                users.setdefault(chpid, {})[ChannelEnd(node, chpid)] = None
    yield from (tuple(ends) for ends in users.values() if len(ends) > 1)


def one_channel_remarks(collection: Collection) -> Iterator[str]:
    """What is taken for one channel, and what may be one and nobody has said."""
    for cec in collection.cecs:
        chpids = [
            format_chpid(channel[0].chpid)
            for channel in collection.shared_channels
            if channel[0].node in cec.systems
        ]
        if chpids:
            yield (
                f"chpids {listed(chpids)} of {cec.name} are taken for one channel each at its "
                "systems; if these are in two channel subsystems, change [[shared_channel]]"
            )
    asked = [" and ".join(nodes) for nodes in maybe_one(collection)]
    if asked:
        first, _, second = asked[0].partition(" and ")
        yield (
            f"chpids of {first_listed(asked, 3)} have one number, and may be one channel of a "
            f"CEC: every figure takes them for two until --cec NAME={first},{second} says that "
            f"the systems are of one CEC, or --cec NAME={first} --cec OTHER={second} of two"
        )
