"""What a command prints, as fixtures: a test module that imports them has them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from isfc.cli.main import run
from isfc.cli.output.progress import SO_FAR

Printed = Callable[..., str]
Recorded = Callable[..., dict[str, Any]]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Run a command, given word by word, that ends with ``code``: its page.

    If that is 0 it says nothing besides, but how far it is.
    """

    def page(*words: object, code: int = 0) -> str:
        assert run([*map(str, words)]) == code
        out, err = capsys.readouterr()
        assert code or not [line for line in err.splitlines() if not line.startswith(SO_FAR)]
        return out

    return page


@pytest.fixture
def recorded(printed: Printed) -> Recorded:
    """The same with ``--json``: the record."""

    def record(*words: object, code: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(printed(*words, "--json", code=code))
        return found

    return record


def on_one_line(page: str) -> str:
    """A page, or a part of one, as if its lines had no end."""
    return " ".join(page.split())


def is_narrow(page: str) -> bool:
    """Whether it fits eighty columns."""
    return max(map(len, page.splitlines())) <= 80
