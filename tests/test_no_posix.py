"""What runs where there is no POSIX, as on Windows, and no Linux, as on macOS.

tests/no_posix.py makes a Python of the first kind.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from isfc.cli.main import COMMANDS
from tests.waiting import ran

HERE = Path(__file__).parent / "no_posix.py"
GRID = """
seconds = 0.1
[grid]
layout = ["published-4"]
workload = ["HS"]
pairs = [1, 5]
"""
IN_VIRTUAL_TIME = {name for name, command in COMMANDS.items() if not command.needs_posix}
BEGIN = f"import runpy, sys; runpy.run_path({str(HERE)!r}); "


def ended(
    code: str, *arguments: str, directory: Path, strict: bool = False
) -> subprocess.CompletedProcess[str]:
    """What a program did there; ``strict``: a file opened without an encoding is an error."""
    checks = ["-X", "warn_default_encoding", "-W", "error::EncodingWarning"] if strict else []
    return ran(
        [sys.executable, *checks, "-c", BEGIN + code, *arguments],
        stdin=subprocess.DEVNULL,
        timeout=100,
        cwd=directory,
    )


def command(*arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
    code = "sys.argv[0] = 'isfc'; runpy.run_module('isfc', run_name='__main__')"
    return ended(code, *arguments, directory=directory)


LINES = """
--help
plan published-1 --rule
export atlanta-boston --as activate -o {here}
export atlanta-boston --as iocp -o {here}
import iocp {here}/ATLANTA.iocp {here}/BOSTON.iocp --partitions ATLANTA,BOSTON -o imported.toml
import config {here}/ATLANTA.config --layout imported.toml
import islink {logs}/atlanta.txt {logs}/boston.txt --chpids BOSTON:50=7000-7001,51=7020-7021
new --systems A,B --chpids 40:50
export atlanta-boston --as toml --scheme alike -o {here}/numbered.toml
new --schema
check atlanta-boston --fail-on never
show published-4 -o drawn.svg
change published-4 published-1 --no-rates
run published-1 --workload HS --pairs 5 --seconds 0.1 --trace {here}/trace.json
run two-cecs --traffic ALPHA-BETA:HS:1 --seconds 0.01 --warmup 0.01
run atlanta-boston --workload HS --pairs 1 --seconds 0.02 --warmup 0.01 --fault-seed 1
collide published-1 --offer-out 5 --offer-in 5 --steps 1 --seconds 0.01 --seeds 1
relocate published-4 --memory 64M --change-rate 10M
evacuate published-1 CLIENT --guests guests.csv
replay stop_short
sweep grid.toml --jobs 1 -o rows.csv
optimise published-4 --pairs 2 --seconds 0.01 --runs 2 --seeds 1 --jobs 1
measured read {data}/measured/two-pages.txt
io plan {docs}/io/every-kind.toml
io run {docs}/io/two-channels.toml --seconds 0.05
io size {docs}/io/two-channels.toml
io chart mtu
"""
"""Commands in virtual time, but those that run the model for long or need a live journal."""
LEFT_OUT = {"compare", "journal", "loads", "report", "size"}

MANY = """
import sys
from isfc.cli.main import run
for line in sys.argv[1:]:
    code = run(line.split(" "))
    assert code == 0, f"{line}: {code}"
"""


@pytest.mark.at_length
@pytest.mark.slow
def test_commands_in_virtual_time_run_without_posix(tmp_path: Path) -> None:
    """Files are read and written as UTF-8, whatever the system's own encoding is."""
    (tmp_path / "grid.toml").write_text(GRID)
    (tmp_path / "guests.csv").write_text("name,memory,change_rate\nLINUX1,1M,0\n")
    tests, docs = HERE.parent, HERE.parents[1] / "docs"
    places = {"here": tmp_path, "logs": tests / "data" / "logs", "docs": docs}
    lines = LINES.format(data=tests / "data", **places).strip().splitlines()
    assert {line.split()[0] for line in lines} >= IN_VIRTUAL_TIME - LEFT_OUT
    process = ended(MANY, *lines, directory=tmp_path, strict=True)
    assert process.returncode == 0, process.stderr


@pytest.mark.exhaustive
@pytest.mark.slow
def test_processes_are_spawned_and_a_module_runs_as_a_command(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(GRID)
    process = command("sweep", "grid.toml", "--jobs", "2", directory=tmp_path)
    assert process.returncode == 0, process.stderr
    assert "    5 " in process.stdout


def test_live_commands_say_that_they_need_posix(tmp_path: Path) -> None:
    names = sorted(COMMANDS.keys() - IN_VIRTUAL_TIME)
    code = f"""
from isfc.cli.main import run
for name in {names}:
    assert run([name, "--help"]) == 0
    assert run([name]) == 2
"""
    process = ended(code, directory=tmp_path)
    assert process.returncode == 0, process.stderr
    needs = r"^isfc: 'isfc (\w+)' needs Linux or macOS"
    assert re.findall(needs, process.stderr, re.MULTILINE) == names


def test_python_runs_virtual_programs_and_refuses_a_live_node_without_posix(tmp_path: Path) -> None:
    code = """
import asyncio, isfc
from isfc.testing.programs import run_programs

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


def test_live_pair_and_its_control_run_without_what_only_linux_has(tmp_path: Path) -> None:
    """As on macOS: no netlink, no SO_PEERCRED, no options of TCP beyond keepalive, no mallopt."""
    code = """
import asyncio, ctypes, os, socket, struct
from pathlib import Path
import isfc
from isfc.live import endpoint
from isfc.testing import open_pair

sys.platform = "darwin"
for name in "AF_NETLINK SO_PEERCRED TCP_INFO TCP_KEEPIDLE TCP_USER_TIMEOUT".split():
    delattr(socket, name)
for name in "memfd_create sched_getaffinity".split():
    delattr(os, name)
ctypes.CDLL = lambda _: object()

class Connection:
    def getsockopt(self, level, option, length):
        assert (level, option, length) == (0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED, struct xucred
        return struct.pack("=II68x", 0, 501)

async def talk():
    async def echo(conversation):
        async for data in conversation:
            await conversation.send(data)

    async with open_pair(Path(sys.argv[1]), "published-4") as (client, server):
        server.serve("ECHO", echo)
        async with client.connect("ECHO") as conversation:
            await conversation.send(b"hello")
            return await conversation.receive()

assert endpoint.peer_uid(Connection()) == 501
assert asyncio.run(talk()) == b"hello"
"""
    process = ran(
        [sys.executable, "-c", f"import sys\n{code}", str(tmp_path)], timeout=100, cwd=tmp_path
    )
    assert process.returncode == 0, process.stderr
