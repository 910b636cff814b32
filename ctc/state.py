"""The CTC's state table: what becomes of a command, given what the mate has outstanding.

The table is SA22-7203, 2.13, as Hercules' ``ctcadpt.c`` lays it out. A row is the class of
the command being issued, a column the state of the other end. The same table answers both
ends: the issuer looks up its command against the mate's state, the mate looks up the
arriving command against its own.
"""

from enum import Enum, IntEnum
from typing import Final, final

from mypy_extensions import i64

from ctc.subchannel import Command


class State(IntEnum):
    """What one end has outstanding."""

    PREPARE = 0
    CONTROL = 1
    READ = 2
    WRITE = 3
    AVAILABLE = 4
    NOT_READY = 5


class CommandClass(Enum):
    """Commands that the adapter treats alike."""

    PREPARE = "prepare"
    CONTROL = "control"
    READ = "read"
    WRITE = "write"
    SENSE_COMMAND_BYTE = "sense command byte"
    WRITE_EOF = "write end of file"
    NO_OP = "no-op"
    SENSE = "sense"


class CommandOutcome(Enum):
    """What becomes of the command that is issued."""

    END = "ends immediately with CE+DE; the mate notices nothing"
    MATCH = "both this command and the mate's end"
    MATCH_WAIT = "the mate's prepare ends; this command waits"
    WAIT = "this command waits; the mate notices nothing"
    ATTEND = "this command waits; the mate is shown attention"
    TRANSFER = "a write has met a read: data moves, then both end"
    BUSY = "busy and attention: the two cannot pass each other"
    CHECK = "unit check: the mate is not ready"


_CLASSES: Final = {
    Command.PREPARE: CommandClass.PREPARE,
    Command.CONTROL: CommandClass.CONTROL,
    Command.READ: CommandClass.READ,
    Command.READ_BACKWARD: CommandClass.READ,
    Command.WRITE: CommandClass.WRITE,
    Command.SENSE_COMMAND_BYTE: CommandClass.SENSE_COMMAND_BYTE,
    Command.WRITE_EOF: CommandClass.WRITE_EOF,
    Command.NO_OP: CommandClass.NO_OP,
    Command.SET_BASIC_MODE: CommandClass.NO_OP,
    Command.SET_EXTENDED_MODE: CommandClass.NO_OP,
    Command.SENSE_ADAPTER_STATE: CommandClass.SENSE,
    Command.SENSE_ID: CommandClass.SENSE,
    Command.READ_CONFIGURATION_DATA: CommandClass.SENSE,
}

_O = CommandOutcome
TRANSITIONS: Final = {
    # in the order of State: P, C, R, W, A, N
    CommandClass.PREPARE: (_O.MATCH, _O.END, _O.END, _O.END, _O.WAIT, _O.CHECK),
    CommandClass.CONTROL: (_O.MATCH_WAIT, _O.BUSY, _O.BUSY, _O.BUSY, _O.ATTEND, _O.CHECK),
    CommandClass.READ: (_O.MATCH_WAIT, _O.BUSY, _O.BUSY, _O.TRANSFER, _O.ATTEND, _O.CHECK),
    CommandClass.WRITE: (_O.MATCH_WAIT, _O.BUSY, _O.TRANSFER, _O.BUSY, _O.ATTEND, _O.CHECK),
    CommandClass.SENSE_COMMAND_BYTE: (_O.END, _O.MATCH, _O.END, _O.END, _O.END, _O.CHECK),
    CommandClass.WRITE_EOF: (_O.END, _O.BUSY, _O.MATCH, _O.BUSY, _O.END, _O.CHECK),
    CommandClass.NO_OP: (_O.END, _O.BUSY, _O.BUSY, _O.BUSY, _O.END, _O.CHECK),
    CommandClass.SENSE: (_O.END, _O.END, _O.END, _O.END, _O.END, _O.END),
}
"""Outcome by (class of the command issued, state of the other end)."""

WAITING_STATE: Final = {
    Command.PREPARE: State.PREPARE,
    Command.CONTROL: State.CONTROL,
    Command.READ: State.READ,
    Command.READ_BACKWARD: State.READ,
    Command.WRITE: State.WRITE,
}
"""The state of an end whose command waits."""


@final
class CommandRule:
    """What becomes of one command."""

    __slots__ = ("outcomes", "waiting")

    def __init__(self, outcomes: tuple[CommandOutcome, ...], waiting: State) -> None:
        self.outcomes = list(outcomes)
        """By the state of the other end."""
        self.waiting = waiting
        """The state of an end whose command waits; `State.AVAILABLE` if it never does."""

    def outcome(self, state: i64) -> CommandOutcome:
        """What comes of it in that state of the other end."""
        return self.outcomes[state]


COMMAND_RULES: Final = {
    command: CommandRule(TRANSITIONS[command_class], WAITING_STATE.get(command, State.AVAILABLE))
    for command, command_class in _CLASSES.items()
}
"""`TRANSITIONS` by command."""

_RULE_OF: Final = [COMMAND_RULES[Command.NO_OP]] * 256
for _command, _rule in COMMAND_RULES.items():
    _RULE_OF[_command] = _rule


def rule_of(command: i64) -> CommandRule:
    """The same, from a list: compiled, a dictionary takes ten times as long."""
    return _RULE_OF[command]


def class_of(command: Command) -> CommandClass:
    """The class of a command."""
    return _CLASSES[command]
