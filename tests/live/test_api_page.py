"""The programs of docs/api.md run, and two of them print what the page shows.

At length each runs as it stands, with the notebook's, in an environment that has a wheel and
nothing of the project; mypy and pyright, both strict, pass on them.
"""

import contextlib
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

PROJECT: Final = Path(__file__).parents[2]
PAGE = (PROJECT / "docs" / "api.md").read_text("utf-8")
VIRTUAL, LIVE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
FILES: Final = sorted((PROJECT / "docs" / "api").glob("*.py"))
NOTEBOOK: Final = PROJECT / "docs" / "tutorial" / "decide.ipynb"

BUILT_OF: Final = (
    "ctc isfc scenarios tools setup.py setup.cfg pyproject.toml MANIFEST.in README.md LICENSE"
)
WITH: Final = ("polars", "mypy", "basedpyright")


def run(code: str, tmp_path: Path) -> tuple[str, str]:
    """What a program prints, on stdout and on stderr."""
    file = tmp_path / "example.py"
    file.write_text(code, "utf-8")
    done = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout, done.stderr


def test_example_in_virtual_time_prints_what_the_page_shows(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert run(VIRTUAL, tmp_path) == (shown, "")


def test_example_of_conversations_runs(tmp_path: Path) -> None:
    assert len(LIVE.splitlines()) <= 35
    printed = "BYTES, BOTH WAYS AT ANY TIME\nONE REQUEST, THEN ITS REPLY\n"
    assert run(LIVE, tmp_path) == (printed, "")


@pytest.mark.at_length
@pytest.mark.slow
def test_every_program_beside_the_page_runs() -> None:
    assert {*re.findall(r"\(api/(\w+\.py)\)", PAGE)} == {file.name for file in FILES}
    for file in FILES:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            runpy.run_path(str(file), run_name="__main__")


@pytest.mark.exhaustive
@pytest.mark.timeout(1_500)
def test_programs_run_from_a_wheel_and_type_checkers_pass_on_them(tmp_path: Path) -> None:
    python = installed(tmp_path)
    folder = tmp_path / "programs"
    folder.mkdir()
    for number, program in enumerate((VIRTUAL, LIVE)):
        (folder / f"of_the_page_{number}.py").write_text(program, "utf-8")
    for file in FILES:
        shutil.copy(file, folder)
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    code = "\n\n".join("".join(each["source"]) for each in cells if each["cell_type"] == "code")
    (folder / "notebook.py").write_text(code, "utf-8")
    for data in NOTEBOOK.parent.iterdir():
        if data.suffix not in (".ipynb", ".md"):
            (shutil.copytree if data.is_dir() else shutil.copy)(data, folder / data.name)
    for file in sorted(folder.glob("*.py")):
        done = ended(str(python), file.name, cwd=folder)
        assert not done.stderr, f"{file.name}\n{done.stderr}"
    settings = {"typeCheckingMode": "strict", "reportUnusedExpression": False}
    settings |= {f"reportUnknown{each}Type": False for each in ("Member", "Argument")}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    for command in (
        ["mypy", "--strict", "--scripts-are-modules", "."],
        ["basedpyright", "--pythonpath", str(python)],
    ):
        done = ended(str(python), "-m", *command, cwd=folder)
        assert done.returncode == 0, done.stdout


def installed(tmp_path: Path) -> Path:
    """The Python of a fresh environment with a wheel of this checkout, as source."""
    source = tmp_path / "source"
    source.mkdir()
    for name in BUILT_OF.split():
        (shutil.copytree if (PROJECT / name).is_dir() else shutil.copy)(
            PROJECT / name, source / name
        )
    pip = ("-m", "pip", "--disable-pip-version-check", "--quiet")
    building = ("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(tmp_path))
    ended(sys.executable, *pip, *building, str(source), ISFC_COMPILE="0").check_returncode()
    (wheel,) = tmp_path.glob("*.whl")
    shutil.rmtree(source)
    ended(sys.executable, "-m", "venv", str(tmp_path / "venv")).check_returncode()
    python = tmp_path / "venv" / "bin" / "python"
    isfc = f"isfc[measured, optimise, plot, testing] @ {wheel.as_uri()}"
    constraints = ("--constraint", str(PROJECT / "constraints.txt"))
    done = ended(str(python), *pip, "install", *constraints, isfc, *WITH)
    assert done.returncode == 0, done.stderr
    return python


def ended(
    *command: str, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """What came of a command that sees nothing of this checkout."""
    hidden = {"PYTHONPATH", "PYTHONSAFEPATH", "VIRTUAL_ENV"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(
        command,
        cwd=cwd,
        env=env | {"MPLBACKEND": "agg"} | variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
