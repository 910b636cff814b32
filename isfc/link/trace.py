"""A trace of what a node did, for tests and for reading."""

import hashlib
from typing import Protocol

from ctc.subchannel import Interrupt

TraceRecord = tuple[int, str, int, str, int]
"""(now_ns, node, rdev, verb, detail): detail is a serial, a package number or 0."""


class Sink(Protocol):
    """Where trace records go."""

    def __call__(self, record: TraceRecord) -> None:
        """Take one record."""


class Watch(Protocol):
    """Who is shown every interrupt before the link is: where an I/O's time went, and its load."""

    def __call__(self, now_ns: int, node: str, interrupt: Interrupt) -> None:
        """Look at one interrupt; change nothing."""


class ListSink:
    """Keeps every record."""

    def __init__(self) -> None:
        self.records: list[TraceRecord] = []

    def __call__(self, record: TraceRecord) -> None:
        """Keep the record."""
        self.records.append(record)


class DigestSink:
    """Keeps a SHA-256 of all records: two runs with the same digest did the same."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def __call__(self, record: TraceRecord) -> None:
        """Add the record to the digest."""
        self._hash.update(repr(record).encode())

    def hexdigest(self) -> str:
        """The digest so far."""
        return self._hash.hexdigest()
