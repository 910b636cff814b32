"""The changed tables are changed, each in one entry, and a test that looks notices."""

import os
import subprocess
import sys

import pytest

from ctc.state import TRANSITIONS, CommandClass, CommandOutcome, State
from isfc.link.read_side import READ, READ_SIDE, ReadState
from isfc.link.write_side import WRITE_SIDE
from tools.mutation.tables import After, OtherOutcome, mutants, survives


def test_every_entry_is_given_other_values() -> None:
    every = list(mutants())
    assert len(every) == len({str(each) for each in every})
    outcomes = [each for each in every if isinstance(each, OtherOutcome)]
    assert len(outcomes) == len(TRANSITIONS) * len(State) * (len(CommandOutcome) - 1)
    changed = {(each.given, each.before) for each in every if isinstance(each, After)}
    entries = {(each, before) for each in (*WRITE_SIDE, *READ_SIDE) for before in each.changes}
    assert changed == entries


def test_mutant_survives_tests_that_do_not_look_and_no_others() -> None:
    assert survives(
        After(READ, ReadState.NONE, ReadState.READ),
        ("tests/ctc/test_errors.py",),
    )
    mutant = OtherOutcome(CommandClass.WRITE, State.WRITE, CommandOutcome.TRANSFER)
    assert not survives(mutant, ("tests/ctc/test_state.py",))


@pytest.mark.exhaustive
@pytest.mark.slow
def test_nothing_changed_survives_outside_of_pytest() -> None:
    # every run failed there, and so every mutant counted as noticed
    program = "from tools.mutation.tables import *; sys.exit(not survives(Nothing(), FIRST))"
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    assert (
        subprocess.run(
            [sys.executable, "-c", program], env=environment, check=False, timeout=60
        ).returncode
        == 0
    )
