"""What else runs on the channels of a link that was measured: loads of other links beside it."""

from dataclasses import replace

from msgspec import Struct, structs

from ctc.address import ChpidId
from ctc.channel import NOTHING, ChannelUse
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout, with_site
from isfc.link.name import NodeName
from scenarios.runs.workload import LinkLoad


class BesideLink(Struct, frozen=True):
    """The other links that are run with one, and what runs over each.

    ``uses`` are shares of channels that none of them takes, by a system and its chpid.
    """

    links: Collection
    loads: tuple[LinkLoad, ...] = ()
    uses: tuple[tuple[NodeName, ChpidId, ChannelUse], ...] = ()

    def with_link(self, layout: Layout) -> Collection:
        """The link, with these uses of its channels, and those with a load."""
        uses = {(node, chpid): use for node, chpid, use in self.uses}

        def used(fibre: Fibre) -> Fibre:
            ends = zip(fibre.disks, layout.nodes, fibre.chpids, strict=True)
            here, there = (
                _both(disks, uses.get((node, chpid), NOTHING)) for disks, node, chpid in ends
            )
            return structs.replace(fibre, disks=(here, there))

        link = layout.with_fibres(used) if uses else layout
        ends = [{load.client, load.server} for load in self.loads]
        others = (other for other in self.links.links if {*other.nodes} in ends)
        return Collection.of(link, *(alongside(link, other) for other in others))


def _both(one: ChannelUse, other: ChannelUse) -> ChannelUse:
    """What two that take shares of one channel take of it."""
    sums = (getattr(one, name) + getattr(other, name) for name in ChannelUse.__struct_fields__)
    return ChannelUse(*sums).bounded()


def alongside(link: Layout, other: Layout) -> Layout:
    """Another link as it is where ``link`` is so: channels of both are the same, and the site."""
    known: dict[str, tuple[Fibre, int]] = {}
    for fibre in link.fibres:
        for end, channel in enumerate(fibre.channels):
            known[channel] = fibre, end

    def shared(fibre: Fibre) -> Fibre:
        disks = list(fibre.disks)
        for end, channel in enumerate(fibre.channels):
            if channel in known:
                same, its_end = known[channel]
                disks[end] = same.disks[its_end]
                fibre = structs.replace(fibre, profile=same.profile)
        return structs.replace(fibre, disks=(disks[0], disks[1]))

    site = None if link.site is None else replace(link.site, layout="")  # of this link alone
    return with_site(other, site).with_fibres(shared)
