"""A node at the machine's own pace."""

from dataclasses import fields, replace

from msgspec import structs

from ctc.profiles import ChpidProfile
from isfc.link.parameters import LinkParameters
from isfc.live.pace import unpaced
from isfc.system.definition import LinkEndDefinition
from isfc.testing.pair import US, Pair, Setup


def test_nothing_takes_time_but_waiting_for_a_lost_interrupt() -> None:
    before = Setup().definition(0)
    ctcs = tuple(replace(ctc, way_ns=50_000) for ctc in before.ctcs)
    after = unpaced(replace(before, ctcs=ctcs))
    assert {ctc.way_ns for ctc in after.ctcs} == {0}
    parameters = {p.name: getattr(after.parameters, p.name) for p in fields(LinkParameters)}
    times = {name: value for name, value in parameters.items() if name.endswith("_ns")}
    assert times.pop("mih_ns") == before.parameters.mih_ns
    assert set(times.values()) == {0}
    profile = after.ctcs[0].profile
    assert profile.io_ns == profile.turn_ns == profile.line_ns_per_byte == 0
    assert {p.name for p in structs.fields(ChpidProfile) if getattr(profile, p.name) != 0} == {
        "feature",
        "link_gbps",
        "roll_off",  # of a processor that takes no time
    }


def test_what_decides_stays() -> None:
    before, after = Setup().definition(1), unpaced(Setup().definition(1))
    assert after.parameters.package_limit == before.parameters.package_limit
    assert after.parameters.open_backlog_count == before.parameters.open_backlog_count
    assert [ctc.device for ctc in after.ctcs] == [ctc.device for ctc in before.ctcs]


class _Unpaced(Setup):
    def definition(self, here: int) -> LinkEndDefinition:
        return unpaced(Setup.definition(self, here))


def test_an_unpaced_pair_is_held_up_by_the_fibre_alone() -> None:
    pair = Pair(_Unpaced(propagation_ns=1_000))
    pair.send(pair.first, *[100_000] * 20)
    pair.run(100 * US)
    assert pair.all_arrived()


def test_what_is_handed_over_together_goes_in_one_package() -> None:
    for setup in (Setup(), _Unpaced(propagation_ns=1_000)):
        pair = Pair(setup)
        pair.send(pair.first, 10, 10, 10)
        pair.run(100 * US * 100)
        pair.expect_all_arrived()
        counters = pair.first.end.link.counters
        assert (counters.write_package_count, counters.write_message_count) == (1, 3)
