"""The systems that a layout describes, as the records that a node is built from."""

from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.node import CtcDefinition, NodeDefinition


def define_node(layout: Layout, name: NodeName, parameters: LinkParameters) -> NodeDefinition:
    """One end of the layout's logical link."""
    here = layout.nodes.index(name)
    return NodeDefinition(
        name,
        layout.nodes[1 - here],
        tuple(
            CtcDefinition(device, ctc.fibre.chpids[here], ctc.fibre.profile)
            for device, ctc in zip(layout.devices(name), layout.ctcs, strict=True)
        ),
        parameters,
    )
