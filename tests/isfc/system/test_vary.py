"""A node whose devices and chpids are varied off and on."""

import pytest

from ctc.address import ChpidId, Rdev
from ctc.frame import CommandFrame
from ctc.subchannel import Command
from isfc.errors import LocalProtocolError
from isfc.link.state import DeviceState, LinkState
from isfc.system.system import Deactivate, System, VaryChpid, VaryDevice, operated_like
from isfc.testing.pair import MS, US, Pair, Setup
from isfc.testing.steps import VaryCtcChpid, VaryRdev
from tests.isfc.system.test_system import LoseOne, device_state


@pytest.mark.parametrize("here", [0, 1])
def test_device_varied_off_loses_nothing_and_comes_back(here: int) -> None:
    pair = Pair(Setup(ctc_count=2))
    side = pair.sides[here]
    for each in pair.sides:
        pair.send(each, *[100_000] * 10)
    pair.run(2 * MS)
    pair.do(VaryRdev(here, 0, online=False))
    pair.run(MS)
    assert not side.system.channels.is_online(side.rdevs[0])
    for each in pair.sides:
        assert device_state(each, 0) is DeviceState.DOWN
    pair.expect_all_arrived()
    pair.do(VaryRdev(here, 0, online=True))
    pair.run(MS)
    pair.expect_state(LinkState.UP)


def test_chpid_varied_off_takes_its_devices_along_and_no_others() -> None:
    pair = Pair(Setup(ctc_count=4, fibre_count=2))
    for each in pair.sides:
        pair.send(each, *[100_000] * 10)
    pair.run(2 * MS)
    pair.do(VaryCtcChpid(0, 1, online=False))
    pair.run(MS)
    for each in pair.sides:
        states = [device_state(each, index) is DeviceState.DOWN for index in range(4)]
        assert states == [False, True, False, True]
    pair.expect_all_arrived()
    pair.do(VaryRdev(0, 1, online=False))
    pair.do(VaryCtcChpid(0, 1, online=True))
    pair.run(MS)
    assert device_state(pair.first, 1) is DeviceState.DOWN
    assert device_state(pair.first, 3) is DeviceState.IDLE


def test_device_varied_off_stays_so_when_plugged_or_activated() -> None:
    pair = Pair(Setup(ctc_count=2))
    pair.do(VaryRdev(0, 0, online=False))
    pair.unplug(0)
    pair.deactivate(pair.first, 0)
    pair.activate(pair.first, 0)
    pair.plug(0)
    pair.run(MS)
    assert device_state(pair.first, 0) is DeviceState.DOWN
    pair.do(VaryRdev(0, 0, online=True))
    pair.run(MS)
    pair.expect_state(LinkState.UP)


def test_varying_twice_is_like_varying_once() -> None:
    pair = Pair(Setup(ctc_count=2))
    for online in (False, False, True, True):
        pair.do(VaryRdev(0, 0, online=online))
        pair.do(VaryCtcChpid(0, 0, online=online))
    pair.run(MS)
    pair.expect_state(LinkState.UP)


def test_device_varied_off_while_it_is_reset_is_silent() -> None:
    pair = Pair(Setup(ctc_count=2), lose=(LoseOne(CommandFrame, Command.WRITE), lambda *_: False))
    pair.send(pair.first, 100)
    mih_ns = pair.setup.parameters.mih_ns
    pair.run(mih_ns - MS)
    pair.until(lambda: bool(pair.first.verbs("DeviceLost")), limit_ns=2 * MS, step_ns=US)
    assert device_state(pair.first, 0) is DeviceState.RESETTING
    pair.do(VaryRdev(0, 0, online=False))
    pair.run(3 * mih_ns)
    assert device_state(pair.second, 0) is DeviceState.DOWN
    pair.do(VaryRdev(0, 0, online=True))
    pair.expect_all_arrived()
    pair.expect_state(LinkState.UP)


def test_node_in_anothers_place_is_operated_like_it() -> None:
    old, new = (System([Setup(ctc_count=2).definition(0)]) for _ in range(2))
    old.apply(VaryChpid(ChpidId(0x40), online=False), 0)
    old.apply(VaryDevice(Rdev(0x6000), online=False), 0)
    old.apply(Deactivate(Rdev(0x6001)), 0)
    for given in operated_like(old):
        new.apply(given, 0)
    new.apply(VaryChpid(ChpidId(0x40), online=True), 0)
    assert [new.channels.is_online(rdev) for rdev in new.ends[0].ctcs] == [False, True]
    assert new.ends[0].link.ctcs[Rdev(0x6001)].state is DeviceState.INACTIVE
    assert new.ends[0].link.ctcs[Rdev(0x6000)].state is DeviceState.DOWN


@pytest.mark.parametrize("online", [True, False])
def test_what_is_not_the_nodes_cannot_be_varied(online: bool) -> None:
    system = System([Setup().definition(0)])
    with pytest.raises(LocalProtocolError, match="7000 is not a device"):
        system.apply(VaryDevice(Rdev(0x7000), online=online), 0)
    with pytest.raises(LocalProtocolError, match="50 is not a chpid"):
        system.apply(VaryChpid(ChpidId(0x50), online=online), 0)
