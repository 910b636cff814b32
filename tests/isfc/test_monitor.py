"""Counters, checked against what was sent."""

from ctc.subchannel import IoTimes
from isfc.message import Message
from isfc.monitor import DeviceCounters, LinkCounters
from isfc.package import Package
from tests.pair import Pair

PACKAGES = [Package(0, [Message(0, 10)], 10), Package(1, [Message(0, 20), Message(1, 30)], 50)]


def test_ios_add_up_by_part() -> None:
    counters = DeviceCounters()
    for times in (IoTimes(1, 20, 300), IoTimes(4, 50, 600)):
        counters.count_io(times)
    assert counters.io_count == 2
    assert (counters.pend_ns, counters.disc_ns, counters.conn_ns) == (5, 70, 900)


def test_written_and_read_packages_are_counted_apart() -> None:
    counters = LinkCounters()
    for package in PACKAGES:
        counters.count_written(package)
    counters.count_read(PACKAGES[0])
    assert counters.write_package_count == 2
    assert counters.write_message_count == 3
    assert counters.write_length == PACKAGES[0].length + PACKAGES[1].length
    assert counters.read_package_count == counters.read_message_count == 1
    assert counters.read_length == PACKAGES[0].length


def test_what_one_side_wrote_the_other_has_read() -> None:
    pair = Pair()
    pair.send(pair.first, *[5_000] * 20)
    pair.send(pair.second, *[100_000] * 20)
    pair.expect_all_arrived()
    first, second = (side.node.snapshot(pair.engine.now_ns) for side in pair.sides)
    for here, there in ((first, second), (second, first)):
        assert here.write_package_count == there.read_package_count > 0
        assert here.write_message_count == there.read_message_count == 20
        assert here.write_length == there.read_length
        assert here.tx_pend_count == 0
        assert here.cpu_ns > 0


def test_receiving_a_package_takes_two_ios_and_sending_one() -> None:
    # derived from H001709C: 472 I/O/s for 236.7 packages read, 833.5 for 834.2 written
    pair = Pair()
    pair.send(pair.first, *[1_000_000] * 3)
    pair.expect_all_arrived()
    first, second = (side.node.snapshot(pair.engine.now_ns) for side in pair.sides)
    packages = first.write_package_count
    assert packages > 3
    assert sum(device.io_count for device in first.devices) == packages
    assert sum(device.io_count for device in second.devices) == 2 * packages


def test_messages_that_wait_are_the_transmission_pending_count() -> None:
    pair = Pair()
    pair.send(pair.first, *[1_000] * 10)
    # the first of them went into a package at once
    assert pair.first.node.snapshot(pair.engine.now_ns).tx_pend_count == 9
