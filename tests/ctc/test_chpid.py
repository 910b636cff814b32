"""The fibre that CTCs share, and the processor that starts their I/Os."""

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from ctc.address import ChpidId, Rdev
from ctc.channel import NOTHING, ChannelUse
from ctc.chpid import QUEUE_MAX, Chpid
from ctc.device import Arbitration, Ctc
from ctc.features import ChpidProfile
from ctc.queues import NEVER_NS, Fifo
from tests.ctc.cable import PLAIN, Cargo

BOTH_WAYS = replace(PLAIN, processor_ns_per_byte=3.0)
"""Each direction alone is held back by its line (4 ns/B); both together by the processor."""

NEAR_NS = 3  # whole nanoseconds, and the one that is added to every transfer


def fibre(profile: ChpidProfile = PLAIN, disks: ChannelUse = NOTHING) -> Chpid[Ctc]:
    return Chpid(ChpidId(0x40), profile, disks)


def ctc_on(chpid: Chpid[Ctc], rdev: int = 0x6000) -> Ctc:
    return Ctc(Rdev(rdev), chpid, Arbitration.BOTH_FAIL, Fifo(), Fifo())


def run(chpid: Chpid[Ctc], loads: dict[Ctc, Cargo]) -> dict[Ctc, int]:
    """When each transfer under way completes, if nothing else happens."""
    done: dict[Ctc, int] = {}
    while (now_ns := chpid.due_ns) < NEVER_NS:
        while (ctc := chpid.poll_completed(now_ns)) is not None:
            chpid.finish(loads[ctc], now_ns)
            done[ctc] = now_ns
    return done


def begun(chpid: Chpid[Ctc], *cargoes: Cargo, at_ns: int = 0) -> dict[Ctc, Cargo]:
    """Begin a transfer of each at the same time, each of a CTC of its own."""
    loads = {ctc_on(chpid, 0x6000 + n): cargo for n, cargo in enumerate(cargoes)}
    for ctc, cargo in loads.items():
        chpid.begin(ctc, cargo, at_ns)
    return loads


def alone_ns(chpid: Chpid[Ctc], cargo: Cargo, at_ns: int = 0) -> int:
    """How long one transfer takes, if nothing else begins."""
    (done_ns,) = run(chpid, begun(chpid, cargo, at_ns=at_ns)).values()
    return done_ns - at_ns


def test_ios_start_one_after_the_other() -> None:
    chpid = fibre()
    assert [chpid.admit(now_ns) for now_ns in (0, 0, 5_000)] == [10_000, 20_000, 30_000]
    assert chpid.admit(100_000) == 110_000


@pytest.mark.parametrize(("out", "in_"), [(2, 0), (0, 2), (1, 1)])
def test_what_is_under_way_delays_an_io_without_holding_up_the_next(out: int, in_: int) -> None:
    chpid = fibre(replace(PLAIN, turn_ns=1_000))
    for rdev in range(0x6000, 0x6000 + out):
        chpid.begin(ctc_on(chpid, rdev), Cargo(10**6), 0)
    for _ in range(in_):
        chpid.observe(1, Cargo(10**6), 0)
    assert [chpid.admit(0), chpid.admit(0)] == [12_000, 22_000]


def test_what_comes_in_delays_the_end_of_a_write_prompt_or_not_and_what_goes_out_attentions() -> (
    None
):
    chpid = fibre(replace(PLAIN, interrupt_ns=30_000, write_interrupt_ns=20_000, turn_ns=1_000))
    load = Cargo(10**6)
    delays_ns = [(chpid.interrupt_ns(False), chpid.interrupt_ns(True))]
    for change in (1, 1, -1):
        chpid.observe(change, load, 0)
        assert chpid.notice_ns == 0
        delays_ns.append((chpid.interrupt_ns(False), chpid.interrupt_ns(True)))
    assert delays_ns == [(30_000, 20_000), (31_000, 21_000), (32_000, 22_000), (31_000, 21_000)]
    chpid.begin(ctc_on(chpid), load, 0)
    assert (chpid.interrupt_ns(False), chpid.notice_ns) == (31_000, 1_000)


@given(st.integers(1, 16), st.floats(0, 0.1))
def test_each_further_transfer_that_goes_out_slows_down_all_that_go_out(
    count: int, roll_off: float
) -> None:
    chpid = fibre(replace(PLAIN, processor_ns_per_byte=4.0, roll_off=roll_off))
    loads = begun(chpid, *[Cargo(10**6)] * count)
    slower = 1 + roll_off * (count - 1)
    assert chpid.due_ns == pytest.approx(4_000_000 * count * slower, rel=1e-4)
    run(chpid, loads)
    assert chpid.processor_ns(10**9) >= 4_000_000 * count
    assert chpid.processor_ns(10**9) == pytest.approx(chpid.line_ns(10**9) * slower, rel=1e-2)


def test_idle_fibre_has_no_deadline() -> None:
    chpid = fibre()
    assert chpid.due_ns == NEVER_NS
    assert chpid.poll_completed(10**9) is None
    assert chpid.poll_ended(10**9) is None
    assert chpid.line_ns(10**9) == chpid.processor_ns(10**9) == 0


@given(st.integers(0, 10**7), st.integers(0, 10**12))
def test_transfer_alone_takes_its_bytes_at_line_rate(length: int, now_ns: int) -> None:
    taken_ns = alone_ns(fibre(), Cargo(length), now_ns)
    assert taken_ns == pytest.approx(length * PLAIN.line_ns_per_byte, abs=NEAR_NS)


def test_transfer_alone_is_as_slow_as_the_slowest_it_needs() -> None:
    profile = replace(
        PLAIN, processor_bits_per_ccw=5_000.0 * PLAIN.link_gbps, latency_ns_per_ccw=100.0
    )
    for cargo, line_or_processor_ns in ((Cargo(10_000, 1), 40_000), (Cargo(10_000, 50), 250_000)):
        expected_ns = line_or_processor_ns + 100 * cargo.count
        assert alone_ns(fibre(profile), cargo) == pytest.approx(expected_ns, abs=NEAR_NS)


def test_two_transfers_share_the_line_equally() -> None:
    chpid = fibre()
    done = run(chpid, begun(chpid, Cargo(1_000), Cargo(3_000)))
    # each at half the rate until the small one is done; then the large one alone
    assert [*done.values()] == pytest.approx([2 * 4_000, 4_000 + 12_000], abs=NEAR_NS)


def test_late_comer_slows_down_what_is_under_way() -> None:
    chpid = fibre()
    early, late = ctc_on(chpid), ctc_on(chpid, 0x6001)
    loads = {early: Cargo(1_000), late: Cargo(1_000)}
    chpid.begin(early, loads[early], 0)
    chpid.begin(late, loads[late], 2_000)
    done = run(chpid, loads)
    assert done[early] == pytest.approx(2_000 + 2 * 2_000, abs=NEAR_NS)
    assert done[late] == pytest.approx(8_000, abs=NEAR_NS)


def test_what_comes_in_leaves_the_line_alone_but_not_the_processor() -> None:
    for profile, slower in ((PLAIN, 1.0), (BOTH_WAYS, 1.5)):
        chpid = fibre(profile)
        chpid.observe(1, Cargo(10**6), 0)
        # the processor is wanted 3/4 of the time by each direction: 1.5 times in all
        assert alone_ns(chpid, Cargo(10_000)) == pytest.approx(slower * 40_000, rel=0.001)


def test_what_has_come_in_is_no_burden_any_more() -> None:
    chpid = fibre(BOTH_WAYS)
    loads = begun(chpid, Cargo(10_000))
    chpid.observe(1, Cargo(10**6), 0)
    chpid.observe(-1, Cargo(10**6), 15_000)
    (done_ns,) = run(chpid, loads).values()
    assert done_ns == pytest.approx(15_000 + 30_000, rel=0.001)


def test_abandoned_transfer_leaves_the_line_to_the_others() -> None:
    chpid = fibre()
    stays, leaves = ctc_on(chpid), ctc_on(chpid, 0x6001)
    chpid.begin(leaves, Cargo(100), 0)
    chpid.begin(stays, Cargo(1_000), 0)
    chpid.abandon(leaves, Cargo(100), 400)
    done = run(chpid, {stays: Cargo(1_000)})
    assert done == {stays: pytest.approx(400 + 3_800, abs=NEAR_NS)}


def test_abandoned_ending_never_comes() -> None:
    chpid = fibre()
    stays, leaves = ctc_on(chpid), ctc_on(chpid, 0x6001)
    chpid.end_later(leaves, 100)
    chpid.end_later(stays, 200)
    chpid.abandon(leaves, None, 0)
    assert chpid.due_ns == 200
    assert chpid.poll_ended(199) is None
    assert chpid.poll_ended(200) is stays
    assert chpid.due_ns == NEVER_NS


def test_deadline_is_the_earlier_of_ending_and_completion() -> None:
    chpid = fibre()
    writer, sensor = ctc_on(chpid), ctc_on(chpid, 0x6001)
    chpid.begin(writer, Cargo(1_000), 0)
    chpid.end_later(sensor, 10**6)
    completion_ns = chpid.due_ns
    assert completion_ns == pytest.approx(4_000, abs=NEAR_NS)
    chpid.end_later(sensor, 50)
    assert chpid.due_ns == 50


def test_endings_of_one_moment_come_in_the_order_of_their_making() -> None:
    chpid = fibre()
    ctcs = [ctc_on(chpid, rdev) for rdev in (0x6002, 0x6000, 0x6001)]
    for ctc in ctcs:
        chpid.end_later(ctc, 100)
    assert [chpid.poll_ended(100) for _ in ctcs] == ctcs


def test_equal_transfers_complete_in_the_order_of_their_beginning() -> None:
    chpid = fibre()
    loads = {ctc_on(chpid, rdev): Cargo(1_000) for rdev in (0x6002, 0x6000, 0x6001)}
    for ctc, cargo in loads.items():
        chpid.begin(ctc, cargo, 0)
    assert list(run(chpid, loads)) == list(loads)


def test_late_look_finds_all_that_has_completed() -> None:
    chpid = fibre()
    loads = begun(chpid, *[Cargo(1_000)] * 3)
    found = 0
    while (late := chpid.poll_completed(10**6)) is not None:
        chpid.finish(loads[late], 10**6)
        found += 1
    assert found == 3


def test_queue_of_ios_that_were_given_up_is_bounded() -> None:
    # a mate who resets all the time lets us start again and again, and wait for nothing
    chpid = fibre()
    starts_ns = [chpid.admit(1_000) for _ in range(10_000)]
    assert starts_ns[:3] == [1_000 + n * PLAIN.io_ns for n in (1, 2, 3)]
    assert max(starts_ns) == starts_ns[-1] == 1_000 + (QUEUE_MAX + 1) * PLAIN.io_ns


CCWS = replace(BOTH_WAYS, processor_bits_per_ccw=5_000.0, latency_ns_per_ccw=700.0)
"""A channel on which what a transfer takes depends on its bytes and on its CCWs."""


@given(st.builds(Cargo, st.integers(0, 10**5), st.integers(1, 60)), st.integers(0, 500_000))
@example(Cargo(100), 10**6)
@example(Cargo(10**5), 1_000)
def test_a_turn_lasts_as_long_as_the_profile_says_or_as_the_transfer_alone_if_that_is_shorter(
    cargo: Cargo, turn_ns: int
) -> None:
    profile = replace(CCWS, turn_ns=turn_ns, interrupt_ns=30_000)
    chpid = fibre(profile)
    taken_ns = alone_ns(chpid, cargo)
    begun(chpid, cargo, at_ns=10**9)
    out_ns = chpid.notice_ns
    assert chpid.admit(10**9) - 10**9 - profile.io_ns == out_ns
    chpid.observe(1, cargo, 10**9)
    in_ns = chpid.interrupt_ns(False) - profile.interrupt_ns
    assert out_ns == in_ns <= turn_ns
    assert taken_ns - NEAR_NS <= out_ns <= taken_ns or out_ns == turn_ns < taken_ns


def test_short_transfers_delay_by_their_own_times_and_long_ones_by_turns() -> None:
    chpid = fibre(replace(PLAIN, turn_ns=50_000))
    short, long = Cargo(2_000), Cargo(10**6)  # 8 us and 4 ms alone
    for load in (short, long, short, long):
        chpid.begin(ctc_on(chpid), load, 0)
        chpid.observe(1, load, 0)
    delay_ns = 2 * 50_000 + 2 * 8_000
    assert chpid.admit(0) - PLAIN.io_ns == pytest.approx(2 * delay_ns, abs=2 * NEAR_NS)
    assert chpid.interrupt_ns(False) == pytest.approx(delay_ns, abs=NEAR_NS)
    assert chpid.notice_ns == pytest.approx(delay_ns, abs=NEAR_NS)


CARGOES = st.lists(
    st.builds(Cargo, st.integers(1, 10**6), st.integers(1, 60)), min_size=1, max_size=8
)
SHARES = st.floats(0, 0.99)


@given(CARGOES, CARGOES, st.integers(0, 8), st.integers(0, 10**6), st.floats(0, 0.9))
def test_once_all_transfers_are_over_or_abandoned_nothing_delays_an_io_or_an_interrupt(
    going: list[Cargo], coming: list[Cargo], abandoned: int, turn_ns: int, disks: float
) -> None:
    profile = replace(CCWS, turn_ns=turn_ns, interrupt_ns=30_000)
    chpid = fibre(profile, ChannelUse(line_out=disks, line_in=disks / 2))
    loads = begun(chpid, *going)
    for cargo in coming:
        chpid.observe(1, cargo, 0)
    for ctc in list(loads)[:abandoned]:
        chpid.abandon(ctc, loads[ctc], 0)
    for cargo in reversed(coming):
        chpid.observe(-1, cargo, 0)
    end_ns = max(run(chpid, loads).values(), default=0)
    assert chpid.admit(end_ns) == end_ns + profile.io_ns
    assert (chpid.interrupt_ns(False), chpid.notice_ns) == (profile.interrupt_ns, 0)


@given(
    CARGOES,
    st.builds(ChannelUse, SHARES, SHARES, SHARES),
    st.builds(ChannelUse, SHARES, SHARES, SHARES),
)
def test_the_more_disks_use_the_later_all_is_over(
    cargoes: list[Cargo], disks: ChannelUse, others: ChannelUse
) -> None:
    profile = replace(BOTH_WAYS, processor_bits_per_ccw=5_000.0)
    ends: list[int] = []
    for use in (NOTHING, disks, disks.joined(others)):
        chpid = fibre(profile, use)
        ends.append(max(run(chpid, begun(chpid, *cargoes)).values()))
    assert ends[0] <= ends[1] + NEAR_NS
    assert ends[1] <= ends[2] + NEAR_NS


@given(st.floats(0, 0.5), st.floats(0, 0.5), st.floats(0, 0.5))
def test_disks_stretch_an_io_and_a_transfer_by_what_they_use(
    processor: float, out: float, in_: float
) -> None:
    # the line is held up in its own direction only, the processor in both
    chpid = fibre(replace(PLAIN, processor_ns_per_byte=3.0), ChannelUse(processor, out, in_))
    assert chpid.admit(0) == pytest.approx(10_000 / (1 - processor), abs=1)
    done_ns = alone_ns(chpid, Cargo(10_000))
    slower = max(40_000 / (1 - out), 30_000 / (1 - processor))
    assert done_ns == pytest.approx(slower, abs=NEAR_NS)


def test_disks_on_the_way_in_stretch_what_comes_in_and_so_the_turns_that_wait_for_it() -> None:
    chpid = fibre(replace(PLAIN, turn_ns=10**9), ChannelUse(line_in=0.5))
    chpid.observe(1, Cargo(10_000), 0)
    delay_ns = chpid.interrupt_ns(False) - PLAIN.interrupt_ns
    assert delay_ns == pytest.approx(2 * 40_000, abs=NEAR_NS)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.45])
def test_a_share_is_what_many_small_ios_on_the_same_chpid_come_to(share: float) -> None:
    """The same `Chpid`, once with a share and once with the I/Os themselves among its users."""
    profile = replace(PLAIN, line_ns_per_byte=0.1, processor_ns_per_byte=4.0)
    large, small = Cargo(100_000), Cargo(500)
    expected_ns = alone_ns(fibre(profile, ChannelUse(processor=share)), large)

    chpid, rng, until_ns = fibre(profile), Random(1), 40_000_000
    per_ns = share / (small.length * profile.processor_ns_per_byte)
    transfer = ctc_on(chpid)
    chpid.begin(transfer, large, 0)
    disks = iter(ctc_on(chpid, 0x7000) for _ in range(10**6))
    next_ns, moved = rng.expovariate(per_ns), 0
    while (now_ns := min(chpid.due_ns, round(next_ns))) < until_ns:
        while (user := chpid.poll_completed(now_ns)) is not None:
            chpid.finish(large if user is transfer else small, now_ns)
            if user is transfer:
                moved += 1
                chpid.begin(transfer, large, now_ns)
        if round(next_ns) <= now_ns:
            chpid.begin(next(disks), small, now_ns)
            next_ns += rng.expovariate(per_ns)
    assert until_ns / moved == pytest.approx(expected_ns, rel=0.02)


def test_where_no_transfer_takes_time_each_completes_when_it_begins() -> None:
    instant = replace(PLAIN, line_ns_per_byte=0.0)
    chpid = fibre(instant)
    first, second = ctc_on(chpid), ctc_on(chpid, 0x6001)
    load = Cargo(10**6)
    for ctc in (first, second):
        chpid.begin(ctc, load, 7)
    chpid.observe(1, load, 7)
    assert chpid.due_ns == 7
    assert run(chpid, {first: load, second: load}) == {first: 7, second: 7}
    chpid.observe(-1, load, 8)
    for ctc in (first, second):
        chpid.begin(ctc, load, 9)
    for ctc, due_ns in ((first, 9), (second, NEVER_NS)):
        chpid.abandon(ctc, load, 9)
        assert chpid.due_ns == due_ns
    assert chpid.queue.out_count == 0


def test_line_and_data_processor_are_busy_as_long_as_what_is_sent_takes_of_them_alone() -> None:
    chpid = fibre(PLAIN)
    first, second = ctc_on(chpid), ctc_on(chpid, 0x6001)
    load = Cargo(10**6)
    for ctc in (first, second):
        chpid.begin(ctc, load, 0)
    line_ns = load.length * PLAIN.line_ns_per_byte
    half_ns = chpid.due_ns // 2
    assert chpid.line_ns(half_ns) == pytest.approx(line_ns, rel=1e-3)
    run(chpid, {first: load, second: load})
    processor_ns = load.length * PLAIN.processor_ns_per_byte + PLAIN.processor_ns_per_ccw
    assert chpid.line_ns(10**9) == pytest.approx(2 * line_ns)
    assert chpid.processor_ns(10**9) == pytest.approx(2 * processor_ns)
    assert chpid.sent_bytes(10**9) == pytest.approx(2 * load.length)


def test_starts_that_wait_have_not_kept_the_processor_busy_yet() -> None:
    chpid = fibre(replace(PLAIN, io_ns=40))
    for _ in range(3):
        chpid.admit(100)
    assert [chpid.starts_ns(now_ns) for now_ns in (100, 150, 220, 300)] == [0, 50, 120, 120]


def test_what_is_on_the_fibre_grows_with_the_transfer_and_is_that_of_its_ctc() -> None:
    chpid = fibre()
    ctc, other = ctc_on(chpid), ctc_on(chpid, 0x6001)
    load = Cargo(100_000)
    chpid.begin(ctc, load, 1_000)
    done_ns = chpid.due_ns
    moved = [chpid.moved_length(ctc, load, 1_000 + at_ns) for at_ns in (0, 100_000, 300_000)]
    assert moved == pytest.approx([0, 25_000, 75_000], abs=5)
    assert [chpid.moved_length(ctc, load, done_ns + late_ns) for late_ns in (0, 9_000)] == [
        100_000, 100_000
    ]  # fmt: skip
    assert chpid.moved_length(other, load, 100_000) == 0


def test_two_transfers_are_half_as_fast_each_from_when_the_second_begins() -> None:
    chpid = fibre()
    first, second = ctc_on(chpid), ctc_on(chpid, 0x6001)
    load, other = Cargo(100_000), Cargo(50_000)
    chpid.begin(first, load, 0)
    chpid.begin(second, other, 100_000)
    assert chpid.moved_length(first, load, 300_000) == pytest.approx(50_000, abs=5)
    assert chpid.moved_length(second, other, 300_000) == pytest.approx(25_000, abs=5)


def test_what_ctcs_have_used_is_the_same_where_disks_use_the_channel_too() -> None:
    profile = replace(PLAIN, processor_ns_per_byte=2.0)
    load = Cargo(100_000)
    for disks in (NOTHING, ChannelUse(processor=0.25, line_out=0.2)):
        chpid = fibre(profile, disks)
        started_ns = chpid.admit(0)
        assert chpid.starts_ns(started_ns) == pytest.approx(PLAIN.io_ns, rel=1e-3)
        chpid.begin(ctc_on(chpid), load, 0)
        done_ns = chpid.due_ns
        assert chpid.sent_bytes(done_ns // 2) == pytest.approx(50_000, rel=1e-3)
        assert chpid.processor_ns(done_ns // 2) == pytest.approx(100_000, rel=1e-3)
        assert chpid.poll_completed(done_ns) is not None
        chpid.finish(load, done_ns)
        assert chpid.line_ns(10**9) == pytest.approx(400_000, rel=1e-3)
        assert chpid.processor_ns(10**9) == pytest.approx(200_000, rel=1e-3)
    untimed = fibre(replace(PLAIN, line_ns_per_byte=0.0))
    assert untimed.sent_bytes(10**9) == 0
