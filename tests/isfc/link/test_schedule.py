"""The write order of both ends, and when a further CTC is opened."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import Rdev, format_rdev, parse_rdevs
from isfc.errors import ConfigurationError
from isfc.link.message import Message
from isfc.link.package import Package, PackageLimit, Packager
from isfc.link.scan import LinkDevice, stop_short, write_order
from isfc.link.schedule import OpeningRule, WriteScheduler
from isfc.testing.strategies import islinks


def seen_by_the_partner(devices: tuple[LinkDevice, ...]) -> tuple[LinkDevice, ...]:
    return tuple(LinkDevice(device.partner_rdev, device.rdev) for device in devices)


def same_numbers(text: str) -> tuple[LinkDevice, ...]:
    return tuple(LinkDevice(rdev, rdev) for rdev in parse_rdevs(text))


def printed(rdevs: tuple[Rdev, ...]) -> list[str]:
    return [format_rdev(rdev) for rdev in rdevs]


@pytest.mark.parametrize(
    ("ctc_count", "left_out"), [(1, 0), (2, 1), (8, 1), (9, 2), (14, 2), (16, 2)]
)
def test_scan_stops_short_as_published(ctc_count: int, left_out: int) -> None:
    assert stop_short(ctc_count) == left_out


def test_sixteen_devices_are_used_as_ibm_describes() -> None:
    # "z/VM live guest relocation with Linux": D00E and D00F belong to LPAR2 alone
    devices = same_numbers("D000-D00F")
    assert printed(write_order(devices, lesser=True)) == printed(parse_rdevs("D000-D00D"))
    assert printed(write_order(devices, lesser=False)) == printed(parse_rdevs("D002-D00F"))[::-1]
    single = same_numbers("6000")  # is written by both
    assert write_order(single, lesser=True) == write_order(single, lesser=False) == (0x6000,)
    with pytest.raises(ConfigurationError, match="17 CTCs: expected at most 16"):
        write_order(same_numbers("D000-D010"), lesser=True)


def test_both_go_by_the_lesser_nodes_numbers() -> None:
    # the numbers at the greater node run the other way
    devices = (LinkDevice(Rdev(0x6000), Rdev(0x7002)), LinkDevice(Rdev(0x6001), Rdev(0x7001)),
               LinkDevice(Rdev(0x6002), Rdev(0x7000)))  # fmt: skip
    assert printed(write_order(devices, lesser=True)) == ["6000", "6001"]
    assert printed(write_order(seen_by_the_partner(devices), lesser=False)) == ["7000", "7001"]


@given(islinks(), st.randoms(use_true_random=False))
def test_order_of_definition_is_no_matter(devices: tuple[LinkDevice, ...], random: Random) -> None:
    shuffled = random.sample(devices, len(devices))
    for lesser in (True, False):
        assert write_order(devices, lesser=lesser) == write_order(shuffled, lesser=lesser)


@given(islinks())
def test_p10_write_orders_keep_the_two_ends_apart(devices: tuple[LinkDevice, ...]) -> None:
    here = write_order(devices, lesser=True)
    mates = {device.partner_rdev: device.rdev for device in devices}
    there = [mates[rdev] for rdev in write_order(seen_by_the_partner(devices), lesser=False)]
    if len(devices) == 1:
        assert list(here) == there
        return
    assert here[0] != there[0]
    assert len(set(here) - set(there)) == len(set(there) - set(here)) == stop_short(len(devices))
    assert set(here) | set(there) == {device.rdev for device in devices}
    shared = [rdev for rdev in here if rdev in there]
    assert shared == [rdev for rdev in there[::-1] if rdev in here]


def waiting(
    *,
    redrives: bool = False,
    count: int = 1,
    backlog_length: int = 1,
    ccw_count: int = 1,
    head_length: int = 1,
) -> Packager:
    """A backlog as the scheduler is to see it."""
    backlog = Packager(PackageLimit(length=1))
    if redrives:
        backlog.add_again(Package(0, [Message(1, 1)], 1))
    for _ in range(count):
        backlog.add(Message(1, head_length))
    backlog.backlog_length, backlog.ccw_count = backlog_length, ccw_count
    return backlog


RULE = OpeningRule(length=300, count=20, message_length=60)


def new_scheduler(scan: str, rule: OpeningRule = RULE) -> WriteScheduler:
    return WriteScheduler(parse_rdevs(scan), rule)


def free_scheduler(scan: str, rule: OpeningRule = RULE) -> WriteScheduler:
    """One whose devices are all free."""
    scheduler = new_scheduler(scan, rule)
    for rdev in scheduler.order:
        scheduler.release(rdev)
    return scheduler


@pytest.fixture
def scheduler() -> WriteScheduler:
    """Two devices, both free."""
    return free_scheduler("6000-6001")


def test_scan_begins_at_its_first_device_each_time(scheduler: WriteScheduler) -> None:
    assert scheduler.acquire() == 0x6000
    assert scheduler.acquire() == 0x6001
    scheduler.release(Rdev(0x6000))
    assert scheduler.acquire() == 0x6000


def test_scan_passes_over_a_device_on_which_the_partner_writes(scheduler: WriteScheduler) -> None:
    scheduler.occupy(Rdev(0x6000))
    assert scheduler.acquire() == 0x6001
    assert not scheduler.opens(waiting(redrives=True))


def test_device_outside_the_scan_is_never_given_out(scheduler: WriteScheduler) -> None:
    assert not scheduler.opens(waiting(count=0, backlog_length=0, ccw_count=0))  # for nothing
    scheduler.acquire(), scheduler.acquire()
    scheduler.release(Rdev(0x6002))
    assert not scheduler.opens(waiting(redrives=True))
    with pytest.raises(AssertionError, match=r"^no free device to acquire"):
        scheduler.acquire()


@pytest.mark.parametrize(
    ("backlog", "opens"),
    [
        (waiting(), False),
        (waiting(redrives=True), True),
        (waiting(backlog_length=RULE.length - 1), False),
        (waiting(backlog_length=RULE.length), True),
        (waiting(ccw_count=int(RULE.count) - 1), False),
        (waiting(ccw_count=int(RULE.count)), True),
        (waiting(head_length=RULE.message_length - 1), False),
        (waiting(head_length=RULE.message_length), True),
    ],
)
def test_further_ctc_is_opened_reluctantly(
    scheduler: WriteScheduler, backlog: Packager, opens: bool
) -> None:
    assert scheduler.opens(backlog)
    scheduler.acquire()
    assert scheduler.opens(backlog) == opens


@pytest.mark.parametrize("in_use", range(1, 8))
def test_as_much_opens_a_further_ctc_however_many_are_in_use(in_use: int) -> None:
    scheduler = free_scheduler("6000-6007")
    for _ in range(in_use):
        scheduler.acquire()
    lengths = (RULE.length - 1, RULE.length)
    assert [scheduler.opens(waiting(backlog_length=n)) for n in lengths] == [False, True]
    counts = (int(RULE.count) - 1, int(RULE.count))
    assert [scheduler.opens(waiting(ccw_count=n)) for n in counts] == [False, True]


def test_long_message_opens_the_second_ctc_but_no_third() -> None:
    scheduler = free_scheduler("6000-6002")
    backlog = waiting(head_length=RULE.message_length)
    opens = []
    for _ in range(2):
        scheduler.acquire()
        opens.append(scheduler.opens(backlog))
    assert opens == [True, False]


@pytest.mark.parametrize(("length", "opens"), [(0, False), (1, True), (50, True), (51, False)])
@pytest.mark.parametrize("count", [1, 2])
def test_behind_a_short_message_alone_whatever_waits_opens_the_second_ctc_but_no_third(
    length: int, count: int, opens: bool
) -> None:
    scheduler = free_scheduler("6000-6002", replace(RULE, single_length=50))
    package = Package(0, [Message(1, length)] * count, count * length)
    opened = []
    for _ in range(2):
        scheduler.acquire()
        scheduler.note_package(package)
        opened.append(scheduler.opens(waiting()))
    assert opened == [opens and count == 1, False]


@pytest.mark.parametrize(
    ("single_length", "lengths", "waits", "opens"),
    [
        (50, (1, 200), 50, True),
        (50, (1, 200), 51, False),
        (50, (200, 1), 50, False),
        (0, (1, 200), 0, False),
    ],
)
def test_behind_a_long_message_little_opens_a_further_ctc_where_somebody_may_wait_for_it(
    single_length: int, lengths: tuple[int, ...], waits: int, opens: bool
) -> None:
    scheduler = free_scheduler("6000-6003", replace(RULE, single_length=single_length))
    package = Package(0, [Message(1, length) for length in lengths], sum(lengths))
    for _ in range(2):
        scheduler.acquire()
        scheduler.note_package(package)
    assert scheduler.opens(waiting(backlog_length=waits)) is opens


def test_the_device_that_is_preferred_goes_before_the_scan_if_it_is_free() -> None:
    scheduler = new_scheduler("6000-6003")
    scheduler.arrange(parse_rdevs("6000-6003"))
    for rdev in parse_rdevs("6000-6003"):
        scheduler.release(rdev)
    scheduler.prefer(Rdev(0x6003))  # one that is left to the partner
    assert [scheduler.acquire(), scheduler.acquire()] == [0x6003, 0x6000]
    scheduler.release(Rdev(0x6003))
    scheduler.prefer(None)
    assert scheduler.acquire() == 0x6001


@pytest.mark.parametrize("rdev", [None, Rdev(0x9000)])
def test_with_no_device_of_the_link_preferred_the_scan_decides(rdev: Rdev | None) -> None:
    scheduler = new_scheduler("6000-6003")
    scheduler.arrange(parse_rdevs("6001-6003"))
    for each in parse_rdevs("6000-6003"):
        scheduler.release(each)
    scheduler.prefer(Rdev(0x6003))
    scheduler.prefer(rdev)
    assert scheduler.acquire() == 0x6001


def test_scan_goes_over_what_is_usable_and_stops_short_of_its_end() -> None:
    scheduler = new_scheduler("6000-6003")
    orders = []
    for usable in ("6000-6003", "6001-6003", "6003", "6000,6003"):
        scheduler.arrange(parse_rdevs(usable))
        orders.append(printed(scheduler.order))
    assert orders == [["6000", "6001", "6002"], ["6001", "6002"], ["6003"], ["6000"]]
    scheduler.arrange(())
    assert scheduler.order == ()


def test_device_stays_free_or_in_use_when_the_scan_changes(scheduler: WriteScheduler) -> None:
    scheduler.acquire()
    scheduler.arrange([Rdev(0x6001)])
    assert scheduler.acquire() == 0x6001
    scheduler.arrange([Rdev(0x6000)])
    assert not scheduler.opens(waiting(redrives=True))
    scheduler.release(Rdev(0x6000))
    assert scheduler.acquire() == 0x6000


def test_nothing_is_free_and_nothing_written_on_before_a_device_is_released() -> None:
    scheduler = new_scheduler("6000-6003")
    assert not scheduler.has_free
    scheduler.release(Rdev(0x6001))
    assert scheduler.opens(waiting())  # for whatever waits: none is in use
    assert scheduler.acquire() == 0x6001


def test_sixteen_devices_are_given_out_in_their_order_and_opened_one_by_one() -> None:
    scheduler = new_scheduler("6000-600F")
    rdevs = scheduler.order
    for rdev in rdevs:
        scheduler.release(rdev)
    given = []
    for count in range(16):
        # for whatever waits only the first, with none in use
        assert scheduler.opens(waiting()) == (count == 0)
        given.append(scheduler.acquire())
    assert given == list(rdevs)
    assert not scheduler.has_free
    scheduler.arrange(rdevs)
    assert not scheduler.has_free
    for rdev in rdevs[14:]:  # which are left to the partner
        scheduler.release(rdev)
        assert not scheduler.has_free
    scheduler.release(rdevs[13])
    assert scheduler.has_free


def test_device_of_another_link_occupies_none_of_ours(scheduler: WriteScheduler) -> None:
    scheduler.occupy(Rdev(0x7000))
    assert [scheduler.acquire(), scheduler.acquire()] == [0x6000, 0x6001]


def test_another_rule_leaves_and_takes_what_it_says() -> None:
    rdevs = parse_rdevs("6000-6003")
    scheduler = WriteScheduler(
        rdevs, RULE, keep=lambda count: count // 2, choose=lambda free: 1 << (free.bit_length() - 1)
    )
    for rdev in rdevs:
        scheduler.release(rdev)
    assert [scheduler.acquire() for _ in range(4)] == list(rdevs[::-1])
    scheduler.arrange(rdevs)
    assert scheduler.order == rdevs[:2]
