"""What a logical link knows of one of its CTCs."""

import pytest

from ctc.address import Rdev
from ctc.agenda import NEVER_NS
from ctc.subchannel import Command
from isfc.link.link_ctc import UNUSABLE, LinkCtc
from isfc.link.package import Package
from isfc.link.schedule import LinkDevice
from isfc.link.state import CHANGES, DeviceState, StateChange


def test_ctc_begins_down_and_with_nothing_under_way() -> None:
    ctc = LinkCtc(LinkDevice(Rdev(0x6000), Rdev(0x7000)))
    assert ctc.rdev == 0x6000
    assert ctc.state is DeviceState.DOWN
    assert ctc.state in UNUSABLE
    assert (ctc.outstanding.held, ctc.due_ns, ctc.outstanding.turn) == (None, NEVER_NS, False)
    assert (ctc.outstanding.following, ctc.queued, ctc.buffered) == (None, False, False)
    assert (ctc.outstanding.written, ctc.starting) == (None, False)


def test_what_is_forgotten_is_what_was_under_way() -> None:
    ctc = LinkCtc(LinkDevice(Rdev(0x6000), Rdev(0x7000)))
    ctc.outstanding.held, ctc.due_ns, ctc.outstanding.turn = Package(0, [], 0), 5, True
    ctc.outstanding.written = Package(1, [], 0)
    ctc.outstanding.following = Command.READ
    ctc.state, ctc.queued = DeviceState.ATTENTION, True
    ctc.forget()
    assert [ctc.outstanding.held, ctc.due_ns, ctc.outstanding.turn, ctc.outstanding.written] == [
        None,
        NEVER_NS,
        False,
        None,
    ]
    assert [ctc.outstanding.following] == [None]
    # it still waits with the lock, and the state is the link's to set
    assert [ctc.state, ctc.queued] == [DeviceState.ATTENTION, True]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.cause)
def test_change_that_the_table_does_not_have_raises_and_leaves_the_state(
    change: StateChange,
) -> None:
    ctc = LinkCtc(LinkDevice(Rdev(0x6000), Rdev(0x7000)))
    for state in DeviceState:
        ctc.state = state
        if state in change.before:
            ctc.transition(change)
            assert ctc.state is change.after
        else:
            with pytest.raises(AssertionError, match=f"cannot happen to a CTC in {state.name}$"):
                ctc.transition(change)
            assert ctc.state is state


def test_package_that_is_still_to_be_handed_over_is_not_forgotten() -> None:
    ctc = LinkCtc(LinkDevice(Rdev(0x6000), Rdev(0x7000)))
    ctc.buffered = True
    ctc.forget()
    assert ctc.buffered
