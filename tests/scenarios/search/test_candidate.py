"""Candidates are each choice once, and keep the device numbers that are defined where they can."""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.layout.file import parse_layout
from isfc.layout.layout import CtcPair, Layout
from isfc.layout.plan import find_all
from scenarios.search.candidate import (
    all_candidates,
    candidate_of,
    canonical,
    exchanged,
    numbered,
    parse_fixed,
    with_kept_numbers,
)

LAYOUT = parse_layout("""
[fibre.a]
feature = "FICON Express4"
chpid = { A = "40", B = "50" }
[fibre.b]
feature = "FICON Express4"
chpid = { A = "41", B = "51" }
[fibre.f]
feature = "FICON Express8S"
chpid = { A = "42", B = "52" }
[[ctc]]
fibre = "a"
rdevs = { A = "6000-6001", B = "7000-7001" }
[[ctc]]
fibre = "b"
rdevs = { A = "6010", B = "7010" }
[[ctc]]
fibre = "f"
rdevs = { A = "6020", B = "7020" }
""")
FIBRES = LAYOUT.fibres
SEQUENCES = st.lists(st.integers(0, 2), min_size=1, max_size=16).map(tuple)


@given(SEQUENCES)
def test_fibres_that_are_alike_may_change_places(candidate: tuple[int, ...]) -> None:
    swapped = tuple((1, 0, 2)[index] for index in candidate)
    assert canonical(swapped, FIBRES) == canonical(candidate, FIBRES)
    assert canonical(canonical(candidate, FIBRES), FIBRES) == canonical(candidate, FIBRES)


def test_fibres_of_two_lengths_are_not_alike() -> None:
    near, far = FIBRES[0], replace(FIBRES[1], km=20)
    assert canonical((1, 0), (near, far)) == (1, 0)
    assert canonical((1, 0), (near, replace(far, km=0))) == (0, 1)
    assert all_candidates((near, far), 2, 10) == [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize("ctcs", [1, 2, 3, 5])
def test_enumeration_has_every_candidate_once(ctcs: int) -> None:
    every = {canonical(sequence, FIBRES) for sequence in product(range(3), repeat=ctcs)}
    found = all_candidates(FIBRES, ctcs, 10_000)
    assert found is not None
    assert sorted(found) == sorted(every)


def test_too_many_are_not_enumerated() -> None:
    assert all_candidates(FIBRES, 16, 1_000) is None


def test_fixed_device_that_there_is_not_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"^fixed 6005: no such device at A"):
        parse_fixed(LAYOUT, [Rdev(0x6005)])


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Over the same fibres, with numbers near and far, the same at both ends or not."""
    numbers = draw(st.lists(st.integers(0x100, 0x120), min_size=1, max_size=8, unique=True))
    there = 0 if draw(st.booleans()) else 0x1000
    ctcs = tuple(
        CtcPair(draw(st.sampled_from(FIBRES)), (Rdev(number), Rdev(number + there)))
        for number in sorted(numbers)
    )
    return Layout(LAYOUT.nodes, FIBRES, ctcs)


@given(SEQUENCES)
def test_layout_of_a_candidate_is_that_candidate_over_the_fibres_it_uses(
    candidate: tuple[int, ...],
) -> None:
    layout = numbered(LAYOUT, candidate)
    assert layout is not None
    used = [FIBRES.index(fibre) for fibre in layout.fibres]
    assert tuple(used[index] for index in candidate_of(layout)) == candidate
    assert used == sorted(set(candidate))


@given(SEQUENCES)
def test_fixed_devices_keep_chpid_and_both_numbers(candidate: tuple[int, ...]) -> None:
    fixed = parse_fixed(LAYOUT, [Rdev(0x6001), Rdev(0x6010)])
    layout = numbered(LAYOUT, candidate, fixed)
    held = [ctc for ctc in LAYOUT.ctcs if ctc.rdevs[0] in fixed]
    if layout is None:
        positions = [index for index in candidate if index in (0, 1)]
        has_both_in_order = any(
            first == 0 and 1 in positions[place + 1 :] for place, first in enumerate(positions)
        )
        crowded = len(candidate) > 14
        assert not has_both_in_order or crowded
    else:
        assert set(held) <= set(layout.ctcs)
        rdevs = [rdev for ctc in layout.ctcs for rdev in ctc.rdevs]
        assert len(set(rdevs)) == len(rdevs)
        assert [FIBRES.index(ctc.fibre) for ctc in layout.device_list()] == list(candidate)


@given(layouts(), SEQUENCES)
def test_as_many_ctcs_keep_their_numbers_as_can(layout: Layout, candidate: tuple[int, ...]) -> None:
    found = with_kept_numbers(layout, [candidate])
    assert found is not None
    kept = {*found.ctcs} & {*layout.ctcs}
    assert len(kept) == most_that_can_stay(layout, candidate)


def most_that_can_stay(layout: Layout, candidate: tuple[int, ...]) -> int:
    """Looked for from the top down, by every choice of a CTC for a position."""
    devices = layout.device_list()

    def longest(place: int, number: int, low: int) -> int:
        """``low`` is the number of the position before, if the numbers go up by 1 from there."""
        best = 0
        for position, index in ((p, candidate[p]) for p in range(place, len(candidate))):
            for other in range(number, len(devices)):
                here = devices[other].rdevs[0]
                if FIBRES[index] == devices[other].fibre and here - low >= position - place + 1:
                    best = max(best, 1 + longest(position + 1, other + 1, here))
        return best

    return longest(0, 0, -1)


@given(layouts(), SEQUENCES)
def test_new_numbers_make_no_finding_of_their_own(
    layout: Layout, candidate: tuple[int, ...]
) -> None:
    found = with_kept_numbers(layout, [candidate])
    assert found is not None
    assert tuple(FIBRES.index(ctc.fibre) for ctc in found.device_list()) == candidate
    assert all(a.rdevs[1] < b.rdevs[1] for a, b in pairwise(found.device_list()))
    used = {rdev for ctc in layout.ctcs for rdev in ctc.rdevs}
    new = {ctc for ctc in found.ctcs if ctc not in layout.ctcs}
    moved = {ctc for ctc in new if {*ctc.rdevs} & used}
    about_numbers = {f.id for f in find_all(found) if f.id.startswith("rdevs-")}
    assert not about_numbers or moved


def test_numbers_that_are_defined_are_taken_only_where_no_others_have_room() -> None:
    there_is_room = with_kept_numbers(LAYOUT, [(0, 2, 0, 1)])
    assert there_is_room is not None
    assert [ctc.rdevs[0] for ctc in there_is_room.device_list()] == [0x6000, 0x6002, 0x6003, 0x6010]
    ctcs = tuple(CtcPair(FIBRES[f], (Rdev(n), Rdev(n))) for n, f in enumerate([0, 1, 0]))
    none = with_kept_numbers(Layout(LAYOUT.nodes, FIBRES, ctcs), [(0, 2, 0)])
    assert none is not None
    assert [ctc.rdevs for ctc in none.device_list()] == [(0, 0), (1, 1), (2, 2)]


@given(SEQUENCES)
def test_alike_fibres_are_exchanged_and_no_others(candidate: tuple[int, ...]) -> None:
    every = [*exchanged(candidate, FIBRES)]
    assert every[0] == candidate
    assert {canonical(one, FIBRES) for one in every} == {canonical(candidate, FIBRES)}
    swapped = tuple((1, 0, 2)[index] for index in candidate)
    assert {*every} == {candidate, swapped}


def test_of_alike_fibres_those_are_taken_that_keep_more_numbers() -> None:
    devices = tuple(CtcPair(FIBRES[fibre], (Rdev(n), Rdev(n))) for n, fibre in enumerate([1, 1, 2]))
    layout = Layout(LAYOUT.nodes, FIBRES, devices)
    found = with_kept_numbers(layout, exchanged((0, 0, 2), FIBRES))
    assert found is not None
    assert {*found.ctcs} == {*devices}


def test_layout_given_keeps_all_its_numbers() -> None:
    for down in product(range(3), repeat=3):
        ctcs = tuple(CtcPair(FIBRES[f], (Rdev(n), Rdev(n + 9))) for n, f in enumerate(down))
        layout = Layout(LAYOUT.nodes, FIBRES, ctcs)
        found = with_kept_numbers(layout, [candidate_of(layout)])
        assert found is not None
        assert {*found.ctcs} == {*ctcs}
