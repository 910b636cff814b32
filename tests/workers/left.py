"""The tests that no worker has yet, and which of them is the next for whom."""

from collections import deque
from pathlib import Path

import pytest


class Left:
    """The tests that no worker has, module by module, in the order in which they are to begin."""

    def __init__(self, items: list[pytest.Item]) -> None:
        self._items = items
        self._modules: dict[Path, deque[int]] = {}
        self._begun: set[Path] = set()
        for number in range(len(items)):
            self.put_back(number)

    def __bool__(self) -> bool:
        return bool(self._modules)

    def put_back(self, number: int) -> None:
        self._modules.setdefault(self._items[number].path, deque()).append(number)

    def take(self, path: Path | None) -> int | None:
        """The next for a worker whose last one was of ``path``."""
        if not self._modules:
            return None
        fresh = (each for each in self._modules if each not in self._begun)
        chosen = path if path in self._modules else next(fresh, None)
        if chosen is not None:
            self._begun.add(chosen)
            number = self._modules[chosen].popleft()
        else:  # from the end of another worker's module
            chosen = next(iter(self._modules))
            number = self._modules[chosen].pop()
        if not self._modules[chosen]:
            del self._modules[chosen]
        return number
