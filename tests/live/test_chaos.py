"""A few seconds of chaos; `make chaos` makes it an hour."""

import asyncio
from pathlib import Path

import pytest

from tools.chaos import uploads
from tools.chaos.book import Entry, sums
from tools.chaos.chaos import ChaosOutcome, Supervisor, Wanted, what_is_wrong
from tools.chaos.fault import ChaosKind


@pytest.mark.slow
@pytest.mark.parametrize(
    "layout", ["published-4", pytest.param("two-cecs", marks=pytest.mark.exhaustive)]
)
def test_every_message_is_accounted_for_whatever_is_killed_stopped_or_cut(
    layout: str, tmp_path: Path
) -> None:
    wanted = Wanted(seconds=8, seed=3, gap_s=0.3, layout=layout)

    async def run() -> ChaosOutcome:
        return await Supervisor(wanted, tmp_path).run(asyncio.Event())

    outcome = asyncio.run(run())
    assert what_is_wrong(outcome) == []
    assert outcome.faults[ChaosKind.KILLED] > 0
    assert len(outcome.faults) >= 3
    assert outcome.count(Entry.ATTACHED) > 8, "nothing has ever connected again"
    for each in sums(outcome.lives).values():
        assert each.delivered > 20


@pytest.mark.slow
def test_every_upload_ends_though_the_link_is_full_and_fails(tmp_path: Path) -> None:
    tally = asyncio.run(uploads.run(4, 1, str(tmp_path)))
    assert tally.wrong == []
    assert tally.faults > 5
    assert tally.answered > uploads.PROGRAMS
