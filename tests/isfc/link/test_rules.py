"""Rules of one's own take the place of ISFC's, as functions that are passed in."""

from collections.abc import Sequence

import pytest

from isfc.link.package import PackageLimit, Packager
from isfc.link.parameters import LinkParameters, LinkRules
from isfc.link.scan import LinkDevice, write_order
from isfc.link.schedule import WriteScheduler
from isfc.testing.pair import Pair, Setup

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
