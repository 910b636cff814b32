"""Forked workers report what one process would, and lose nothing when one of them dies."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.lengthy import few_in_every_run
from tests.waiting import ran

PROJECT: Final = Path(__file__).parents[2]
WAIT_S: Final = 60

NOTES: Final = """\
import os
from pathlib import Path

import pytest


def note(what):
    with (Path(__file__).parent / "noted").open("a") as file:
        file.write(f"{what} {os.getpid()}\\n")


@pytest.fixture(scope="session", autouse=True)
def whole_session():
    note("made")
    yield
    note("torn-down")
"""
BEGIN: Final = """\
import os
import signal
import time
import warnings
from pathlib import Path

import pytest

from conftest import note

NAME = Path(__file__).stem


@pytest.fixture(scope="module")
def of_module():
    note(f"module-{NAME}")

"""


class Tried:
    """A suite that has been run."""

    def __init__(self, folder: Path, text: str, *options: str, modules: int = 2) -> None:
        self.folder = folder
        (folder / "pytest.ini").write_text("[pytest]\ntimeout = 60\n")
        (folder / "conftest.py").write_text(NOTES)
        for number in range(modules):
            (folder / f"test_m{number}.py").write_text(BEGIN + text)
        self.command = [
            *(sys.executable, "-m", "pytest", "-p", "pytest_timeout", "-p", "tests.limits"),
            *(
                "-p",
                "tests.workers.plugin",
                "--workers=2",
                f"--rootdir={folder}",
                f"-c{folder}/pytest.ini",
            ),
            *(f"--basetemp={folder}/temporary", *options, str(folder)),
        ]
        self.surroundings = os.environ | {
            "COLUMNS": "200",
            "PYTHONPATH": str(PROJECT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        self.code, self.said = -1, ""

    def run(self) -> "Tried":
        done = ran(self.command, cwd=self.folder, env=self.surroundings, timeout=WAIT_S)
        self.code, self.said = done.returncode, done.stdout + done.stderr
        return self

    def noted(self, what: str) -> list[str]:
        """The processes that noted it."""
        lines = (self.folder / "noted").read_text().splitlines()
        return [line.split()[1] for line in lines if line.split()[0] == what]


def test_each_test_runs_once_and_each_worker_tears_down(tmp_path: Path) -> None:
    text = """
@pytest.mark.parametrize("number", range(20))
def test_it(number, of_module, tmp_path):
    note(f"{NAME}-{number}")
    assert tmp_path.parent.parent == Path(__file__).parent / "temporary"
"""
    tried = Tried(tmp_path, text, modules=4).run()
    assert tried.code == 0, tried.said
    assert "80 passed" in tried.said
    for module in range(4):
        for number in range(20):
            assert len(tried.noted(f"test_m{module}-{number}")) == 1
        assert 1 <= len(tried.noted(f"module-test_m{module}")) <= 2
    assert len(tried.noted("made")) == 2
    assert {*tried.noted("made")} == {*tried.noted("torn-down")}


def test_what_is_reported_is_what_one_process_reports(tmp_path: Path) -> None:
    text = """
def test_right():
    pass

def test_wrong():
    print("printed")
    os.write(2, b"written")
    assert 1 == 2

@pytest.mark.skip(reason="not now")
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected():
    assert False

@pytest.fixture
def broken():
    raise ValueError("no")

def test_setup(broken):
    pass

def test_warned():
    warnings.warn("look out")
"""

    def told(folder: Path, *options: str) -> tuple[int, list[str]]:
        folder.mkdir()
        tried = Tried(folder, text, "-rA", f"--junitxml={folder}/junit.xml", *options).run()
        said = re.sub(r"in [\d.]+s", "", tried.said.replace(str(folder), ""))
        junit = (folder / "junit.xml").read_text().replace(str(folder), "")
        cases = re.findall(r'<testcase .*? time="', junit)
        lines = re.compile(r"(?m)^(?:[A-Z]+ .*|=.* passed.*|.*look out.*|printed|written)$")
        return tried.code, sorted([*cases, *lines.findall(said)])

    forked = told(tmp_path / "forked")
    alone = told(tmp_path / "alone", "--workers=0")
    assert forked[0] == 1
    assert "printed" in forked[1]
    assert "written" in forked[1]
    assert forked == alone


@pytest.mark.parametrize(
    ("death", "how"),
    few_in_every_run(
        [
            ("os.write(2, b'its last words'); os.kill(os.getpid(), signal.SIGSEGV)", "by SIGSEGV"),
            ("os.write(2, b'its last words'); os._exit(7)", "with exit code 7"),
        ]
    ),
)
def test_a_worker_that_dies_fails_its_test_and_the_rest_is_run(
    tmp_path: Path, death: str, how: str
) -> None:
    text = f"""
@pytest.mark.parametrize("number", range(10))
def test_it(number):
    note(f"{{NAME}}-{{number}}")
    if number == 3:
        {death}
"""
    tried = Tried(tmp_path, text).run()
    assert tried.code == 1
    assert "2 failed, 18 passed" in tried.said
    assert tried.said.count("its last words") == 2
    assert tried.said.count(f"FAILED test_m0.py::test_it[3] - the process that ran it ended {how}")
    assert all(
        len(tried.noted(f"test_m{module}-{number}")) == 1
        for module in (0, 1)
        for number in range(10)
    )


def test_a_death_in_the_last_teardown_is_an_error_of_the_last_test(tmp_path: Path) -> None:
    text = """
@pytest.fixture(scope="session")
def deadly():
    yield
    os._exit(5)

def test_last(deadly):
    pass
"""
    tried = Tried(tmp_path, text, modules=1).run()
    assert tried.code == 1
    assert re.search(r"(ERROR|FAILED) test_m0.py::test_last - .* exit code 5", tried.said)


def test_ctrl_c_ends_every_worker_and_says_where_each_stood(tmp_path: Path) -> None:
    text = """
def test_waits():
    note("begun")
    time.sleep(50)

def test_after():
    note("after")
"""
    tried = Tried(tmp_path, text)
    with subprocess.Popen(
        tried.command, cwd=tmp_path, env=tried.surroundings, stdout=subprocess.PIPE, text=True
    ) as running:
        noted = tmp_path / "noted"
        while not noted.exists() or noted.read_text().count("begun") < 2:
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=WAIT_S)
    assert running.returncode == pytest.ExitCode.INTERRUPTED
    for module in ("test_m0", "test_m1"):
        assert f"{module}.py::test_waits stood here" in said
        assert re.search(rf'{module}.py", line \d+ in test_waits', said)
    assert not tried.noted("after")
    assert {*tried.noted("torn-down")} == {*tried.noted("begun")}
    for pid in tried.noted("begun"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_the_first_failure_ends_the_run_if_asked(tmp_path: Path) -> None:
    text = """
@pytest.mark.parametrize("number", range(500))
def test_it(number):
    assert number != 3
"""
    tried = Tried(tmp_path, text, "-x").run()
    assert tried.code == 1
    passed = re.search(r"[12] failed, (\d+) passed", tried.said)
    assert passed is not None, tried.said
    assert int(passed[1]) < 500
    assert re.search(r"stopping after [12] failures", tried.said)
    assert {*tried.noted("made")} == {*tried.noted("torn-down")}


@pytest.mark.parametrize(
    ("text", "options", "code"),
    few_in_every_run(
        [
            ("def test_it(): pytest.exit('enough', 9)", (), 9),
            ("import nowhere", (), pytest.ExitCode.INTERRUPTED),
            ("def test_it(): pass", (), pytest.ExitCode.OK),
            ("def test_it(): assert False", (), pytest.ExitCode.TESTS_FAILED),
            ("def test_it(): raise KeyboardInterrupt", (), pytest.ExitCode.INTERRUPTED),
            ("def test_it(request): request.session.shouldstop = 'enough'", (), 2),
            ("def test_it(): pass", ("-k", "other"), pytest.ExitCode.NO_TESTS_COLLECTED),
        ],
        2,
    ),
)
def test_exit_codes_are_those_of_one_process(
    tmp_path: Path, text: str, options: tuple[str, ...], code: int
) -> None:
    assert Tried(tmp_path, text, *options).run().code == code


def test_what_failed_can_be_run_again(tmp_path: Path) -> None:
    text = """
def test_wrong():
    assert False

def test_right():
    pass
"""
    assert "2 failed, 2 passed" in Tried(tmp_path, text).run().said
    again = Tried(tmp_path, text, "--last-failed").run().said
    assert re.search("=+ 2 failed(, 2 deselected)? in", again)


def test_a_module_that_starts_threads_is_refused(tmp_path: Path) -> None:
    text = """
import threading
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()

def test_it():
    pass
"""
    tried = Tried(tmp_path, text).run()
    assert tried.code == pytest.ExitCode.USAGE_ERROR
    assert "threads after collection" in tried.said
