"""Checks of the source that no ordinary linter makes."""

from collections.abc import Iterable


def say(found: Iterable[str]) -> int:
    """Print what a check has found, line by line; return its exit status."""
    messages = [*found]
    print(*messages, sep="\n", end="\n" * bool(messages))
    return 1 if messages else 0
