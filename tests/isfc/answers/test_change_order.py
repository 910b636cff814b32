"""The order of a change, by what links carry: as few steps as they leave enough."""

from collections.abc import Callable, Iterable
from types import SimpleNamespace

import pytest

from isfc.answers.change_order import order_steps
from isfc.layout.build import new
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from scenarios.runs.experiment import in_turn


@pytest.mark.parametrize(
    ("carries", "left"),
    [(lambda ctcs: ctcs, [9, 9]), (lambda ctcs: min(ctcs, 2), [2])],
    ids=["a CTC as much as the next", "two CTCs as much as all"],
)
def test_as_many_ctcs_stay_as_carry_enough(
    carries: Callable[[int], float], left: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fourteen of sixteen are renumbered: all at a time, if the two others carry enough."""

    def carried_alone(links: Iterable[Layout], _run_each: object) -> dict[Layout, object]:
        rates = {link: SimpleNamespace(value=carries(len(link.ctcs))) for link in links}
        return {link: SimpleNamespace(rate=rate) for link, rate in rates.items()}

    monkeypatch.setattr("isfc.answers.change_order.carried_alone", carried_alone)
    before, after = (new("A,B", "40:50", ctcs=16, rdevs=first) for first in ("6000", "600E"))
    found, _ = order_steps(Collection.of(before), Collection.of(after), None, in_turn)
    assert [len(step.left.ctcs) for step in found.steps if step.between and step.left] == left
