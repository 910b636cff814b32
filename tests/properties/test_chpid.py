"""What no chpid may do, whatever it is asked."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ctc.address import ChpidId, Rdev
from ctc.chpid import Chpid
from ctc.device import Arbitration, Ctc
from ctc.queues import Fifo
from tests.ctc.cable import PLAIN, Cargo

PROFILE = replace(
    PLAIN, processor_ns_per_byte=2.5, processor_bits_per_ccw=1_400.0, latency_ns_per_ccw=300.0
)

transfers = st.lists(
    st.tuples(
        st.integers(0, 200_000),  # when it begins, after the last one, in ns
        st.integers(1, 200_000),  # bytes
        st.integers(1, 20),  # pieces
        st.sampled_from(["out", "out", "in"]),
        st.booleans(),  # whether it is abandoned when the next one begins
    ),
    min_size=1,
    max_size=20,
)


@given(transfers)
def test_p6_no_chpid_carries_more_than_its_rate_in_any_window(
    plan: list[tuple[int, int, int, str, bool]],
) -> None:
    chpid: Chpid[Ctc] = Chpid(ChpidId(0x40), PROFILE)
    began: dict[Ctc, tuple[int, Cargo]] = {}
    carried: list[tuple[int, int, Cargo]] = []

    def let_pass(until_ns: int) -> None:
        while (now_ns := chpid.due_ns) <= until_ns:
            while (ctc := chpid.poll_completed(now_ns)) is not None:
                begin_ns, cargo = began.pop(ctc)
                chpid.finish(cargo, now_ns)
                carried.append((begin_ns, now_ns, cargo))

    now_ns = 0
    for index, (pause_ns, length, count, direction, abandons) in enumerate(plan):
        now_ns += pause_ns
        let_pass(now_ns)
        if abandons and began:
            ctc = next(iter(began))
            chpid.abandon(ctc, began.pop(ctc)[1], now_ns)
        cargo = Cargo(length, count)
        if direction == "in":
            chpid.observe(1, cargo, now_ns)
        else:
            ctc = Ctc(Rdev(index), chpid, Arbitration.BOTH_FAIL, Fifo(), Fifo())
            began[ctc] = (now_ns, cargo)
            chpid.begin(ctc, cargo, now_ns)
    let_pass(10**15)
    assert not began, "a transfer never completed"
    for window_begin_ns, _, _ in carried:
        for _, window_end_ns, _ in carried:
            inside = [
                cargo
                for begin_ns, end_ns, cargo in carried
                if window_begin_ns <= begin_ns and end_ns <= window_end_ns
            ]
            window_ns = window_end_ns - window_begin_ns
            line_ns = sum(cargo.length for cargo in inside) * PROFILE.line_ns_per_byte
            processor_ns = sum(
                cargo.length * PROFILE.processor_ns_per_byte
                + cargo.count * PROFILE.processor_ns_per_ccw
                for cargo in inside
            )
            assert max(line_ns, processor_ns) <= max(0, window_ns) + len(carried)
