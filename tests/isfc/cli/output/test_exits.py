"""The exit codes: what a shell script may rely on."""

import signal

from isfc.cli.output.exits import ExitCode


def test_codes_are_those_that_scripts_know() -> None:
    assert (ExitCode.GOOD, ExitCode.FAILED, ExitCode.BAD_INPUT) == (0, 1, 2)


def test_codes_of_a_death_by_signal_are_the_shells() -> None:
    assert ExitCode.INTERRUPTED == 128 + signal.SIGINT
    assert ExitCode.BROKEN_PIPE == 128 + signal.SIGPIPE
