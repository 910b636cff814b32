"""The changed tables are changed, each in one entry, and a test that looks notices."""

import os
import subprocess
import sys
from functools import partial

import pytest

from ctc.state import TRANSITIONS, CommandClass, CommandOutcome, State
from isfc.link.state import READ, READ_SIDE, WRITE_SIDE, ReadState
from tools.checks.mutants import Mutant, change_outcome, mutants, survives


def test_every_entry_is_given_other_values() -> None:
    names = [each.name for each in mutants()]
    assert len(names) == len(set(names))
    outcomes = len(TRANSITIONS) * len(State) * (len(CommandOutcome) - 1)
    entries = {
        f"{each.cause}, in state {before}"
        for each in (*WRITE_SIDE, *READ_SIDE)
        for before in each.changes
    }
    assert {name.rpartition(":")[0] for name in names[outcomes:]} == entries
    assert all(" met by " in name for name in names[:outcomes])


def test_mutant_survives_tests_that_do_not_look_and_no_others() -> None:
    changed = Mutant("read", partial(READ.change, ReadState.NONE, ReadState.READ))
    assert survives(changed, ("tests/ctc/test_address.py",))
    transfers = CommandClass.WRITE, State.WRITE, CommandOutcome.TRANSFER
    changed = Mutant("write", partial(change_outcome, *transfers))
    assert not survives(changed, ("tests/ctc/test_state.py",))


@pytest.mark.exhaustive
@pytest.mark.slow
def test_nothing_changed_survives_outside_of_pytest() -> None:
    # every run failed there, and so every mutant counted as noticed
    program = "from tools.checks.mutants import *; sys.exit(not survives(NOTHING, FIRST))"
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    assert (
        subprocess.run(
            [sys.executable, "-c", program], env=environment, check=False, timeout=60
        ).returncode
        == 0
    )
