"""The systems that a layout describes, as the records that a node is built from."""

from collections.abc import Iterable
from dataclasses import replace

from ctc.fabric import Fabric
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout, on_machines
from isfc.layout.machines import Estimate, on_machine, speed_of
from isfc.layout.processors import Processors
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.link_end import CtcDefinition, LinkEndDefinition


def define_link_end(
    layout: Layout, name: NodeName, parameters: LinkParameters
) -> LinkEndDefinition:
    """One end of the layout's logical link."""
    here = layout.nodes.index(name)
    parameters = on_machine(parameters, layout.machines[here])
    return LinkEndDefinition(
        name,
        layout.nodes[1 - here],
        tuple(
            CtcDefinition(
                device,
                ctc.fibre.chpids[here],
                ctc.fibre.line_profile,
                ctc.fibre.disks[here].across(ctc.fibre.disks[1 - here]),
                ctc.fibre.way_ns,
                ctc.fibre.route(here),
            )
            for device, ctc in zip(layout.devices(name), layout.ctcs, strict=True)
        ),
        parameters if layout.site is None else layout.site.of_link(parameters),
    )


def define_system(
    collection: Collection, name: NodeName, parameters: LinkParameters
) -> tuple[LinkEndDefinition, ...]:
    """All link ends of one system, in the order of the collection's links."""
    return tuple(define_link_end(link, name, parameters) for link in collection.links_of(name))


def make_fabric(links: Iterable[Layout]) -> Fabric | None:
    """What the systems of some links have in common in virtual time; None if nothing is shared."""
    shares = any(fibre.channels for link in links for fibre in link.fibres)
    return Fabric() if shares else None


def on_slower_machines(collection: Collection) -> Collection:
    """Both ends of each link on the slower of its machines, as is assumed of relocations.

    A link that was fitted is as it was fitted.
    """
    z10 = Processors("z10 EC")

    def slowed(link: Layout) -> Layout:
        slower = min(link.machines, key=lambda on: speed_of(on or z10, Estimate.MID))
        return link if link.site else on_machines(link, dict.fromkeys(link.nodes, slower))

    links = tuple(map(slowed, collection.links))
    return collection if links == collection.links else replace(collection, links=links)
