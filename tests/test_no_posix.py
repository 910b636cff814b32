"""What runs where there is no POSIX, as on Windows; tests/no_posix.py makes such a Python."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "no_posix.py"
GRID = """
seconds = 0.1
[grid]
layout = ["published-4"]
workload = ["HS"]
pairs = [1, 5]
"""
BEGIN = f"import runpy, sys; runpy.run_path({str(HERE)!r}); "


def ended(code: str, *arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BEGIN + code, *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=100,
        cwd=directory,
    )


def command(*arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
    code = "sys.argv[0] = 'isfc'; runpy.run_module('isfc', run_name='__main__')"
    return ended(code, *arguments, directory=directory)


@pytest.mark.parametrize(
    "line",
    [
        "plan published-4 --rule",
        "plan published-4",
        "run published-4 --workload HS --pairs 5 --seconds 0.1 --timeline 5ms",
        "schema",
        "show published-4",
        "sweep grid.toml --jobs 2",
        "export published-4 --as iocp",
        "relocate published-4 --memory 1G --change-rate 10M",
        "replay --help",
    ],
)
def test_command_in_virtual_time_runs_without_posix(line: str, tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(GRID)
    process = command(*line.split(), directory=tmp_path)
    assert "Traceback" not in process.stderr
    assert process.returncode == 0, process.stderr
    assert process.stdout


@pytest.mark.parametrize("name", ["node", "cp", "up", "down", "studio"])
def test_live_command_says_that_it_needs_posix(name: str, tmp_path: Path) -> None:
    process = command(name, directory=tmp_path)
    assert process.returncode == 2
    assert process.stderr.startswith(f"isfc: 'isfc {name}' needs Linux or macOS")
    assert command(name, "--help", directory=tmp_path).returncode == 0


def test_python_runs_virtual_programs_and_refuses_a_live_node_without_posix(tmp_path: Path) -> None:
    code = """
import asyncio, isfc
from isfc.testing.virtual_programs import run_programs

async def ask(first, second):
    return 17

async def live():
    async with isfc.open_node("published-4", "ATLANTA"):
        pass

assert isfc.simulate("published-4", "HS", pairs=1, seconds=0.1).client
assert run_programs(ask).outcome == 17
assert [getattr(isfc, name) for name in isfc.__all__]
try:
    asyncio.run(live())
except isfc.IsfcError as error:
    print(error)
"""
    process = ended(code, directory=tmp_path)
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("open_node needs Linux or macOS")
