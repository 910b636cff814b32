"""A node is run once for each state and input, and then looked up."""

from ctc.address import Rdev
from isfc.system.system import System
from isfc.testing.pair import Setup
from tools.simulation.canonical import canonical
from tools.simulation.states import Nodes, digest


def test_same_input_in_the_same_state_leads_to_the_same() -> None:
    nodes = Nodes()
    begin = nodes.add(0, System([Setup(ctc_count=1).definition(0)]), 0)
    assert nodes.add(0, System([Setup(ctc_count=1).definition(0)]), 77) == begin
    assert not nodes.soon[begin]
    assert not nodes.late[begin]
    connected = nodes.feed(0, begin, ("connect", 0))
    assert nodes.feed(0, begin, ("connect", 0)) is connected
    assert [(index, repr(nodes.frames[n])) for index, n in connected.frames] == [
        (0, "StatusFrame(READY #0)")
    ]
    assert len(nodes) == 2
    assert nodes.feed(0, connected.state, ("disconnect", 0)).state == begin


def test_digest_is_the_same_for_equal_forms_of_different_objects() -> None:
    name = "6000"
    shared, apart = (name, name), (name, "".join(["60", "00"]))
    assert digest(shared) == digest(apart) != digest((name, "6001"))
    assert digest(canonical(Rdev(0x6000), 0)) == digest(0x6000)
