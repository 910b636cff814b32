"""Rows that are finished, kept in a file so that a sweep goes on where it was broken off."""

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from isfc.arguments import spelt
from isfc.errors import ConfigurationError
from scenarios.runs.experiment import Experiment
from scenarios.runs.provenance import plain

Figures = Mapping[str, Any]
"""Of each link of a run by its name: numbers by name."""


def key_of(experiment: Experiment) -> str:
    """What names a run: its layout, workload, every constant of the model, seed and version.

    And of which figures its row is: those of rows without ``trend`` are run again.
    """
    return hashlib.sha256(f"trend {version('isfc')} {plain(experiment)}".encode()).hexdigest()[:24]


class RowStore:
    """Figures of finished runs by `key_of`, one JSON line each, added to the end of a file.

    The last line counts if it is whole, also without its end; if a crash has left it half-written,
    it is run again. A file that a sweep has not written is refused. Without a path nothing is kept.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.finished: dict[str, Figures] = {}
        self._valid_length = 0
        self._ended = True
        if path is not None and path.exists():
            self._load(path)

    def _load(self, path: Path) -> None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
        for line in data.splitlines(keepends=True):
            try:
                record: dict[str, Any] = json.loads(line)
                self.finished[record["key"]] = record["figures"]
            except (ValueError, KeyError, TypeError):
                if not line.endswith(b"\n") and _begins_record(line):
                    break
                raise ConfigurationError(
                    f"{path}: holds what no sweep has written; expected another {spelt('store')}"
                ) from None
            self._valid_length += len(line)
            self._ended = line.endswith(b"\n")

    def add(self, key: str, figures: Figures) -> None:
        """Keep the figures of a run that has just finished; an `OSError` names the file."""
        self.finished[key] = figures
        if self.path is None:
            return
        line = ("" if self._ended else "\n") + _line(key, figures)
        self._ended = True
        try:
            with self.path.open("r+b" if self.path.exists() else "w+b") as file:
                file.seek(self._valid_length)
                file.truncate()
                file.write(line.encode())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self._valid_length += len(line)


def _line(key: str, figures: Figures) -> str:
    return json.dumps({"key": key, "figures": figures}) + "\n"


_BEGIN = _line("", {}).partition('""')[0].encode()
"""How every line begins, up to its key."""


def _begins_record(line: bytes) -> bool:
    """Whether a line without an end may be what a crash left of a record."""
    return line.startswith(_BEGIN) or _BEGIN.startswith(line)
