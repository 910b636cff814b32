"""Two systems whose writes meet on one CTC: who hears of it, who writes again, who reads first."""

from dataclasses import replace

import pytest

from ctc.device import Arbitration
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.link.state import DeviceState
from isfc.testing.pair import BOTH_FAIL, FIRST_WINS, MS, SECOND_WINS, Pair, S, Setup
from tests.isfc.link.link_harness import is_full

RULES = [BOTH_FAIL, FIRST_WINS, SECOND_WINS]
Rules = tuple[Arbitration, Arbitration]


def write_at_once(pair: Pair, count: int = 1) -> None:
    """Let both sides begin a write at the very same time."""
    for side in pair.sides:
        pair.send(side, *[100] * count)


@pytest.mark.parametrize("rules", RULES)
def test_collision_leaves_both_packages_intact(rules: Rules) -> None:
    pair = Pair(Setup(ctc_count=1, arbitrations=rules))
    write_at_once(pair)
    pair.expect_all_arrived(limit_ns=S)
    assert sum(side.end.link.counters.collision_count for side in pair.sides) > 0
    assert pair.first.end.link.counters.write_package_count == 1
    assert pair.second.end.link.counters.write_package_count == 1


def collisions(pair: Pair) -> list[int]:
    return [side.end.link.counters.collision_count for side in pair.sides]


def test_both_ends_count_the_same_collisions() -> None:
    pair = Pair(Setup(ctc_count=1))
    for _ in range(20):
        write_at_once(pair, 5)
        pair.run(MS)
    pair.expect_all_arrived()
    first, second = collisions(pair)
    assert first == second >= 20


@pytest.mark.parametrize(("rules", "loser"), [(FIRST_WINS, 1), (SECOND_WINS, 0)])
def test_with_a_winner_only_the_loser_collides(rules: Rules, loser: int) -> None:
    pair = Pair(Setup(ctc_count=1, arbitrations=rules))
    for _ in range(5):
        write_at_once(pair)
        pair.expect_all_arrived()
    counts = collisions(pair)
    assert counts[1 - loser] == 0
    assert counts[loser] == 5


def test_lesser_name_writes_first_after_every_collision() -> None:
    pair = Pair(Setup(ctc_count=1))
    firsts = []
    for _ in range(6):
        write_at_once(pair)
        before = {side.system.name: len(side.verbs("WRITE")) for side in pair.sides}
        pair.expect_all_arrived()
        # the write that collided, then the one that was made again
        again_ns = {
            side.system.name: side.verbs("WRITE")[before[side.system.name] + 1][0]
            for side in pair.sides
        }
        firsts.append(min(again_ns, key=lambda name: again_ns[name]))
    assert firsts == ["ATLANTA"] * 6


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("length", [100, 120_000])
def test_saturated_single_ctc_never_livelocks(rules: Rules, length: int) -> None:
    pair = Pair(Setup(ctc_count=1, arbitrations=rules))
    for side in pair.sides:
        pair.send(side, *[length] * 1_500)
    last = [0, 0]
    for _ in range(4):
        pair.run(20 * MS)
        counts = [side.end.link.counters.write_package_count for side in pair.sides]
        gains = [now - before for now, before in zip(counts, last, strict=True)]
        assert sum(gains) > 10
        # without a winner both write after a collision; a winner may go on while it has work
        assert rules is not BOTH_FAIL or max(gains) - min(gains) <= 2
        assert all(side.end.link.packager for side in pair.sides)  # saturated it is
        last = counts
    pair.expect_all_arrived()


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("ctc_count", [1, 4])
def test_no_ctc_is_read_before_its_last_package_is_handed_over_and_both_directions_flow(
    ctc_count: int, rules: Rules
) -> None:
    # to receive takes longer than to carry it through the fibre: packages wait for that
    parameters = replace(
        LinkParameters(),
        receive_ns_per_byte=50.0,
        build_package_ns=80_000,
        package_limit=PackageLimit(length=50_000),
    )
    pair = Pair(Setup(ctc_count=ctc_count, arbitrations=rules, parameters=parameters))
    for side in pair.sides:
        pair.send(side, *[20_000] * 100)
    waited, written = [0, 0], [0, 0]
    while not pair.all_arrived():
        assert pair.step()
        assert pair.engine.now_ns < S, "something waits for ever"
        for here, side in enumerate(pair.sides):
            full = [ctc for ctc in side.end.link.ctcs.values() if is_full(ctc)]
            for ctc in full:
                assert ctc.state not in (DeviceState.ATTENTION, DeviceState.READING)
                waited[here] += ctc.attended
                written[here] += ctc.state is DeviceState.WRITING
    assert min(waited) > 0
    assert min(written) > 0
    pair.expect_all_arrived()
    assert not any(side.verbs("DeviceLost") for side in pair.sides)


def test_write_that_comes_while_ours_is_built_goes_first_on_a_single_ctc() -> None:
    parameters = replace(LinkParameters(), build_package_ns=MS)
    pair = Pair(Setup(ctc_count=1, parameters=parameters))
    pair.send(pair.first, 100)
    pair.run(MS // 2)
    pair.send(pair.second, 100)  # its package is half built when the first one's write comes
    pair.expect_all_arrived()
    assert collisions(pair) == [0, 0]
    assert pair.first.verbs("WRITE") < pair.second.verbs("WRITE")


@pytest.mark.parametrize("rules", RULES)
def test_on_a_single_ctc_ours_waits_for_the_partners_attention(rules: Rules) -> None:
    parameters = replace(LinkParameters(), build_package_ns=MS, dispatch_ns=MS)
    pair = Pair(Setup(ctc_count=1, arbitrations=rules, parameters=parameters))
    pair.send(pair.first, 100)
    pair.run(MS // 2)
    pair.send(pair.second, 100)
    # its package is built half a dispatch before the turn of the attention
    pair.until(lambda: bool(pair.second.verbs("SENSE_COMMAND_BYTE")), limit_ns=3 * MS)
    assert pair.second.verbs("Attention")
    assert not pair.second.verbs("WRITE")
    pair.expect_all_arrived()
    assert collisions(pair) == [0, 0]
    assert [len(side.verbs("WRITE")) for side in pair.sides] == [1, 1]
