"""The state tables of a CTC, hardware and software, as tables of ``docs/architecture.md``."""

from collections.abc import Iterable
from enum import Enum

from ctc.state import TRANSITIONS, CommandOutcome, State
from isfc.link.sides import SHOWN, WRITE_SIDE
from tools.pages.spans import block
from tools.tables import markdown_table


def figures(_: str) -> dict[str, str]:
    """Both tables: what becomes of a command, and what the software does with its CTC."""
    outcomes = [(_words(each), each.value) for each in CommandOutcome]
    commands = [
        (command.value, *map(_words, outcomes)) for command, outcomes in TRANSITIONS.items()
    ]
    link = [
        (given.cause, _shown(given.changes), _shown(given.changes.values())) for given in WRITE_SIDE
    ]
    return {
        "commands": block(markdown_table(("", *map(_words, State)), commands)),
        "outcomes": block(markdown_table(("outcome", "means"), outcomes)),
        "link": block(markdown_table(("what happens", "to a CTC that is", "which then is"), link)),
    }


def _words(member: Enum) -> str:
    return member.name.lower().replace("_", " ")


def _shown(states: Iterable[int]) -> str:
    """What QUERY ISLINK shows of them."""
    return ", ".join(dict.fromkeys(_words(SHOWN[state]) for state in states))
