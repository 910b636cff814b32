"""Every entry of the tables of states is changed, and the unit tests are to notice.

``python -m tools.checks.mutants`` takes each entry of `ctc.state.TRANSITIONS`, and of the tables
of both sides of a link's CTC, `READ_SIDE` and `WRITE_SIDE`, and puts other values there: every
other outcome; of states the one before, as if nothing happened, and one more. mutmut changes what
functions do, not data. Each such mutant has a process of its own. What survives is printed, and
the exit status is 1 if anything does.
First the tests must pass with nothing changed: what fails anyway notices nothing. With a number,
``python -m tools.checks.mutants 191``, it begins at that entry, counted from 1.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

import pytest

from ctc.state import COMMAND_RULES, TRANSITIONS, CommandClass, CommandOutcome, State, class_of
from isfc.link.state import READ_SIDE, WRITE_SIDE, ReadState, WriteState

TESTS: Final = (
    "tests/ctc", "tests/isfc/link", "tests/isfc/system", "tests/properties/test_link_table.py"
)  # fmt: skip
FIRST: Final = ("tests/ctc/test_state.py", "tests/isfc/link/test_state.py")
"""Those that notice most, and take a second: the others run only if these pass."""

SECONDS_MAX: Final = 120
"""A mutant that takes more processor time is noticed as well."""

_OPTIONS: Final = ("-x", "-q", "-p", "no:cacheprovider", "--assert=plain")
"""Plain assertions: pytest warns that it cannot rewrite what is imported here already, and a
warning fails the run."""


class Mutant(NamedTuple):
    """An entry of a table with another value."""

    name: str
    change: Callable[[], None]
    """Puts the value into the table, for this process."""


NOTHING: Final = Mutant("nothing", lambda: None)
"""No change: what must survive."""


def change_outcome(row: CommandClass, state: State, outcome: CommandOutcome) -> None:
    """Another outcome of commands of a class when the other end has something outstanding."""
    outcomes = list(TRANSITIONS[row])
    outcomes[[*State].index(state)] = outcome
    first, second, third, fourth, fifth, sixth = outcomes
    TRANSITIONS[row] = first, second, third, fourth, fifth, sixth
    for command, rule in COMMAND_RULES.items():
        if class_of(command) is row:
            rule.outcomes = outcomes


def mutants() -> Iterator[Mutant]:
    """Other values of every entry."""
    for row, outcomes in TRANSITIONS.items():
        for state in State:
            for outcome in CommandOutcome:
                if outcome is not outcomes[state]:
                    name = f"{row.name} met by {state.name}: {outcome.name}"
                    yield Mutant(name, partial(change_outcome, row, state, outcome))
    for side, states in ((READ_SIDE, ReadState), (WRITE_SIDE, WriteState)):
        for given in side:
            for before, after in given.changes.items():
                for other in sorted({before, (after + 1) % len(states)} - {after}):
                    name = f"{given.cause}, in state {before}: {other}"
                    yield Mutant(name, partial(given.change, before, other))


def survives(mutant: Mutant, tests: tuple[str, ...] = TESTS) -> bool:
    """Whether every test passes, in a process of its own, with the table changed."""
    child = os.fork()
    if not child:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_MAX)
        mutant.change()
        os._exit(pytest.main([*_OPTIONS, *tests]))
    return os.waitpid(child, 0)[1] == 0


def main(arguments: list[str]) -> int:
    """Try every mutant, or those from a number on; return the exit status."""
    if not survives(NOTHING):
        print("the tests fail with nothing changed")
        return 2
    first = int(arguments[0]) if arguments else 1
    every = list(mutants())
    survivors = 0
    for number, mutant in enumerate(every[first - 1 :], first):
        if survives(mutant, FIRST) and survives(mutant):
            survivors += 1
            print(f"survives: {mutant.name}", flush=True)
        if number % 50 == 0:
            print(f"{number} of {len(every)}", flush=True)
    count = len(every) - first + 1
    print(f"{count} entries changed, {count - survivors} noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
