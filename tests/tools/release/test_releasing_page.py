"""What docs/releasing.md tells a maintainer to run is there."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

import isfc

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = (ROOT / "docs" / "releasing.md").read_text("utf-8")
MAKEFILE: Final = (ROOT / "Makefile").read_text("utf-8")
STEPS: Final = re.findall(r"(?m)^ {7,}(\S.*)$", PAGE)
"""The command lines that stand alone, below the step which they are of."""

SPANS: Final = re.findall(r"`([^`\n]+)`", PAGE)
COMMANDS: Final = [each.strip() for line in STEPS for each in line.split("&&")]


def words_after(name: str) -> set[str]:
    """The word that follows ``name`` in the commands of the page, in blocks and in the text."""
    return {
        found
        for each in COMMANDS + SPANS
        for found in re.findall(rf"(?:^|\s){re.escape(name)}\s+([\w./-]+)", each)
    }


def test_page_has_the_steps_that_are_looked_at() -> None:
    assert {"make dist", "make try-dist", "make test-all"} <= {
        command.partition("... ")[2] or command for command in COMMANDS
    }


def test_every_target_is_in_the_makefile() -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+):", MAKEFILE))
    assert words_after("make") - targets == set()


def test_every_module_is_there() -> None:
    assert [
        name for name in words_after("-m") if name.startswith("tools") and not find_spec(name)
    ] == []


def test_every_other_command_is_one_that_releases_install() -> None:
    installed = (ROOT / "tools/release/requirements.txt").read_text("utf-8")
    tools = set(re.findall(r"(?m)^([\w-]+)", installed))
    first = {re.sub(r"^(\w+=\S+ )+", "", command).split()[0] for command in COMMANDS}
    assert {Path(name).name for name in first} - tools == {"git", "make"}


def test_every_file_is_there() -> None:
    named = {word for word in " ".join(COMMANDS).split() if re.search(r"\.(py|cfg|cff|md)$", word)}
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_version_is_the_one_of_the_project() -> None:
    assert set(re.findall(r"\b\d+\.\d+\.\d+\b", " ".join(COMMANDS))) == {isfc.__version__}


@pytest.mark.parametrize("kind", ["twine upload", "git push", "gh "])
def test_nothing_but_the_last_step_leaves_the_machine(kind: str) -> None:
    assert [command for command in COMMANDS[:-1] if kind in command] == []
    assert "twine upload" in COMMANDS[-1]
