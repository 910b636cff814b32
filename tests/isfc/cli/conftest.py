"""What tests of the command share."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

from isfc.cli.main import COMMANDS, load_command, run
from isfc.cli.output.streams import ExitCode
from tests.isfc.printed import printed as printed
from tests.isfc.printed import recorded as recorded

Refusal = Callable[..., str]


@cache
def every_command() -> dict[str, Any]:
    """Every command by its name, those of a group one by one."""
    return {
        f"{name} {below}".strip(): found
        for name, command in zip(COMMANDS, map(load_command, COMMANDS), strict=True)
        for below, found in (getattr(command, "commands", None) or {"": command}).items()
    }


def options_of(name: str) -> set[str]:
    """The options of a command, without their dashes."""
    named = (each for param in every_command()[name].params for each in param.opts)
    return {each.removeprefix("--") for each in named if each.startswith("--")}


class Terminal(io.StringIO):
    """A terminal, as rich and whoever asks sees it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Refusal:
    """Run a command, given word by word, that must be refused: its one message, in one line."""

    def refused(*words: str) -> str:
        assert run([*words]) == ExitCode.BAD_INPUT
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("isfc: ")
        return " ".join(err.split()).removeprefix("isfc: ")

    return refused


@pytest.fixture(autouse=True)
def own_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Emulate in this process, but for tests marked ``full_length``; workers have their tests."""
    if request.node.get_closest_marker("full_length"):
        return

    @contextmanager
    def staffed(work: Any, _: int, **_copies: int) -> Iterator[Any]:
        yield lambda items: enumerate(map(work, items))

    monkeypatch.setattr("scenarios.search.workers.staffed", staffed)
