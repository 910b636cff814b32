"""Fixtures of pytest, there wherever isfc is installed beside it; and profiles of hypothesis.

Nothing of what isfc does is loaded before a test asks for a fixture.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import pytest

from isfc.errors.loading import missing_library

if TYPE_CHECKING:
    from isfc.live.session import OpenNode
    from isfc.testing.pair import Pair


NIGHTLY_EXAMPLES: Final = 2_000


def register_profiles() -> None:
    """Make the profiles ``dev``, ``ci`` and ``nightly`` known to hypothesis.

    ``ci`` draws the same examples in every run, ``dev`` new ones, ``nightly`` many. None has a
    deadline, which measures the machine, not the code. Call it in your ``conftest.py``, then
    ``settings.load_profile("ci")`` or ``pytest --hypothesis-profile=ci``.
    """
    try:
        from hypothesis import HealthCheck, settings
    except ModuleNotFoundError as error:
        text = missing_library("hypothesis", __name__)
        raise ModuleNotFoundError(text, name="hypothesis") from error

    # hypothesis takes a machine for CI when it says so, and would draw the same examples there
    usual = settings(deadline=None, print_blob=True, derandomize=False)
    settings.register_profile("dev", usual, max_examples=50)
    settings.register_profile("ci", usual, max_examples=100, derandomize=True, database=None)
    unhurried = settings(usual, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("nightly", unhurried, max_examples=NIGHTLY_EXAMPLES)


@pytest.fixture
def isfc_pair() -> "Iterator[Callable[..., Pair]]":
    """A maker of pairs in virtual time.

    The arguments are the fields of `isfc.testing.pair.Setup`, as in ``isfc_pair(ctc_count=2)``.
    When the test is over, every invariant must hold of each of the pairs.
    """
    from isfc.testing.invariants import Ledger
    from isfc.testing.pair import Pair, Setup

    ledgers = []

    def make(**fields: Any) -> "Pair":
        pair = Pair(Setup(**fields))
        ledgers.append(Ledger(pair))
        return pair

    yield make
    for ledger in ledgers:
        ledger.check()


@pytest.fixture
def live_pair() -> (
    "Iterator[Callable[..., AbstractAsyncContextManager[tuple[OpenNode, OpenNode]]]]"
):
    """What opens both systems of a layout live.

    As in ``async with live_pair("published-4") as (client, server)``. Its arguments are those of
    `isfc.testing.programs.open_pair`, but for the folder: not pytest's, whose names grow with
    those of the tests, as the path of a Unix socket has at most 107 bytes.
    """
    from isfc.testing.programs import open_pair

    with TemporaryDirectory(prefix="isfc-") as folder:
        yield partial(open_pair, folder)
