"""Candidates: alike ones are one, and their device numbers make their order."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.search.candidate import all_candidates, canonical, parse_fixed
from tests.isfc.search.candidates import FIBRES, LAYOUT, SEQUENCES


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
