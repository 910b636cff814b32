"""What trials of a release run is what the commands take now; the root they run in is bare."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.isfc_process import isfc
from tools.release.bare_root import BareRoot, bare_root
from tools.release.pythons import ROOT
from tools.release.trial import EXTRAS, GRID, SMOKE, Needs

NEEDS_BWRAP = pytest.mark.skipif(shutil.which("bwrap") is None, reason="there is no bubblewrap")


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
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
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


@pytest.mark.slow
@NEEDS_BWRAP
def test_bare_root_has_nothing_of_the_project_and_no_network(tmp_path: Path) -> None:
    (tmp_path / "given.txt").write_text("given", "utf-8")
    code = (
        "import os, pathlib, socket\n"
        f"print(pathlib.Path('/given/{tmp_path.name}/given.txt').read_text())\n"
        f"print(os.path.exists({str(ROOT)!r}), os.getuid(), sorted(os.environ))\n"
        "print([name for _, name in socket.if_nameindex()], os.listdir())\n"
    )
    with bare_root(Path(sys.executable).resolve(), tmp_path) as root:
        done = subprocess.run(root.search(), check=False, timeout=60)
        if done.returncode:
            pytest.skip("this machine allows no namespaces")
        said = subprocess.run(
            root.command(root.python, "-I", "-c", code, ISFC="1"),
            capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
    assert said.stdout.splitlines() == [
        "given",
        "False 1000 ['HOME', 'ISFC', 'LC_CTYPE', 'PATH', 'PWD']",
        "['lo'] []",
    ]


def test_root_without_bubblewrap_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit, match="install the package bubblewrap"):
        BareRoot(Path(sys.executable), [], tmp_path)
