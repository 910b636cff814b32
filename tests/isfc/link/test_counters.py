"""Counters, checked against what was sent."""

from ctc.subchannel import IoTimes
from isfc.link.counters import SERV_BOUNDS_NS, DeviceCounters, LinkCounters
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.state import DeviceState, LinkState
from isfc.testing.pair import MS, US, Pair, S, Setup

PACKAGES = [Package(0, [Message(0, 10)], 10), Package(1, [Message(0, 20), Message(1, 30)], 50)]


def test_ios_add_up_by_part() -> None:
    counters = DeviceCounters()
    for times in (IoTimes(1, 20, 300), IoTimes(4, 50, 600)):
        counters.count_io(times)
    assert counters.io_count == 2
    assert (counters.pend_ns, counters.disc_ns, counters.conn_ns) == (5, 70, 900)


def test_writes_are_counted_by_how_long_they_took() -> None:
    counters = DeviceCounters()
    for serv_ns in (1, 10 * US, 10 * US + 1, 16 * MS, S, S + 1):
        counters.count_written(PACKAGES[0], IoTimes(0, 0, serv_ns))
    counts = dict(zip((*SERV_BOUNDS_NS, None), counters.write_serv_counts, strict=True))
    assert {bound: n for bound, n in counts.items() if n} == {
        10 * US: 2,
        20 * US: 1,
        20 * MS: 1,
        S: 1,
        None: 1,
    }
    assert counters.write_serv_ns == 20 * US + 3 + 16 * MS + 2 * S
    assert counters.write_package_count == 6
    assert counters.write_length == 6 * PACKAGES[0].length


def test_bounds_rise() -> None:
    assert [*SERV_BOUNDS_NS] == sorted({*SERV_BOUNDS_NS})
    assert SERV_BOUNDS_NS[:4] == (10 * US, 20 * US, 50 * US, 100 * US)
    assert SERV_BOUNDS_NS[-2:] == (500 * MS, S)


def test_a_link_counts_what_its_ctcs_count_written_and_read_packages_apart() -> None:
    first, second, link = DeviceCounters(), DeviceCounters(), LinkCounters()
    first.count_written(PACKAGES[0], IoTimes(0, 0, 0))
    second.count_written(PACKAGES[1], IoTimes(0, 0, 0))
    second.count_read(PACKAGES[1])
    second.collision_count = 3
    assert (second.write_package_count, second.write_message_count) == (1, 2)
    assert (second.read_package_count, second.read_message_count) == (1, 2)
    assert (first.read_package_count, first.read_length) == (0, 0)
    for device in (first, second):
        link.add(device)
    assert (link.write_package_count, link.write_message_count) == (2, 3)
    assert link.write_length == PACKAGES[0].length + PACKAGES[1].length
    assert (link.read_package_count, link.read_message_count) == (1, 2)
    assert link.read_length == PACKAGES[1].length
    assert link.collision_count == 3


def test_receiving_a_package_takes_two_ios_and_sending_one() -> None:
    # derived from H001709C: 472 I/O/s for 236.7 packages read, 833.5 for 834.2 written
    pair = Pair()
    pair.send(pair.first, *[1_000_000] * 3)
    pair.expect_all_arrived()
    first, second = (side.end.snapshot(pair.engine.now_ns) for side in pair.sides)
    packages = first.write_package_count
    assert packages > 3
    assert sum(device.io_count for device in first.devices) == packages
    assert sum(device.io_count for device in second.devices) == 2 * packages


def test_messages_that_wait_are_the_transmission_pending_count_and_their_bytes_are_told() -> None:
    pair = Pair()
    pair.send(pair.first, 1_000)  # goes into a package immediately
    pair.send(pair.first, *[1_000] * 9)
    snapshot = pair.first.end.snapshot(pair.engine.now_ns)
    assert (snapshot.tx_pend_count, snapshot.tx_pend_length) == (9, 9_000)


def test_devices_add_up_to_the_link_and_what_one_side_wrote_the_other_has_read() -> None:
    pair = Pair()
    pair.send(pair.first, *[400_000] * 20)
    pair.send(pair.second, *[1_000] * 20)
    pair.expect_all_arrived()
    first, second = (side.end.snapshot(pair.engine.now_ns) for side in pair.sides)
    for node in (first, second):
        for name in (
            *("write_length", "read_length", "write_package_count", "read_package_count"),
            "collision_count",
        ):
            assert sum(getattr(device, name) for device in node.devices) == getattr(node, name)
        for device in node.devices:
            assert sum(device.write_serv_counts) == device.write_package_count
    for here, there in zip(first.devices, second.devices, strict=True):
        assert (here.rdev, here.partner_rdev) == (there.partner_rdev, there.rdev)
        assert here.write_length == there.read_length
    for one, other in ((first, second), (second, first)):
        assert one.write_package_count == other.read_package_count > 0
        assert one.write_message_count == other.read_message_count == 20
        assert one.write_length == other.read_length
        assert one.tx_pend_count == 0
        assert one.cpu_ns > 0


def test_snapshot_tells_what_link_and_devices_are_doing() -> None:
    pair = Pair()
    pair.unplug(0)
    pair.send(pair.first, 200_000)
    pair.run(MS)
    first, second = (side.end.snapshot(pair.engine.now_ns) for side in pair.sides)
    assert (first.name, first.partner, first.state) == ("ATLANTA", "BOSTON", LinkState.DEGRADED)
    assert (second.name, second.partner) == ("BOSTON", "ATLANTA")
    assert first.write_order == (0x6001, 0x6002)
    assert second.write_order == (0x7003, 0x7002)
    assert [d.state for d in first.devices][:2] == [DeviceState.DOWN, DeviceState.WRITING]
    assert [d.state for d in second.devices][:2] == [DeviceState.DOWN, DeviceState.READING]


def test_a_collision_is_counted_where_it_happened() -> None:
    pair = Pair(Setup(ctc_count=1))
    for side in pair.sides:
        pair.send(side, 100)
    pair.expect_all_arrived()
    for side in pair.sides:
        snapshot = side.end.snapshot(pair.engine.now_ns)
        assert [d.collision_count for d in snapshot.devices] == [snapshot.collision_count] == [1]
