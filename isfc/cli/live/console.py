"""A console on a live node: commands with history and completion, and what comes unasked.

prompt_toolkit earns its place here: what a node announces appears above the line that is being
typed and leaves it as it is, which the readline of the standard library cannot do.
"""

import asyncio
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.patch_stdout import patch_stdout

from isfc.cli.output.streams import show_lines
from isfc.errors import RemoteProtocolError
from isfc.live.control import ControlClient
from isfc.system.cp.processor import completions

END_WORDS: Final = ("EXIT", "QUIT")
"""What ends a console, as Ctrl-D does. CP has no such commands for an operator to miss."""


@dataclass
class Console:
    """Prompts for commands and shows what ``give`` answers to each, until there is an end.

    ``client`` is the connection that ``give`` uses too.
    """

    client: ControlClient
    name: str
    completer: Completer
    give: Callable[[str], Iterable[str]]
    _fault: Exception | None = None

    def __post_init__(self) -> None:
        self._session: PromptSession[str] = PromptSession(
            history=_history(), completer=self.completer, complete_while_typing=False
        )

    async def run(self) -> None:
        """Prompt until Ctrl-D. Raises what broke the connection, if something did."""
        self.client.listen()
        loop = asyncio.get_running_loop()
        loop.add_reader(self.client.fileno(), self._hear)
        try:
            await self._prompt()
        finally:
            loop.remove_reader(self.client.fileno())
        if self._fault is not None:
            raise self._fault

    async def _prompt(self) -> None:
        while self._fault is None:
            try:
                with patch_stdout():  # what is printed meanwhile appears above the line
                    command = await self._session.prompt_async(f"{self.name}> ")
            except KeyboardInterrupt:  # away with the line
                continue
            except EOFError:
                return
            if command.strip().upper() in END_WORDS:
                return
            show_lines(self.give(command))
            self._show_announcements()

    def _hear(self) -> None:
        """Something has come in."""
        try:
            self.client.receive()
        except (OSError, RemoteProtocolError) as error:
            self._fault = error
            asyncio.get_running_loop().remove_reader(self.client.fileno())
            if self._session.app.is_running:
                self._session.app.exit(exception=EOFError)
        self._show_announcements()

    def _show_announcements(self) -> None:
        while (line := self.client.poll_announcement()) is not None:
            show_lines([line])


class CpCompleter(Completer):
    """Offers CP's words, and the node's own device numbers."""

    def __init__(self, rdevs: list[str], partners: list[str]) -> None:
        self._rdevs = rdevs
        self._partners = partners

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """What can stand before the cursor."""
        text = document.text_before_cursor
        begun = text.split()[-1] if text and not text[-1].isspace() else ""
        for word in completions(text, self._rdevs, self._partners):
            yield Completion(word, start_position=-len(begun))


def _history() -> History:
    """Commands of earlier consoles, where they can be kept."""
    try:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        path = Path(state, "isfc", "cp-history")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except (OSError, RuntimeError):  # nobody knows where this user is at home
        return InMemoryHistory()
    return FileHistory(path)
