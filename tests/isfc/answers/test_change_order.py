"""The order of a change, by what links carry: as few steps as they leave enough."""

from collections.abc import Callable, Iterable
from types import SimpleNamespace

import pytest

from ctc.address import ChpidId, Rdev
from ctc.features import find_profile
from isfc.answers.change_order import order_steps
from isfc.layout.build import new
from isfc.layout.change import link_of
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.name import NodeName
from scenarios.runs.experiment import in_turn


def fibre(feature: str, chpid: int) -> Fibre:
    return Fibre("1", find_profile(feature), (ChpidId(chpid), ChpidId(chpid + 0x10)))


def carrying(monkeypatch: pytest.MonkeyPatch, carries: Callable[[Layout], float]) -> None:
    """Let links carry that, in place of what runs say."""

    def carried_alone(links: Iterable[Layout], _run_each: object) -> dict[Layout, object]:
        rates = {link: SimpleNamespace(value=carries(link)) for link in links}
        return {link: SimpleNamespace(rate=rate) for link, rate in rates.items()}

    monkeypatch.setattr("isfc.answers.change_order.carried_alone", carried_alone)


@pytest.mark.parametrize(
    ("carries", "left"),
    [(lambda ctcs: ctcs, [9, 9]), (lambda ctcs: min(ctcs, 2), [2])],
    ids=["a CTC as much as the next", "two CTCs as much as all"],
)
def test_as_many_ctcs_stay_as_carry_enough(
    carries: Callable[[int], float], left: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fourteen of sixteen are renumbered: all at a time, if the two others carry enough."""
    carrying(monkeypatch, lambda link: carries(len(link.ctcs)))
    before, after = (new("A,B", "40:50", ctcs=16, rdevs=first) for first in ("6000", "600E"))
    found, _ = order_steps(Collection.of(before), Collection.of(after), None, in_turn)
    assert [len(step.left.ctcs) for step in found.steps if step.between and step.left] == left


@pytest.mark.parametrize(
    ("fast", "slow", "left"), [(4, 4, [6, 6]), (1, 15, [15])], ids=["can be", "cannot be"]
)
def test_more_than_half_of_the_ctcs_stay_where_the_slow_ones_carry_too_little(
    fast: int, slow: int, left: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All fast ones go to other chpids with their numbers, which by count is best in one step."""
    carrying(monkeypatch, lambda link: sum(ctc.fibre.gbps > 1 for ctc in link.ctcs))
    sides = []
    for chpid in (0x40, 0x42):
        fibres = [fibre("FICON Express8S", chpid)] * fast + [fibre("FICON Express", 0x41)] * slow
        ctcs = [CtcPair(each, (Rdev(n), Rdev(n))) for n, each in enumerate(fibres)]
        sides.append(Collection.of(link_of((NodeName("A"), NodeName("B")), ctcs)))
    found, _ = order_steps(sides[0], sides[1], None, in_turn)
    assert [len(step.left.ctcs) for step in found.steps if step.between and step.left] == left
