"""Steps from one layout to another: they end there, and links stay up if that can be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ctc.address import ChpidId, Rdev
from ctc.features import find_profile
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import given_collection
from isfc.layout.change import StepKind, change_steps, changed_fibres, link_of
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair, Fibre
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


@given(drawn(st.integers(0, 24)), drawn(st.integers(0, 24)))
def test_steps_end_in_the_other_layout_and_keep_the_link_up(
    before: Collection, after: Collection
) -> None:
    state = {ctc.rdevs: ctc.fibre.chpids for ctc in before.links[0].ctcs}
    steps = change_steps(before, after)
    for step in steps:
        for each in step.ctcs:
            if step.kind is StepKind.ADD:
                assert all(
                    mine != theirs
                    for rdevs in state
                    for mine, theirs in zip(rdevs, each.ctc.rdevs, strict=True)
                )
                state[each.ctc.rdevs] = each.ctc.fibre.chpids
            else:
                assert state.pop(each.ctc.rdevs) == each.ctc.fibre.chpids
        assert len(state) <= 16
        assert step.is_down is (not state)
        left = () if step.left is None else step.left.ctcs
        assert {ctc.rdevs: ctc.fibre.chpids for ctc in left} == state
    assert state == {ctc.rdevs: ctc.fibre.chpids for ctc in after.links[0].ctcs}
    assert not any(step.is_down for step in steps) or len(before.links[0].ctcs) <= 2


@given(drawn(st.integers(0, 24)))
def test_a_reset_takes_every_ctc_out_once_and_keeps_the_link_up(link: Collection) -> None:
    steps = change_steps(link, link, NODES)
    ctcs = link.links[0].ctcs
    for kind in StepKind:
        each = [one.ctc.rdevs for step in steps if step.kind is kind for one in step.ctcs]
        assert sorted(each) == sorted(ctc.rdevs for ctc in ctcs)
    assert any(step.is_down for step in steps) is (len(ctcs) == 1)
    assert not any(step.frees for step in steps)


def test_what_is_new_comes_before_what_is_gone_leaves() -> None:
    steps = change_steps(collection((0, 1, 1), (0, 2, 2)), collection((1, 3, 3)))
    assert [step.kind for step in steps] == [StepKind.ADD, StepKind.REMOVE]


def test_numbers_that_move_are_freed_while_another_ctc_stays() -> None:
    steps = change_steps(collection((0, 1, 1), (0, 2, 2)), collection((1, 1, 1), (1, 2, 2)))
    assert [(step.kind, len(step.ctcs), step.is_down) for step in steps] == [
        (StepKind.REMOVE, 1, False),
        (StepKind.ADD, 1, False),
        (StepKind.REMOVE, 1, False),
        (StepKind.ADD, 1, False),
    ]
    assert steps[0].frees == steps[0].ctcs


def test_a_link_of_one_ctc_that_moves_goes_down_and_it_is_said() -> None:
    steps = change_steps(collection((0, 1, 1)), collection((1, 1, 1)))
    assert [step.is_down for step in steps] == [True, False]


def test_layouts_of_other_systems_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="expected two layouts of the same systems"):
        change_steps(given_collection("published-12"), given_collection("atlanta-boston"))


def test_other_hardware_between_the_same_chpids_is_no_step() -> None:
    before = collection((0, 1, 1))
    faster = before.links[0].with_fibres(
        lambda fibre: replace(fibre, profile=find_profile("FICON Express16S"))
    )
    after = Collection((faster,))
    assert change_steps(before, after) == ()
    ((nodes, was, is_now),) = changed_fibres(before, after)
    assert nodes == NODES
    assert (was.profile.feature, is_now.profile.feature) == ("FICON Express8S", "FICON Express16S")
