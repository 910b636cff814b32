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


def test_everything_that_it_names_is_there() -> None:
    assert words_after("make") - set(re.findall(r"(?m)^([a-z-]+):", MAKEFILE)) == set()
    modules = [name for name in words_after("-m") if name.startswith("tools")]
    assert [name for name in modules if not find_spec(name)] == []
    named = {word for word in " ".join(COMMANDS).split() if re.search(r"\.(py|cfg|cff|md)$", word)}
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    installed = (ROOT / "tools/release/requirements.txt").read_text("utf-8")
    first = {re.sub(r"^(\w+=\S+ )+", "", command).split()[0] for command in COMMANDS}
    others = {Path(name).name for name in first} - {*re.findall(r"(?m)^([\w-]+)", installed)}
    assert others == {"git", "make"}


def test_version_is_the_one_of_the_project() -> None:
    assert set(re.findall(r"\b\d+\.\d+\.\d+\b", " ".join(COMMANDS))) == {isfc.__version__}


@pytest.mark.parametrize("kind", ["twine upload", "git push", "gh "])
def test_nothing_but_the_last_step_leaves_the_machine(kind: str) -> None:
    assert [command for command in COMMANDS[:-1] if kind in command] == []
    assert "twine upload" in COMMANDS[-1]
