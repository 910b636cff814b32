"""How a command ends: the exit codes of ``isfc``, all of them."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the shell sees. The codes above 128 are those of a death by signal."""

    GOOD = 0
    FAILED = 1
    """A check left its tolerance, CP refused a command, or the output could not be written."""
    BAD_INPUT = 2
    """A layout, an argument or an option is wrong; the message says what was expected."""
    HUNG_UP = 129
    """SIGHUP, a closed terminal, before there was a result."""
    INTERRUPTED = 130
    """Ctrl-C before there was a result."""
    TERMINATED = 143
    """SIGTERM before there was a result."""
    BROKEN_PIPE = 141
    """The reader of the output went away, as ``| head`` does. Ends without a word."""
