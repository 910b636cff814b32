"""The numbers of the link driver, what they are computed from, and rules of one's own."""

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.link.counters import LinkCounters
from isfc.link.message import Message, Traffic
from isfc.link.package import BLOCK_LENGTH, CHAINED_LENGTH_MIN, Package, PackageLimit, Packager
from isfc.link.parameters import PACKAGE_LIMIT, Cache, LinkCosts, LinkParameters, LinkRules
from isfc.link.scan import LinkDevice, stop_short, write_order
from isfc.link.schedule import WriteScheduler
from isfc.testing.pair import Pair, Setup

PACKAGE = Package(
    0, [Message(0, 400), Message(1, 600, Traffic.LEGACY), Message(2, 0, Traffic.LEGACY)], 1_000
)
FREE = replace(
    LinkParameters(),
    build_package_ns=0,
    dispatch_ns=0,
    appc_ns_per_byte_built=0.0,
    appc_ns_per_byte_taken=0.0,
    receive_ns_per_byte=0.0,
)


def test_package_costs_something_to_build_and_its_appc_segments_to_receive() -> None:
    def costs_ns(**costs: float) -> tuple[int, int]:
        parameters = replace(FREE, **costs)  # type: ignore[arg-type]  # names from the caller
        return LinkCosts(parameters).build_ns(PACKAGE), LinkCosts(parameters).receive_ns(PACKAGE)

    assert costs_ns() == (0, 0)
    assert costs_ns(build_package_ns=70) == (70, 0)
    assert costs_ns(dispatch_ns=70) == (140, 140)
    assert costs_ns(appc_ns_per_byte_built=3.0) == (1_800, 0)
    assert costs_ns(appc_ns_per_byte_taken=2.0) == (0, 1_200)
    assert costs_ns(receive_ns_per_byte=2.0) == (0, 2 * (PACKAGE.length - 600))


@pytest.mark.parametrize("large", range(9))
def test_eight_hl_messages_fit_only_when_five_of_them_are_small(large: int) -> None:
    # derived from the 7.01 messages a package of H001709C; 122,880 and 98,304 bytes
    packager = Packager(PACKAGE_LIMIT)
    for length in [122_880] * large + [98_304] * (8 - large):
        packager.add(Message(0, length))
    assert packager.pack().count == (8 if large <= 3 else 7)


def test_single_ctc_carries_few_messages_at_a_time_however_many_wait() -> None:
    # derived from the one-CTC rows: one HL message, one or two of HM's, two or three of HS's
    for length, counts in ((8_192, {2, 3}), (32_768, {1}), (122_880, {1})):
        packager = Packager(LinkParameters().limits(single_ctc=True)[0])
        for _ in range(50):
            packager.add(Message(0, length))
        assert packager.pack().count in counts


def test_single_ctc_carries_a_few_segments_of_appc_at_a_time() -> None:
    parameters = replace(
        LinkParameters(), single_ctc_appc_length=215_000, single_ctc_message_length=20_000
    )
    for length, count in ((1, 10), (10_000, 7), (32_768, 4)):
        packager = Packager(PACKAGE_LIMIT)
        _, packager.appc_limit = parameters.limits(single_ctc=True)
        for _ in range(50):
            packager.add(Message(0, length, Traffic.LEGACY))
        assert len(packager.pack().messages) == count


def test_a_block_opens_the_second_of_eight_ctcs_and_not_of_four() -> None:
    rule = LinkParameters().opening_rule
    lengths = [rule.of(count - stop_short(count)).message_length for count in (4, 8, 16)]
    assert lengths[0] > BLOCK_LENGTH > lengths[1] > lengths[2] == rule.message_length


@pytest.mark.parametrize("field", ["length", "count", "message_length"])
def test_the_fewer_ctcs_an_end_has_the_later_it_opens_one(field: str) -> None:
    rule = LinkParameters().opening_rule
    numbers = [getattr(rule.of(ctcs), field) for ctcs in range(1, 15)]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[-1] == math.ceil(getattr(rule, field))


def test_limits_of_packages_depend_on_whether_a_ctc_is_alone_and_on_what_begins_them() -> None:
    parameters = replace(
        LinkParameters(),
        package_limit=PackageLimit(9_000),
        share_length=40,
        single_ctc_length=100,
        single_ctc_appc_length=200,
        single_ctc_message_length=30,
        open_backlog_length=700,
        open_backlog_count=9,
    )
    assert (parameters.opening_rule.length, parameters.opening_rule.count) == (700, 9)
    shared = PackageLimit(9_000, share_length=40)
    assert parameters.limits(single_ctc=False) == (shared, PackageLimit(9_000))
    assert parameters.limits(single_ctc=True) == (PackageLimit(100, 30), PackageLimit(200, 30))


def test_every_time_is_positive() -> None:
    parameters = LinkParameters()
    names = [name for name in parameters.__slots__ if name.endswith("_ns") or "_ns_" in name]
    assert len(names) > 5
    assert all(getattr(parameters, name) > 0 for name in names)
    for fewer, more in combinations_with_replacement((1, 2, 30), 2):
        small, large = (Package(0, [Message(0, 100)] * n, 100 * n) for n in (fewer, more))
        assert LinkCosts(parameters).build_ns(small) <= LinkCosts(parameters).build_ns(large)
        assert LinkCosts(parameters).receive_ns(small) <= LinkCosts(parameters).receive_ns(large)


def test_processor_time_is_used_for_messages_packages_that_are_read_and_appc() -> None:
    counters = LinkCounters()
    nothing = dict.fromkeys([f.name for f in fields(LinkParameters) if f.name[:4] == "cpu_"], 0)
    counters.write_message_count, counters.read_message_count = 40, 50
    counters.write_length, counters.read_length = 1_000, 500
    counters.write_package_count, counters.read_package_count = 2, 3

    def cpu_ns(**costs: float) -> int:
        costs = nothing | costs
        parameters = replace(LinkParameters(), **costs)  # type: ignore[arg-type]  # numbers all
        return LinkCosts(parameters).cpu_ns(counters, appc_count=4)

    assert cpu_ns() == 0
    assert cpu_ns(cpu_message_ns=1) == 90
    assert cpu_ns(cpu_read_package_ns=1) == 3
    assert cpu_ns(cpu_appc_message_ns=10) == 40
    assert cpu_ns(cpu_message_ns=1, cpu_read_package_ns=1, cpu_appc_message_ns=10) == 133


def test_a_byte_takes_as_much_processor_time_as_it_costs_to_receive_either_way() -> None:
    costs = LinkCosts(replace(LinkParameters(), cpu_ns_per_byte=1.0, recent_share=0.5))
    first = Package(0, [Message(0, 10_000)], 10_000)
    assert costs.receive_ns(first) > 0  # nothing of it is in the cache
    after_first = costs.cpu_ns(LinkCounters())
    costs.receive_ns(Package(1, [Message(0, 10_000)], 10_000))
    after_second = costs.cpu_ns(LinkCounters())
    costs.build_ns(first)
    assert after_first == pytest.approx(10_000, rel=0.02)  # with its headers
    assert after_second - after_first == pytest.approx(5_000, rel=0.02)
    assert costs.cpu_ns(LinkCounters()) - after_second == pytest.approx(5_000, rel=0.02)


REUSE_LENGTH = 1_000_000


def package(conversation: int, length: int) -> Package:
    """One message, and a header's bytes more."""
    return Package(0, [Message(conversation, length)], length)


def test_first_message_of_a_conversation_costs_all_and_the_next_little_more_than_the_least() -> (
    None
):
    cache = Cache(0.5, REUSE_LENGTH)
    each = package(1, 100_000)
    assert cache.receive(each) == 1.0
    assert cache.receive(each) == pytest.approx(0.5 + 0.5 * each.length / REUSE_LENGTH)


def test_what_is_sent_and_what_others_receive_displaces_it() -> None:
    cache = Cache(0.5, REUSE_LENGTH)
    small, large = package(1, 1_000), package(2, 200_000)
    cache.receive(small)
    cache.receive(large)
    cache.send(large)
    passed = 2 * large.length + small.length
    assert cache.receive(small) == pytest.approx(0.5 + 0.5 * passed / REUSE_LENGTH)
    for _ in range(5):
        cache.send(large)
    assert cache.receive(small) == 1.0


def test_short_messages_tell_nothing() -> None:
    cache = Cache(0.25, REUSE_LENGTH)
    short = package(1, CHAINED_LENGTH_MIN - 1)
    assert [cache.receive(short) for _ in range(3)] == [0.25] * 3


@given(
    st.floats(0.1, 1.0),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)), min_size=1, max_size=30),
)
def test_a_byte_costs_between_the_least_and_all(
    recent_share: float, traffic: list[tuple[int, int]]
) -> None:
    cache = Cache(recent_share, REUSE_LENGTH)
    for conversation, length in traffic:
        share = cache.receive(package(conversation, length))
        assert recent_share - 1e-9 <= share <= 1.0 + 1e-9
    if recent_share == 1.0:
        assert share == pytest.approx(1.0)


PARAMETERS = LinkParameters()


def eager(
    devices: Sequence[LinkDevice], lesser: bool, parameters: LinkParameters
) -> WriteScheduler:
    """A further CTC for whatever waits; else ISFC's."""
    return WriteScheduler(
        write_order(devices, lesser=lesser),
        parameters.opening_rule,
        keep=lambda _: 0,
        opens_further=lambda *_: True,
    )


def by_twos(parameters: LinkParameters) -> Packager:
    """Two messages a package, if the first is short."""
    return Packager(
        parameters.package_limit,
        take=lambda packager: 2 if packager.waiting_length(0) < 1_000 else 1,
    )


def ctcs_written(rules: LinkRules) -> int:
    """On how many CTCs a pair writes short messages that are sent one after the other."""
    pair = Pair(Setup(ctc_count=8), rules=rules)
    for _ in range(5):
        pair.send(pair.first, 100)
    pair.expect_all_arrived()
    ctcs = pair.first.end.link.ctcs.values()
    return sum(ctc.counters.write_package_count > 0 for ctc in ctcs)


def test_links_have_isfcs_rules_if_nothing_else_is_said() -> None:
    link = Pair(Setup(ctc_count=4)).first.end.link
    devices = [ctc.device for ctc in link.ctcs.values()]
    assert link.scheduler.order == write_order(devices, lesser=True)
    limits = PARAMETERS.limits(single_ctc=False)
    assert (link.packager.limit, link.packager.appc_limit) == limits
    assert LinkRules().packager(PARAMETERS).limit == PARAMETERS.package_limit


def test_opening_rule_of_ones_own_opens_a_ctc_for_whatever_waits() -> None:
    assert ctcs_written(LinkRules()) == 1  # what waits is not worth a second one
    assert ctcs_written(LinkRules(scheduler=eager)) == 2


def test_package_rule_of_ones_own_says_how_many_messages_a_package_has() -> None:
    packager = by_twos(PARAMETERS)
    pair = Pair(Setup(ctc_count=1), rules=LinkRules(packager=by_twos))
    assert pair.first.end.link.packager.waiting_count == packager.waiting_count == 0
    pair.send(pair.first, *[100] * 9)
    pair.expect_all_arrived()
    assert pair.first.end.link.counters.write_package_count == 5  # four of two, then one alone


@pytest.mark.parametrize(("wanted", "packages"), [(0, 4), (2, 2), (99, 1)])
def test_package_rule_is_held_to_what_waits_and_to_one_message(wanted: int, packages: int) -> None:
    def make(_: LinkParameters) -> Packager:
        return Packager(PackageLimit(length=1), take=lambda _: wanted)

    pair = Pair(Setup(ctc_count=1), rules=LinkRules(packager=make))
    pair.send(pair.first, *[50] * 4)
    pair.expect_all_arrived()
    assert pair.first.end.link.counters.write_package_count == packages
