"""isfc as a forked process: it is as one that has been started, from its begin to its end."""

import json
import os
import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from isfc.cli.output.streams import ENDING_SIGNALS
from tests.isfc_process import ROOT, isfc, start
from tests.waiting import PATIENCE_S, wait_for

PROGRAM: Final = "tests.own_process"


def started(*words: str, **options: Any) -> Any:
    """The same by starting Python, whatever signals the tests were started without."""
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    return subprocess.run(
        [sys.executable, "-m", PROGRAM, *words],
        **pipes | options,
        cwd=ROOT,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        preexec_fn=lambda: [signal.signal(each, signal.SIG_DFL) for each in ENDING_SIGNALS],
    )


def test_process_is_as_one_that_has_been_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isfc("--version")  # the server is there, and has other children
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "77")
    several: list[dict[str, Any]] = [{}, {"start_new_session": True}, {"stderr": subprocess.STDOUT}]
    for options in several:
        with start("wait", module=PROGRAM, stdout=subprocess.DEVNULL) as other:
            told = isfc("tell", "-x", module=PROGRAM, **options)
            other.kill()
        assert json.loads(told.stdout) == json.loads(started("tell", "-x", **options).stdout)


def test_process_may_use_what_the_one_that_starts_it_may() -> None:
    """Two tests of nodes with few descriptors, and on a full disk, had been of nodes with all."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000_000, before[1]))
    try:
        told = isfc("tell", module=PROGRAM)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert json.loads(told.stdout)["file_length_max"][0] == 10_000_000


@pytest.mark.parametrize("what", ["0", "7", "stumble", "write"])
@pytest.mark.parametrize("stdout", [os.devnull, "/dev/full"])
def test_process_ends_as_python_ends(what: str, stdout: str) -> None:
    codes, words = [], []
    for run in (partial(isfc, module=PROGRAM), started):
        with Path(stdout).open("wb") as file:
            ended = run(what, stdout=file)
        codes.append(ended.returncode)
        words.append(ended.stderr.splitlines()[-1:])
    assert codes[0] == codes[1]
    assert words[0] == words[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signal_that_ends_a_process_is_its_code(number: signal.Signals) -> None:
    with start(
        "wait", module=PROGRAM, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waits\n"
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == process.poll() == -number


def test_what_is_sent_to_a_process_arrives() -> None:
    text = "ä\n" * 100_000  # more than a pipe takes
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    with start("echo", module=PROGRAM, encoding="utf-8", **pipes) as process:
        assert process.communicate(text, timeout=PATIENCE_S) == (text, None)


def test_commands_of_tests_are_forked() -> None:
    """Where a plugin had loaded the module too early, all were started: nothing else failed."""
    with start("--version", stdout=subprocess.DEVNULL) as process:
        assert type(process) is not subprocess.Popen


def test_interrupt_that_comes_before_python_would_take_it_is_not_lost() -> None:
    silent: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    for _ in range(20):
        with start("wait", module=PROGRAM, **silent) as process:
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_S) == -signal.SIGINT


def test_what_python_reads_as_it_starts_is_read() -> None:
    told = isfc("tell", module=PROGRAM, environment={"PYTHONIOENCODING": "ascii:replace"})
    assert json.loads(told.stdout)["files"]["stdin"][2:4] == ["ascii", "replace"]
    assert isfc("7", module=PROGRAM, prefix=["env"]).args[0] == "env"


BEREFT: Final = """
import os, signal, subprocess
from tests.isfc_process import start
process = start("wait", module="tests.own_process", stdout=subprocess.PIPE)
process.stdout.readline()
print(process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_is_left_of_tests_that_are_killed() -> None:
    killed = subprocess.run(
        [sys.executable, "-c", BEREFT], cwd=ROOT,
        stdout=subprocess.PIPE, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    folder = Path("/proc", killed.stdout.strip())
    wait_for(lambda: not folder.exists(), "the end of what they started")
