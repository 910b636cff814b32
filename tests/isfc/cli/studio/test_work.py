"""Computations in processes: more than there may be at a time, and one that fails."""

import asyncio

import pytest

from isfc.cli.studio.work import PROCESSES_MAX, Failed, Tell, Work
from isfc.errors import ConfigurationError


def double(_: Tell, number: int) -> int:
    if number < 0:
        raise ConfigurationError("expected a number from 0 on")
    return 2 * number


@pytest.mark.slow
def test_more_arguments_than_processes_are_all_computed() -> None:
    async def computed() -> dict[int, object]:
        work = Work()
        work.warm_up()
        numbers = range(-1, PROCESSES_MAX + 4)
        found = {number: told async for number, told in work.together(double, numbers)}
        assert work.count == 0
        return found

    found = asyncio.run(computed())
    assert found.pop(-1) == Failed("expected a number from 0 on")
    assert found == {number: 2 * number for number in range(PROCESSES_MAX + 4)}
