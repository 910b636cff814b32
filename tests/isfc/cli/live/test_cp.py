"""``isfc cp``: one command, commands that are piped in, and what can be wrong."""

import asyncio
import io
import json
import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from isfc.cli.live.console import Console, CpCompleter
from isfc.cli.live.cp import complete_node
from isfc.cli.main import run
from isfc.live import run_directory as run_directory_module
from isfc.live.control import BadRequest, ControlClient
from isfc.live.endpoint import listen_at
from isfc.live.run_directory import control_path, run_directory
from isfc.system.cp.messages import NO_SUCH_DEVICE, UNKNOWN_COMMAND
from isfc.system.cp.processor import CommandProcessor
from isfc.system.system import System
from isfc.testing.pair import Setup
from tests.isfc.live.asking import Answering
from tests.isfc_process import start
from tests.waiting import PATIENCE_S


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run directory and a state directory of this test only."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("isfc.cli.live.cp.STARTING_S", 0)
    return tmp_path / "state"


def answers(system: System) -> Any:
    """What answers requests, on a node that nobody drives."""
    processor = CommandProcessor()

    def handle(kind: str, operand: object) -> dict[str, Any]:
        if kind == "node":
            return {
                "name": system.name,
                "partners": [system.ends[0].partner],
                "rdevs": ["6000", "6001"],
            }
        if kind != "cp":
            raise BadRequest(f"{kind} is unknown")
        response = processor.execute(str(operand), system, 0)
        return {"return_code": response.return_code, "lines": list(response.lines)}

    return handle


def serving(directory: Path, handle: Any = None) -> Answering:
    """ATLANTA's control, on a loop of its own thread."""
    system = System([Setup(ctc_count=2).definition(0)])
    return Answering(control_path(directory, "ATLANTA"), handle or answers(system))


@pytest.mark.parametrize("command", [["q chpid 40"], ["q", "chpid", "40"]])
def test_one_command_is_answered(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with serving(run_directory()):
        assert run(["cp", "atlanta", *command]) == 0
    assert capsys.readouterr() == ("Path 40 online to devices 6000 6001\n", "")


def test_refused_command_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(run_directory()):
        assert run(["cp", "ATLANTA", "q islink 9999"]) == 1
    assert capsys.readouterr() == (f"{NO_SUCH_DEVICE('9999')}\n", "")


def test_record_has_return_code_and_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(run_directory()):
        assert run(["cp", "ATLANTA", "q islink 9999", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "node": "ATLANTA",
        "command": "q islink 9999",
        "return_code": 40,
        "lines": [NO_SUCH_DEVICE("9999")],
    }


def test_commands_may_be_piped_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("vary off 6000\n\nfoo\nq chpid 40\n"))
    with serving(run_directory()):
        assert run(["cp", "ATLANTA"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "6000 varied offline",
        "1 device(s) specified; 1 device(s) successfully varied offline",
        UNKNOWN_COMMAND("FOO"),
        "Path 40 online to devices 6001",
        "Path 40 offline to devices 6000",
    ]


def test_run_directory_may_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = run_directory(tmp_path / "elsewhere")
    with serving(place):
        assert run(["cp", "ATLANTA", "help"]) == 2
        assert run(["cp", "ATLANTA", "help", "--run-dir", str(place)]) == 0
    assert "no such node runs" in capsys.readouterr().err


def test_node_that_has_ended_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    listen_at(control_path(run_directory(), "ATLANTA")).close()
    assert run(["cp", "ATLANTA", "help"]) == 2
    assert "ATLANTA: that node has ended; only " in capsys.readouterr().err


def test_node_that_refuses_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(kind: str, _: object) -> dict[str, Any]:
        raise BadRequest(f"no {kind} today")

    with serving(run_directory(), refuse):
        assert run(["cp", "ATLANTA", "help"]) == 1
    assert capsys.readouterr().err == "isfc: ATLANTA: the node refuses: no cp today\n"


def test_long_command_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(run_directory()):
        assert run(["cp", "ATLANTA", "x" * 10_000]) == 1
    assert "expected requests of at most 4096 B" in capsys.readouterr().err


def test_running_nodes_are_completed() -> None:
    assert complete_node("") == []
    with serving(run_directory()):
        assert complete_node("at") == ["ATLANTA"]
        assert complete_node("B") == []


def test_node_that_is_only_beginning_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("isfc.cli.live.cp.STARTING_S", PATIENCE_S)
    looks = []
    running = run_directory_module.running_nodes

    def begin_late(chosen: Path | None = None) -> dict[str, list[Path]]:
        looks.append(chosen)
        return running(chosen) if len(looks) > 2 else {}

    monkeypatch.setattr(run_directory_module, "running_nodes", begin_late)
    with serving(run_directory()):
        assert run(["cp", "atlanta", "q islink 9999"]) == 1
    assert "Device 9999 does not exist" in capsys.readouterr().out
    assert len(looks) == 3


def typed(keys: str, *, meanwhile: Callable[[Answering], None] | None = None) -> list[str]:
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
        ControlClient(server.server.path) as client,
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
        typed("help\r", meanwhile=Answering.cut)


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
