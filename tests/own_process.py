"""A program that tells of the process it runs in, and ends in one way or another."""

import gc
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Final

SHORT_S: Final = 0.1
LONG_COUNT: Final = 1_000


def circumstances() -> dict[str, Any]:
    """What a program may find about its process."""
    files = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
    main = sys.modules["__main__"]
    return {
        "arguments": sys.argv,
        "folder": str(Path.cwd()),
        "path": sys.path,
        "environment": {**os.environ},
        "temporary": tempfile.gettempdir(),
        "signals": [str(signal.getsignal(each)) for each in sorted(signal.valid_signals())],
        "blocked": [*signal.pthread_sigmask(signal.SIG_BLOCK, [])],
        "leads": (os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()),
        "files_max": resource.getrlimit(resource.RLIMIT_NOFILE),
        "file_length_max": resource.getrlimit(resource.RLIMIT_FSIZE),
        "threads": threading.active_count(),
        "collects": gc.isenabled(),
        "main": (main.__name__, main.__spec__ and main.__spec__.name),
        "open": sorted(path.name for path in Path("/proc/self/fd").iterdir()),
        "files": {
            name: (
                *(file.name, file.mode, file.encoding, file.errors, file.newlines),
                *(file.line_buffering, file.write_through, file is getattr(sys, f"__{name}__")),
            )
            for name, file in files.items()
        },
    }


def program(what: str) -> None:
    """What is run, by the word it is given."""
    match what:
        case "tell":
            json.dump(circumstances(), sys.stdout)
        case "wait":
            os.write(1, b"waits\n")
            for _ in range(LONG_COUNT):  # a signal as it falls asleep is taken when it wakes up
                time.sleep(SHORT_S)
        case "stumble":
            raise AssertionError("ours")
        case "write":
            sys.stdout.write("nobody takes it")
        case "echo":
            sys.stdout.write(sys.stdin.read())
        case _:
            sys.exit(int(what))


if __name__ == "__main__":
    program(sys.argv[1])
