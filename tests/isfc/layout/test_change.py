"""Steps from one layout to another: they end there, and links stay up if that can be."""

import dataclasses
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ctc.address import ChpidId, Rdev
from ctc.features import find_profile
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import given_collection
from isfc.layout.change import change_steps, changed_fibres, link_of, orders_of, trials_of
from isfc.layout.change_search import StepKind
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre
from isfc.layout.processors import Processors
from isfc.link.name import NodeName

NODES = NodeName("A"), NodeName("B")
FIBRES = [
    Fibre(str(n), find_profile("FICON Express8S"), (ChpidId(0x40 + n), ChpidId(0x50 + n)))
    for n in range(3)
]


def collection(*ctcs: tuple[int, int, int]) -> Collection:
    """A link of CTCs, each as fibre and its numbers."""
    pairs = [CtcPair(FIBRES[fibre], (Rdev(first), Rdev(second))) for fibre, first, second in ctcs]
    return Collection((link_of(NODES, pairs),))


def drawn(numbers: st.SearchStrategy[int]) -> st.SearchStrategy[Collection]:
    """A link of up to sixteen CTCs, each number once at each end."""
    firsts = st.lists(numbers, min_size=1, max_size=16, unique=True)
    return firsts.flatmap(
        lambda some: st.tuples(
            st.permutations(some), st.lists(st.integers(0, 2), min_size=16, max_size=16)
        ).map(lambda both: collection(*zip(both[1], some, both[0], strict=False)))
    )


@given(drawn(st.integers(0, 24)))
def test_a_reset_brings_the_link_down_with_all_ctcs_out_once(link: Collection) -> None:
    out, back = change_steps(link, link, NODES).steps
    assert (out.kind, out.is_down, back.kind, back.is_down) == ("remove", True, "add", False)
    ctcs = link.links[0].ctcs
    for step in (out, back):
        assert sorted(one.ctc.rdevs for one in step.ctcs) == sorted(ctc.rdevs for ctc in ctcs)
        assert not step.frees


def test_what_is_new_comes_before_what_is_gone_leaves() -> None:
    steps = change_steps(collection((0, 1, 1), (0, 2, 2)), collection((1, 3, 3))).steps
    assert [step.kind for step in steps] == [StepKind.ADD, StepKind.REMOVE]


def test_numbers_that_move_are_freed_while_another_ctc_stays() -> None:
    steps = change_steps(collection((0, 1, 1), (0, 2, 2)), collection((1, 1, 1), (1, 2, 2))).steps
    assert [(step.kind, len(step.ctcs), step.is_down) for step in steps] == [
        (StepKind.REMOVE, 1, False),
        (StepKind.ADD, 1, False),
        (StepKind.REMOVE, 1, False),
        (StepKind.ADD, 1, False),
    ]
    assert steps[0].frees == steps[0].ctcs[0].ends


def test_sixteen_are_renumbered_by_eight_and_eight_as_many_of_each_fibre() -> None:
    before, after = (collection(*((n % 2, n + at, n + at) for n in range(16))) for at in (0, 100))
    steps = change_steps(before, after).steps
    assert [(step.kind, len(step.ctcs)) for step in steps] == [("remove", 8), ("add", 8)] * 2
    for step in steps:
        assert Counter(one.ctc.fibre.name for one in step.ctcs) == {"1": 4, "2": 4}


def test_a_link_of_one_ctc_that_moves_has_another_meanwhile() -> None:
    found = change_steps(collection((0, 1, 1)), collection((1, 1, 1)))
    assert [(step.kind, step.rdevs[0], step.is_down) for step in found.steps] == [
        (StepKind.ADD, (2,), False),
        (StepKind.REMOVE, (1,), False),
        (StepKind.ADD, (1,), False),
        (StepKind.REMOVE, (2,), False),
    ]
    assert len(found.steps[3].lent) == 1
    assert found.steps[3].lent == found.steps[0].ctcs
    words = [order.words for order in orders_of(found.steps[3]) if order.words]
    assert words == ["delete 0002: neither layout has it"] * 2


def test_layouts_of_other_systems_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="expected two layouts of the same systems"):
        change_steps(given_collection("published-12"), given_collection("atlanta-boston"))


def test_other_hardware_between_the_same_chpids_is_no_step() -> None:
    before = collection((0, 1, 1))
    faster = before.links[0].with_fibres(
        lambda fibre: replace(fibre, profile=find_profile("FICON Express16S"))
    )
    after = Collection((faster,))
    assert change_steps(before, after).steps == ()
    ((nodes, was, is_now),) = changed_fibres(before, after)
    assert nodes == NODES
    assert (was.profile.feature, is_now.profile.feature) == ("FICON Express8S", "FICON Express16S")


def test_a_link_keeps_its_machines_through_every_step_and_trial() -> None:
    before, after = collection((0, 1, 1), (0, 2, 2)), collection((1, 1, 1), (1, 2, 2))
    on = (Processors("z16 A01"), Processors("z14"))
    before, after = (
        Collection((dataclasses.replace(each.links[0], machines=on),)) for each in (before, after)
    )
    steps = change_steps(before, after).steps
    assert {step.left.machines for step in steps if step.left} == {on}
    trials = [given_collection(each.layout) for each in trials_of(before.links[0], steps, before)]
    assert {trial.links[0].machines for trial in trials} == {on}
