"""A life of a node that runs, seen by the supervisor: its process, its books, what it says."""

import asyncio
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Iterable
from pathlib import Path

import msgspec

from tools.chaos import node
from tools.chaos.audit import Account
from tools.chaos.book import Book, Entry


class Running:
    """One process, from its start to its end; afterwards, what its books had, by partner."""

    def __init__(self, life: node.Life, process: Process, log: Path) -> None:
        self.life = life
        self._books = {partner: Book(Path(path)) for partner, path in life.books.items()}
        self._process = process
        self._log = log
        self._accounts: list[Account] | None = None

    @classmethod
    async def start(cls, life: node.Life, partners: Iterable[str], folder: Path) -> "Running":
        """Begin an incarnation. Its books and its log are in ``folder``."""
        stem = f"{life.name}-{life.number}"
        log = folder / f"{stem}.log"
        books = {partner: folder / f"{stem}-{partner}.book" for partner in partners}
        for path in books.values():
            Book.create(path)
        paths = {partner: str(path) for partner, path in books.items()}
        life = msgspec.structs.replace(life, books=paths)
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
    def accounts(self) -> list[Account]:
        """What its books have now, or had in the end."""
        return self._accounts or [
            Account.of(self.life.number, self.life.name, book, partner)
            for partner, book in self._books.items()
        ]

    @property
    def attached(self) -> bool:
        """Whether it has been connected to all its partners."""
        return all(book[Entry.ATTACHED] > 0 for book in self._books.values())

    @property
    def all_confirmed(self) -> bool:
        """Whether all it has sent since it was last severed is confirmed."""
        latest = [account.sent[-1] for account in self.accounts]
        return all(each.sent == each.confirmed for each in latest)

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self._process.returncode is None:
            self._process.send_signal(number)

    async def end(self, number: signal.Signals) -> int:
        """End it; its exit status, or how it had ended before."""
        self.send_signal(number)
        status = await self._process.wait()
        self._accounts = self.accounts
        return status
