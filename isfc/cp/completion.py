"""What a console offers for the word that is being typed."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from isfc.cp.processor import COMMANDS, CpCommand
from isfc.cp.words import NODE, matches, split

_KEYWORD: Final = re.compile(r"\b[A-Z]{2,}[a-z]*\b")
"""A keyword in a command's syntax; device numbers and names stand there in small letters."""


def completions(text: str, rdevs: Sequence[str], partners: Sequence[str]) -> list[str]:
    """The words that can stand where ``text`` ends and begin like its last word, in capitals.

    ``rdevs`` and ``partners`` are those of the node.
    """
    words = split(text)
    begun = words.pop() if words and not text[-1].isspace() else ""
    return [word for word in _next_words(words, rdevs, partners) if word.startswith(begun)]


def _next_words(words: list[str], rdevs: Sequence[str], partners: Sequence[str]) -> list[str]:
    """What can follow the words, in a stable order."""
    if not words:
        return _full(command.verb for command in COMMANDS)
    commands = [command for command in COMMANDS if matches(command.verb, words[0])]
    if len(words) == 1:
        return _full(command.noun for command in commands if command.noun)
    for command in commands:
        if command.noun and matches(command.noun, words[1]):
            return _operands(command, words[2:], rdevs, partners)
    return []


def _operands(
    command: CpCommand, given: list[str], rdevs: Sequence[str], partners: Sequence[str]
) -> list[str]:
    if given and matches(NODE, given[-1]):
        return [*partners]
    keywords = _full(_KEYWORD.findall(command.operands))
    devices = rdevs if "rdev" in command.operands else ()
    return [word for word in (*keywords, *devices) if word not in given]


def _full(keywords: Iterable[str]) -> list[str]:
    """Each keyword once, without its abbreviation."""
    return list(dict.fromkeys(keyword.upper() for keyword in keywords))
