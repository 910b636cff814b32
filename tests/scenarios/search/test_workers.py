"""Work among processes: every result, no one left over, and no silence about a death."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from multiprocessing import Pipe, active_children
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from scenarios.search.workers import calling, serve, shared_out
from tests.waiting import PATIENCE_S, ran


@pytest.mark.parametrize("jobs", [1, 2, pytest.param(9, marks=pytest.mark.exhaustive)])
def test_every_item_has_its_result(jobs: int) -> None:
    items = [4, -3, 2, -1]
    assert dict(shared_out(abs, items, jobs)) == {0: 4, 1: 3, 2: 2, 3: 1}
    assert active_children() == []


def test_processes_stay_for_the_next_lot_of_calls() -> None:
    with calling(2) as calls:
        first = dict(calls([os.getpid] * 4))
        assert {*dict(calls([os.getpid] * 2)).values()} <= {*first.values()}
        assert len(active_children()) == 2
    assert active_children() == []
    with calling(1) as calls:
        assert {*calls([os.getpid])} == {(0, os.getpid())}


_COPIED = """
import sys
from multiprocessing import active_children
from scenarios.search.workers import staffed
loaded_here = 7
def number(more):
    return loaded_here + more
if __name__ == "__main__":
    loaded_here = 8
    with staffed(number, 2, copies=9) as each:
        print(len(active_children()), *(answer for _, answer in sorted(each([0, 1, 2]))))
    print(len(active_children()))
"""


def test_copies_begin_at_once_and_have_what_the_process_has(tmp_path: Path) -> None:
    script = tmp_path / "copied.py"
    script.write_text(_COPIED, "ascii")
    done = ran([sys.executable, script], check=True)
    copied = sys.platform == "linux"
    assert done.stdout.split() == (
        ["2", "8", "9", "10", "0"] if copied else ["0", "7", "8", "9", "0"]
    )


def test_no_work_needs_no_workers() -> None:
    assert list(shared_out(abs, [], 2)) == []


def test_workers_end_when_nobody_wants_their_results() -> None:
    with closing(shared_out(time.sleep, [0.0, 600.0, 600.0], 2)) as answers:
        assert next(answers) == (0, None)
        assert len(active_children()) == 2
    assert active_children() == []


@pytest.mark.parametrize(
    ("work", "item", "cause"),
    [
        (signal.raise_signal, signal.SIGKILL, "signal 9"),
        (os._exit, 0, "exit code 0"),
        pytest.param(os._exit, 3, "exit code 3", marks=pytest.mark.exhaustive),
    ],
)
def test_death_of_a_worker_is_reported(work: object, item: int, cause: str) -> None:
    assert callable(work)
    with pytest.raises(ChildProcessError, match=f"a worker died \\({cause}\\)"):
        list(shared_out(work, [item] * 3, 2))
    assert active_children() == []


def refuse(item: int) -> None:
    raise ConfigurationError(f"{item}: expected less")


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_work_refuses_is_refused_and_no_death_of_a_worker(jobs: int) -> None:
    with pytest.raises(ConfigurationError, match="7: expected less"):
        list(shared_out(refuse, [7] * 3, jobs))
    assert active_children() == []


_ENDLESS = """
import os, time
from scenarios.search.workers import shared_out
if __name__ == "__main__":
    for _ in shared_out(time.sleep, [0.0, 900.0, 900.0], 2):
        print("both work", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_process_that_started_them(tmp_path: Path, number: int) -> None:
    script = tmp_path / "endless.py"
    script.write_text(_ENDLESS, "ascii")
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as parent:
        assert parent.stdout is not None
        try:
            assert parent.stdout.readline() == b"both work\n"
            parent.send_signal(number)
            rest, _ = parent.communicate(timeout=60)  # workers have the pipe as long as they live
        finally:
            with suppress(ProcessLookupError):
                os.killpg(parent.pid, signal.SIGKILL)
    assert rest == b""
    assert parent.returncode == -number


def test_work_is_shared_out_from_any_thread() -> None:
    # asyncio.to_thread, a notebook's widget and a web server have no other
    with ThreadPoolExecutor(1) as threads:
        found = threads.submit(lambda: dict(shared_out(abs, [-1, -2, -3], 2))).result(PATIENCE_S)
    assert found == {0: 1, 1: 2, 2: 3}
    assert active_children() == []


class Interrupting:
    """Work during whose way to a new worker the user presses Ctrl-C."""

    def __call__(self, number: int) -> int:
        return number

    def __reduce__(self) -> tuple[type, tuple[object]]:
        signal.raise_signal(signal.SIGINT)
        return partial, (abs,)


def test_ctrl_c_while_a_worker_starts_waits_until_it_has() -> None:
    with pytest.raises(KeyboardInterrupt):
        list(shared_out(Interrupting(), [600] * 3, 3))
    assert active_children() == []


def test_workers_never_see_ctrl_c() -> None:
    assert dict(shared_out(signal.raise_signal, [signal.SIGINT], 2)) == {0: None}


def test_ctrl_c_works_again_once_the_workers_have_started() -> None:
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    handler = signal.getsignal(signal.SIGINT)
    with closing(shared_out(time.sleep, [0.0, 600.0], 2)) as answers:
        next(answers)
        assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask
        assert signal.getsignal(signal.SIGINT) is handler


def test_worker_answers_until_its_line_is_closed() -> None:
    ours, theirs = Pipe()
    ours.send((7, -5))
    ours.send((8, 6))
    received = []

    def absolute(number: int) -> int:
        received.append(number)
        if len(received) == 2:
            ours.close()
        return abs(number)

    serve(theirs, absolute)  # ends without a word
    assert received == [-5, 6]
