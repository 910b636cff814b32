"""No test fails for where the suite is started."""

import os
import sys
from pathlib import Path

import pytest

from tests.waiting import ran

ROOT = Path(__file__).parents[1]
AFFECTED = (  # by a signal, umask, a blank in a path, the width of a terminal
    "test_main.py::test_interrupt_before_the_package_is_loaded_says_nothing",
    "output/test_whole_file.py::test_file_keeps_its_mode_and_the_link_that_leads_to_it",
    "plan/test_overview.py::test_each_command_has_one_page_of_many_links[plan FILE --rule]",
    "test_main.py::test_help_of_a_group_cuts_no_summary_short[io]",
)
ODD = {
    "COLUMNS": "37",
    "FORCE_COLOR": "1",
    "HOME": "/nowhere",
    "LC_ALL": "C",
    "MAKEFLAGS": "-k",
    "PYTHONUTF8": "0",
    "PYTHONWARNINGS": "error",
    "TERM": "dumb",
    "TZ": "Pacific/Kiritimati",
}
START = """trap '' HUP INT QUIT; umask 077; exec "$@" <&-"""


@pytest.mark.slow
def test_what_a_script_started_in_the_background_leaves_passes(tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    run = [sys.executable, *"-m pytest -q --color=no --workers=0 -p no:cacheprovider".split()]
    cases = [f"tests/isfc/cli/{case}" for case in AFFECTED]
    done = ran(
        ["/bin/sh", "-c", START, "sh", *run, "-m", "", *cases],
        cwd=ROOT,
        env=os.environ | ODD | {"TMPDIR": str(folder)},
        timeout=100,
    )
    assert f"{len(AFFECTED)} passed" in done.stdout, done.stdout + done.stderr
