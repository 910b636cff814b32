"""Fixtures of pytest, there wherever isfc is installed beside it.

Nothing of isfc is loaded before a test asks for a fixture.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from isfc.live.session import OpenNode
    from isfc.testing.pair import Pair


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
    `isfc.testing.live_pair.open_pair`, but for the folder: not pytest's, whose names grow with
    those of the tests, as the path of a Unix socket has at most 107 bytes.
    """
    from isfc.testing.live_pair import open_pair

    with TemporaryDirectory(prefix="isfc-") as folder:
        yield partial(open_pair, folder)
