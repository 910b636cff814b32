"""A console, on a pipe instead of a keyboard, and once on a real terminal."""

import asyncio
import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from isfc.cli.live.console import Console, CpCompleter
from isfc.live.control import ControlClient
from isfc.live.run_directory import run_directory
from tests.isfc.cli.live.test_cp import Served, serving
from tests.isfc_process import start
from tests.waiting import PATIENCE_S


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run directory and a state directory of this test only."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def typed(keys: str, *, meanwhile: Callable[[Served], None] | None = None) -> list[str]:
    """The commands that a console gives when ``keys`` are pressed, until it ends."""
    given: list[str] = []

    def give(command: str) -> list[str]:
        given.append(command)
        if meanwhile is not None:
            meanwhile(server)
        return [f"done: {command}"]

    async def main() -> None:
        completer = CpCompleter(["6000", "6001"], ["BOSTON"])
        async with asyncio.timeout(PATIENCE_S):
            await Console(client, "ATLANTA", completer, give).run()

    with (
        serving(run_directory()) as server,
        ControlClient(server.path) as client,
        create_pipe_input() as keyboard,
        create_app_session(input=keyboard, output=DummyOutput()),
    ):
        keyboard.send_text(keys)
        asyncio.run(main())
    return given


def test_commands_are_given_until_control_d() -> None:
    assert typed("q islink\rhelp\r\x04q chpid 40\r") == ["q islink", "help"]


@pytest.mark.parametrize("word", ["quit", " EXIT "])
def test_words_that_end_it(word: str) -> None:
    assert typed(f"help\r{word}\rhelp\r") == ["help"]


def test_control_c_drops_the_line_only() -> None:
    assert typed("vary off 6000\x03help\r\x04") == ["help"]


@pytest.mark.parametrize(
    ("text", "words"),
    [("indic", [("INDICATE", -5)]), ("vary off 6", [("6000", -1), ("6001", -1)]), ("foo ", [])],
)
def test_words_take_the_place_of_what_is_typed(text: str, words: list[tuple[str, int]]) -> None:
    completer = CpCompleter(["6000", "6001"], ["BOSTON"])
    found = completer.get_completions(Document(text), CompleteEvent())
    assert [(word.text, word.start_position) for word in found] == words


def test_earlier_commands_come_back_in_a_later_console(state: Path) -> None:
    assert typed("q islink\r\x04") == ["q islink"]
    assert typed("\x1b[A\r\x04") == ["q islink"]
    assert (state / "isfc" / "cp-history").stat().st_mode & 0o077 == 0


def test_console_works_where_no_history_can_be_kept(state: Path) -> None:
    state.write_text("no directory")
    assert typed("help\r\x04") == ["help"]


def test_console_works_where_nobody_knows_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "~")  # as it is left by one who is in no list of users
    assert typed("help\r\x04") == ["help"]


def test_end_of_the_node_ends_the_console() -> None:
    with pytest.raises(ConnectionResetError, match="the node has closed the connection"):
        typed("help\r", meanwhile=Served.cut)


CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""What moves the cursor, and colours."""


class Terminal:
    """``isfc cp ATLANTA`` on a terminal of its own."""

    def __init__(self) -> None:
        self._keyboard, screen = pty.openpty()
        self.process = start(
            *("cp", "ATLANTA"),
            environment={"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"},
            stdin=screen,
            stdout=screen,
            stderr=screen,
        )
        os.close(screen)
        self.shown = ""

    def press(self, keys: str) -> None:
        os.write(self._keyboard, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read what is shown until ``text`` is in it, and forget all up to there."""
        end = time.monotonic() + PATIENCE_S
        while text not in self.shown:
            ready, _, _ = select.select([self._keyboard], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"no {text!r} in {self.shown!r}"
            self.shown += CONTROLS.sub("", os.read(self._keyboard, 65_536).decode())
        self.shown = self.shown.partition(text)[2]

    def end(self) -> int | None:
        """Press Ctrl-D, again if it came between two prompts; the exit code."""
        for _ in range(int(PATIENCE_S / 0.5)):
            self.press("\x04")
            with suppress(subprocess.TimeoutExpired):
                return self.process.wait(0.5)
        return None

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE_S)
        os.close(self._keyboard)


@pytest.mark.slow
def test_console_on_a_terminal_shows_responses_and_what_is_announced() -> None:
    with serving(run_directory()) as server, Terminal() as terminal:
        terminal.wait_for("ATLANTA>")
        terminal.press("q chpid 40\r")
        terminal.wait_for("Path 40 online to devices 6000 6001")
        terminal.wait_for("ATLANTA>")  # between two prompts a terminal takes keys as it likes
        terminal.press("half a li")
        terminal.wait_for("half a li")
        server.announce("HCP2703I Link 6000 went down")
        terminal.wait_for("HCP2703I Link 6000 went down")
        terminal.wait_for("ATLANTA> half a li")
        terminal.press("\x03")
        assert terminal.end() == 0
