"""What a forked worker does: it asks for tests, runs them, and sends what they come to."""

import atexit
import faulthandler
import os
import signal
import warnings
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from pathlib import Path
from traceback import print_exc
from typing import Any, Final, NamedTuple

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from _pytest.runner import pytest_sessionfinish as tear_down_all

WHERE_SIGNAL: Final = getattr(signal, "SIGUSR2", None)
"""Has a worker write where it stands, compiled code or not."""


class Told(NamedTuple):
    """What a worker says between two tests."""

    outcome: list[tuple[str, Any]]
    """What there is to report since it spoke last: ``("report", data)``, ``("warning", data)``."""
    asks: bool
    """It wants another test. If not, it ends."""
    raised: BaseException | None = None
    """What ends the whole run: a KeyboardInterrupt or a `pytest.exit` of a test."""


def work(session: pytest.Session, pipe: "Connection[Any, Any]", base: Path, stacks: int) -> None:
    """All that a worker does; it never returns."""
    code = 1
    try:
        atexit._clear()  # noqa: SLF001  # as multiprocessing does: the main process has its own
        os.setpgid(0, 0)  # Ctrl-C reaches the main process, which interrupts each worker once
        _settle(session.config, base, stacks)
        send_handle(pipe, 2, os.getppid())
        session.config.pluginmanager.getplugin("capturemanager").suspend_global_capture()
        _serve(session, pipe)
        atexit._run_exitfuncs()  # noqa: SLF001
        code = 0
    except BaseException:
        print_exc(file=os.fdopen(stacks, "w", closefd=False))
    finally:
        os._exit(code)


def _settle(config: pytest.Config, base: Path, stacks: int) -> None:
    """Give this worker its own folder, its own capture and its own place for stacks."""
    plugins = config.pluginmanager
    plugins.unregister(name="terminalreporter")
    base.mkdir(mode=0o700)
    vars(config)["_tmp_path_factory"]._basetemp = base  # noqa: SLF001  # no option after the start
    capture = plugins.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    file = config.stash.get(fault_handler_stderr_fd_key, None)
    if file is not None:
        os.dup2(stacks, file)
    if WHERE_SIGNAL is not None:
        faulthandler.register(WHERE_SIGNAL, file=stacks)


def _serve(session: pytest.Session, pipe: "Connection[Any, Any]") -> None:
    """Run what the main process hands out."""
    sender = Sender(session.config)
    session.config.pluginmanager.register(sender)
    sender.told()  # warnings of before are the main process's
    raised: BaseException | None = None

    def ask() -> int | None:
        pipe.send(Told(sender.told(), asks=True))
        answer: int | None = pipe.recv()
        return answer

    try:
        number = ask()
        while number is not None:
            following = ask()
            item = session.items[number]
            nextitem = None if following is None else session.items[following]
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
            if session.shouldstop:
                raise KeyboardInterrupt(session.shouldstop)
            number = following
    except (KeyboardInterrupt, pytest.exit.Exception) as error:
        raised = error
    except (EOFError, ConnectionError):
        pass  # it is to stop, or the main process has ended
    tear_down_all(session)
    with suppress(ConnectionError):
        pipe.send(Told(sender.told(), asks=False, raised=raised))


class Sender:
    """In a worker: keeps what the main process is to report."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._outcome: list[tuple[str, Any]] = []

    def told(self) -> list[tuple[str, Any]]:
        told, self._outcome = self._outcome, []
        return told

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._outcome.append(("report", data))

    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: str,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        text, category = str(warning_message.message), warning_message.category.__name__
        place = (warning_message.filename, warning_message.lineno)
        self._outcome.append(("warning", (text, category, *place, when, nodeid, location)))
