"""Run tests in N processes that are forked once all tests are collected: ``--workers=N``.

Nothing is imported or collected twice. A worker asks for the next test before it begins one, as
pytest tears down by what comes next; with that it sends what the test before came to, which is
reported in the main process as if it had run there: ``-x``, ``--last-failed``, ``--durations`` and
``--junitxml`` know nothing of workers. A module's tests run in one worker, so that what they share
is made once, until another worker has nothing else to do.

A worker that dies fails the test that it was running; another one takes its place. Ctrl-C ends all,
and says where each stood. ``--workers=0``, the default, runs everything in the main process, as do
a debugger and a system that cannot fork. Only a process without other threads may be forked: a
library that starts threads is imported in the tests that need it.
"""

import os
import signal
import time
import warnings
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Final

import pytest

from tests.workers.left import Left
from tests.workers.process import LEAVE_S, Worker, fork
from tests.workers.work import WHERE_SIGNAL, Told

LOOK_S: Final = 1.0
"""How often to look for workers that died while a process of theirs holds their pipe."""
WRITE_S: Final = 0.2
"""How long a worker may write where it stands: a call in which it waits may miss a next signal."""


class ForkedWorkers:
    """Hands the tests of a session out, and reports what they come to."""

    def __init__(self, session: pytest.Session, count: int, common: Path) -> None:
        self._session = session
        self._count = min(count, len(session.items))
        self._common = common
        self._left = Left(session.items)
        self._workers: list[Worker] = []
        self._forked_count = 0
        self.stood: list[tuple[str, str]] = []
        """After Ctrl-C: each test that was running, and where."""

    def run(self) -> None:
        try:
            while self._workers or (self._left and not self._stopping):
                while self._left and not self._stopping and len(self._workers) < self._count:
                    self._forked_count += 1
                    base = self._common / f"worker-{self._forked_count}"
                    self._workers.append(fork(self._session, base, self._workers))
                said = wait([worker.pipe for worker in self._workers], LOOK_S)
                for worker in [*self._workers]:
                    if worker.pipe in said:
                        self._hear(worker)
                    elif worker.ended and not worker.pipe.poll():
                        self._bury(worker)
        except BaseException:
            self._interrupt()
            raise
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)

    @property
    def _stopping(self) -> bool:
        return bool(self._session.shouldfail or self._session.shouldstop)

    def _hear(self, worker: Worker) -> None:
        try:
            told: Told = worker.pipe.recv()
        except (EOFError, OSError):
            return self._bury(worker)
        if worker.running is not None:
            self._log(self._session.items[worker.running], told.outcome)
            worker.last = worker.running
        worker.running, worker.next = worker.next, None
        if told.raised is not None:
            raise told.raised
        if self._stopping or not told.asks:
            worker.pipe.close()  # which stops it, if it asks
            worker.end()
            return self._forget(worker)
        number = worker.running if worker.running is not None else worker.last
        path = None if number is None else self._session.items[number].path
        worker.next = self._left.take(path)
        with suppress(OSError):  # it has died, which is heard next
            worker.pipe.send(worker.next)
        return None

    def _log(self, item: pytest.Item, outcome: list[tuple[str, Any]]) -> None:
        """What the terminal and others would have seen of a test run here."""
        hook = self._session.config.hook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for kind, data in outcome:
            if kind == "report":
                report = hook.pytest_report_from_serializable(
                    config=self._session.config, data=data
                )
                hook.pytest_runtest_logreport(report=report)
            else:
                text, category, filename, line, when, nodeid, location = data
                record = warnings.WarningMessage(
                    text, type(category, (Warning,), {}), filename, line
                )
                hook.pytest_warning_recorded.call_historic(
                    kwargs={
                        "warning_message": record,
                        "when": when,
                        "nodeid": nodeid,
                        "location": location,
                    }
                )
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _bury(self, worker: Worker) -> None:
        """Report the death of a worker as a failure of what it was running."""
        how = worker.end()
        number = worker.running if worker.running is not None else worker.last
        if number is None:
            raise RuntimeError(f"a worker ended {how} before its first test\n{worker.told()}")
        item = self._session.items[number]
        report = pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords={},
            outcome="failed",
            longrepr=f"the process that ran it ended {how}",
            when="call" if worker.running is not None else "teardown",
            sections=[("the last it said", worker.told() or "nothing")],
        )
        data = self._session.config.hook.pytest_report_to_serializable(
            config=self._session.config, report=report
        )
        self._log(item, [("report", data)])
        if worker.next is not None:
            self._left.put_back(worker.next)
        self._forget(worker)

    def _forget(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.close()

    def _interrupt(self) -> None:
        """End all workers, and keep where they stood."""
        for number in (WHERE_SIGNAL, signal.SIGINT):
            for worker in self._workers:
                if number is not None and not worker.ended:
                    os.kill(worker.pid, number)
            time.sleep(WRITE_S)
        last_s = time.monotonic() + LEAVE_S
        try:
            for worker in self._workers:
                worker.end(last_s - time.monotonic())
        finally:  # also if that was interrupted
            for worker in self._workers:
                worker.end(0.0)
                if worker.running is not None:
                    nodeid = self._session.items[worker.running].nodeid
                    self.stood.append((nodeid, worker.told()))
                worker.close()
            self._workers.clear()


_common: Path | None = None


def common_folder(factory: pytest.TempPathFactory) -> Path:
    """The folder for temporary files that all workers share."""
    return _common or factory.getbasetemp()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--workers``."""
    parser.addoption(
        "--workers", type=int, default=0, metavar="N", help="fork N processes to run the tests in"
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    """How many processes run the tests."""
    count = config.getoption("workers")
    return f"{count} forked workers" if count else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run all tests in workers, or leave it to pytest."""
    global _common
    option = session.config.option
    failed = session.testsfailed and not option.continue_on_collection_errors
    if failed or option.collectonly or option.usepdb or option.trace or not hasattr(os, "fork"):
        return None
    if not option.workers or not session.items:
        return None
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None and option.verbose == 0:
        reporter.showfspath = False  # files take turns
    factory: pytest.TempPathFactory = vars(session.config)["_tmp_path_factory"]
    _common = factory.getbasetemp()
    workers = ForkedWorkers(session, option.workers, _common)
    session.config.stash[_WORKERS] = workers
    workers.run()
    return True


_WORKERS: Final = pytest.StashKey[ForkedWorkers]()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say where workers stood when they were interrupted."""
    workers = config.stash.get(_WORKERS, None)
    for nodeid, told in workers.stood if workers is not None else ():
        terminalreporter.section(f"{nodeid} stood here", sep="_")
        terminalreporter.write_line(told)
