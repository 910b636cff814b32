"""A few seconds of chaos; `make chaos` makes it an hour."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.isfc_process import isfc
from tools.chaos import uploads


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ["--conversations"],
        pytest.param([], marks=pytest.mark.exhaustive),
        pytest.param(["--conversations", "--layout", "two-cecs"], marks=pytest.mark.exhaustive),
    ],
)
def test_every_message_is_accounted_for_whatever_is_killed_stopped_or_cut(
    options: list[str],
) -> None:
    words = "--seconds 8 --gap 0.3 --seed 3 --json".split() + options
    done = isfc(*words, module="tools.chaos.chaos", timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["faults"]["node killed"] > 0
    assert len(found["faults"]) >= 3
    assert found["counts"]["attached"] > 8, "nothing has ever connected again"
    for sums in found["messages"].values():
        assert sums["sent"] == sums["delivered"] + sums["undelivered"]
        assert sums["delivered"] > 20


@pytest.mark.slow
def test_every_upload_ends_though_the_link_is_full_and_fails(tmp_path: Path) -> None:
    tally = asyncio.run(uploads.run(4, 1, str(tmp_path)))
    assert tally.wrong == []
    assert tally.faults > 5
    assert tally.answered > uploads.PROGRAMS
