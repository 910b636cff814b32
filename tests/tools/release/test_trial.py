"""What a release runs, for its trial and for the profile of its build, is what commands take."""

import subprocess
import tomllib
from pathlib import Path

import pytest

import isfc as package
from tests.isfc_process import isfc
from tools import PROJECT
from tools.release import compiled
from tools.release.trial import EXTRAS, GRID, SMOKE, Needs, program


def ended(words: str, folder: Path) -> tuple[int, str]:
    done = isfc(*words.split(), cwd=folder, stderr=subprocess.STDOUT, timeout=300)
    return done.returncode, done.stdout


@pytest.mark.exhaustive
@pytest.mark.at_length
@pytest.mark.parametrize(("words", "wanted"), SMOKE)
def test_smoke_passes_here(words: str, wanted: str, tmp_path: Path) -> None:
    code, said = ended(words, tmp_path)
    assert (code, wanted in said) == (0, True), said


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.at_length
def test_what_cibuildwheel_runs_of_a_wheel_passes_here(tmp_path: Path) -> None:
    configuration = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    commands = configuration["tool"]["cibuildwheel"]["test-command"].split(" && ")
    assert commands
    for command in commands:
        code, said = ended(command.removeprefix("isfc "), tmp_path)
        assert code == 0, said


@pytest.mark.exhaustive
@pytest.mark.at_length
@pytest.mark.parametrize("needs", [needs for needs in EXTRAS.values() if not needs.before])
def test_command_of_an_extra_ends_as_the_trial_expects(needs: Needs, tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(GRID, "utf-8")
    code, said = ended(needs.words, tmp_path)
    assert (code, needs.says in said) == (needs.ends_with, True), said


def test_every_run_of_the_training_is_one_that_isfc_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "SECONDS", 0.001)
    compiled.train()


def test_program_names_everything_public_and_runs() -> None:
    scope: dict[str, tuple[object, ...]] = {}
    exec(program(), scope)  # what type checkers read
    assert len(scope["names"]) > 2 * len(package.__all__) + 20
    for name in package.__all__:
        assert scope["names"].count(getattr(package, name)) >= 2
    assert "isfc.testing.strategies.setups" in program()
