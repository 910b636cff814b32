"""Rows that are finished, kept in a file so that a sweep goes on where it was broken off."""

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from isfc.errors import ConfigurationError
from scenarios.run import Experiment

Figures = Mapping[str, float]


def key_of(experiment: Experiment) -> str:
    """What names a run: its layout, workload, every constant of the model, seed and version."""
    return hashlib.sha256(f"{version('isfc')} {experiment!r}".encode()).hexdigest()[:24]


class RowStore:
    """Figures of finished runs by `key_of`, one JSON line each, added to the end of a file.

    A line counts when its end has been written, so that what a crash leaves half-written is run
    again. Without a path nothing is kept.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.finished: dict[str, Figures] = {}
        self._valid_length = 0
        if path is not None and path.exists():
            self._load(path)

    def _load(self, path: Path) -> None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
        for line in data.splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break
            try:
                record: dict[str, Any] = json.loads(line)
                self.finished[record["key"]] = record["figures"]
            except (ValueError, KeyError, TypeError):
                raise ConfigurationError(
                    f"{path}: holds what no sweep has written; expected another --store"
                ) from None
            self._valid_length += len(line)

    def add(self, key: str, figures: Figures) -> None:
        """Keep the figures of a run that has just finished."""
        self.finished[key] = figures
        if self.path is None:
            return
        line = json.dumps({"key": key, "figures": figures}) + "\n"
        with self.path.open("r+b" if self.path.exists() else "w+b") as file:
            file.seek(self._valid_length)
            file.truncate()
            file.write(line.encode())
        self._valid_length += len(line)
