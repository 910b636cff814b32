"""The heart both engines share."""

from ctc.address import ChpidId, Rdev
from ctc.frame import Departure, Signal, StatusFrame
from ctc.profiles import find_profile
from isfc.engine.pump import pump
from isfc.link.events import LinkEvent, LinkUp
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.schedule import LinkDevice
from isfc.system.node import CtcDefinition, Node, NodeDefinition

RDEV = Rdev(0x6000)
CTC = CtcDefinition(LinkDevice(RDEV, RDEV), ChpidId(0x40), find_profile("FICON Express2"))


class Drained:
    """All that a pump has drained."""

    def __init__(self) -> None:
        self.carried: list[Departure] = []
        self.events: list[LinkEvent] = []

    def pump(self, node: Node) -> int | None:
        return pump(node, self.carried.append, self.events.append)


def new_node() -> Node:
    return Node(NodeDefinition(NodeName("ATLANTA"), NodeName("BOSTON"), (CTC,)))


def test_quiet_node_has_nothing_to_drain() -> None:
    drained = Drained()
    assert drained.pump(new_node()) is None
    assert (drained.carried, drained.events) == ([], [])


def test_everything_is_drained_and_nothing_twice() -> None:
    node, drained = new_node(), Drained()
    node.connect(RDEV, 5)
    node.receive_frame(RDEV, StatusFrame(Signal.READY, 0), 7)
    assert drained.pump(node) is None
    assert [(now_ns, rdev) for now_ns, rdev, _ in drained.carried] == [(5, RDEV), (7, RDEV)]
    assert isinstance(drained.events[-1], LinkUp)
    count = len(drained.events)
    drained.pump(node)
    assert (len(drained.carried), len(drained.events)) == (2, count)


def test_answer_is_the_nodes_next_deadline() -> None:
    node, drained = new_node(), Drained()
    node.connect(RDEV, 0)
    node.receive_frame(RDEV, StatusFrame(Signal.READY, 0), 0)
    node.send([Message(0, 100)], 0)
    deadline_ns = drained.pump(node)
    assert deadline_ns is not None
    assert deadline_ns == node.next_deadline()
