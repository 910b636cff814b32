"""How many modules of isfc a command loads: what it does not use takes a user's time."""

import subprocess
import sys

import pytest

from isfc.cli.main import COMMANDS

OWN = "[m for m in sys.modules if m.partition('.')[0] in ('ctc', 'isfc', 'scenarios')]"
MODULES_MAX = {
    "plan": 58,
    "import": 70,
    "new": 45,
    "size": 104,
    "export": 68,
    "change": 129,
    "check": 55,
    "show": 94,
    "report": 149,
    "studio": 45,
    "run": 132,
    "relocate": 154,
    "evacuate": 154,
    "collide": 98,
    "replay": 151,
    "compare": 115,
    "measured": 153,
    "loads": 154,
    "node": 144,
    "cp": 34,
    "up": 130,
    "ctce": 130,
    "io": 133,
    "optimise": 147,
    "sweep": 114,
    "journal": 73,
}
"""Those that are there before a command runs, by its name: a twentieth more than there are."""


def run(code: str, *arguments: str) -> list[str]:
    """The lines that a Python of its own prints."""
    command = [sys.executable, "-c", f"import sys\n{code}", *arguments]
    process = subprocess.run(command, capture_output=True, text=True, check=True, timeout=110)
    return process.stdout.splitlines()


def test_plan_by_rule_loads_no_model() -> None:
    code = "from isfc.cli.main import run; run(['plan', 'atlanta-boston', '--rule'])"
    found = run(f"{code}\nprint(*{OWN})")[-1].split()
    needless = ("isfc.engine", "isfc.io", "isfc.system", "scenarios.figures", "scenarios.runs.run")
    record = ("scenarios.figures", "isfc.reports.figure")  # what a figure is, and no model
    assert not [name for name in found if name.startswith(needless) and name not in record]
    assert len(found) <= 66


def test_plan_by_model_loads_neither_disks_nor_commands_nor_what_writes_layouts() -> None:
    code = "from isfc.cli.main import load_command; load_command('plan')"
    found = run(f"{code}; import isfc.answers.plan_modelled\nprint(*{OWN})")[-1].split()
    needless = ("isfc.io", "isfc.system.cp", "isfc.layout.write", "scenarios.runs.operation")
    assert not [name for name in found if name.startswith(needless)]
    assert len(found) <= 110


EACH = """
import os
from isfc.cli.main import load_command
for name in sys.argv[1:]:
    if os.fork():  # what all commands load is there
        os.wait()
        continue
    load_command(name)
    print(name, *OWN, flush=True)
    os._exit(0)
""".replace("OWN", OWN)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_command_loads_what_it_uses() -> None:
    assert MODULES_MAX.keys() == COMMANDS.keys()
    found = {name: modules for name, *modules in map(str.split, run(EACH, *MODULES_MAX))}
    assert {name: found[name] for name in MODULES_MAX if len(found[name]) > MODULES_MAX[name]} == {}
