"""A life of a node that runs, seen by the supervisor: its process, its book, what it says."""

import asyncio
import signal
import sys
from asyncio.subprocess import Process
from pathlib import Path

import msgspec

from tools.chaos import node
from tools.chaos.audit import Account
from tools.chaos.book import Book


class Running:
    """One process, from its start to its end; afterwards, what its book had."""

    def __init__(self, life: node.Life, process: Process, log: Path) -> None:
        self.life = life
        self.book = Book(Path(life.book))
        self._process = process
        self._log = log
        self._account: Account | None = None

    @classmethod
    async def start(cls, life: node.Life, folder: Path) -> "Running":
        """Begin an incarnation. Its book and its log are in ``folder``."""
        stem = folder / f"{life.name}-{life.number}"
        book, log = stem.with_suffix(".book"), stem.with_suffix(".log")
        Book.create(book)
        life = msgspec.structs.replace(life, book=str(book))
        with log.open("wb") as said:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", node.__name__, msgspec.json.encode(life).decode()),
                stdin=asyncio.subprocess.PIPE,
                stdout=said,
                stderr=said,
                start_new_session=True,  # Ctrl-C is for the supervisor
            )
        return cls(life, process, log)

    @property
    def said(self) -> str:
        """What it has said."""
        return self._log.read_text("utf-8", "replace")

    @property
    def account(self) -> Account:
        """What its book has now, or had in the end."""
        return self._account or Account.of(self.life.number, self.life.name, self.book)

    @property
    def all_confirmed(self) -> bool:
        """Whether all it has sent since it was last severed is confirmed."""
        latest = self.account.sent[-1]
        return latest.sent == latest.confirmed

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self._process.returncode is None:
            self._process.send_signal(number)

    async def end(self, number: signal.Signals) -> int:
        """End it; its exit status, or how it had ended before."""
        self.send_signal(number)
        status = await self._process.wait()
        self._account = self.account
        return status
