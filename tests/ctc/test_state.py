"""The CTC's state table against the published one, cell by cell."""

import pytest

from ctc.state import COMMAND_RULES, TRANSITIONS, WAITING_STATE, CommandClass, CommandOutcome, State
from ctc.subchannel import Command

# SA22-7203, 2.13, written down independently of the code. Rows: the command issued here;
# columns: what the other side has outstanding. + means that both sides' commands end.
PUBLISHED = """
                     prepare     control    read       write      available   not_ready
prepare              +end        end        end        end        wait        check
control              +end,wait   busy       busy       busy       wait,attn   check
read                 +end,wait   busy       busy       transfer   wait,attn   check
write                +end,wait   busy       transfer   busy       wait,attn   check
sense_command_byte   end         +end       end        end        end         check
write_eof            end         busy       +end       busy       end         check
no_op                end         busy       busy       busy       end         check
sense                end         end        end        end        end         end
"""

MEANINGS = {
    "end": CommandOutcome.END,
    "+end": CommandOutcome.MATCH,
    "+end,wait": CommandOutcome.MATCH_WAIT,
    "wait": CommandOutcome.WAIT,
    "wait,attn": CommandOutcome.ATTEND,
    "transfer": CommandOutcome.TRANSFER,
    "busy": CommandOutcome.BUSY,
    "check": CommandOutcome.CHECK,
}

CLASSES = {
    "prepare": [Command.PREPARE],
    "control": [Command.CONTROL],
    "read": [Command.READ, Command.READ_BACKWARD],
    "write": [Command.WRITE],
    "sense_command_byte": [Command.SENSE_COMMAND_BYTE],
    "write_eof": [Command.WRITE_EOF],
    "no_op": [Command.NO_OP, Command.SET_BASIC_MODE, Command.SET_EXTENDED_MODE],
    "sense": [
        Command.SENSE_ADAPTER_STATE,
        Command.SENSE_ID,
        Command.READ_CONFIGURATION_DATA,
    ],
}


def cells() -> list[tuple[str, str, str]]:
    """(row, column, entry) of every cell."""
    head, *rows = PUBLISHED.strip().splitlines()
    columns = head.split()
    entries = []
    for row in rows:
        name, *texts = row.split()
        entries += [(name, *cell) for cell in zip(columns, texts, strict=True)]
    return entries


def test_table_has_every_class_and_state() -> None:
    assert {row for row, _, _ in cells()} == {c.name.lower() for c in CommandClass}
    assert {column for _, column, _ in cells()} == {s.name.lower() for s in State}
    assert sum(len(commands) for commands in CLASSES.values()) == len(Command) == len(COMMAND_RULES)


@pytest.mark.parametrize(("row", "column", "entry"), cells())
def test_cell_is_as_published(row: str, column: str, entry: str) -> None:
    state = State[column.upper()]
    assert TRANSITIONS[CommandClass[row.upper()]][state] is MEANINGS[entry]
    for command in CLASSES[row]:
        assert COMMAND_RULES[command].outcomes[state] is MEANINGS[entry]


def test_every_command_that_can_wait_has_a_state_to_wait_in() -> None:
    waits = (
        CommandOutcome.WAIT,
        CommandOutcome.ATTEND,
        CommandOutcome.MATCH_WAIT,
        CommandOutcome.TRANSFER,
    )
    waiting = {command for command in Command if set(COMMAND_RULES[command].outcomes) & set(waits)}
    assert waiting == set(WAITING_STATE)
