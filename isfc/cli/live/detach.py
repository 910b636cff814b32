"""``isfc up --detach``: the pair as a process of its own, left alone once its link is up."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from isfc.cli.output.exits import ExitCode
from isfc.cli.output.streams import show_log


def detach(words: Sequence[str], log: Path) -> int:
    """Run ``isfc up`` with these words until it says that its link is up; 0, or how it ended.

    What it says goes to ``log``, and is shown if it ended. Ctrl-C ends it as long as we wait.
    """
    ours, theirs = os.pipe()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "isfc", "up", *words, "--ready", str(theirs)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(theirs,),
            start_new_session=True,
            env=os.environ | {"PYTHONSAFEPATH": "1"},
        )
    os.close(theirs)
    try:
        with os.fdopen(ours, "rb") as pipe:
            if pipe.read(1):
                return ExitCode.GOOD
    except BaseException:
        process.terminate()
        process.wait()
        raise
    code = process.wait()
    for line in log.read_text("utf-8", "replace").splitlines():
        show_log(line)
    return code or ExitCode.FAILED


def say_ready(descriptor: int) -> None:
    """Tell whoever detached us that the link is up.

    If it was killed while it waited, nobody knows of us: then all ends, as with Ctrl-C.
    """
    try:
        os.write(descriptor, b"up")
    except BrokenPipeError:
        os.kill(os.getpid(), signal.SIGTERM)
    os.close(descriptor)
