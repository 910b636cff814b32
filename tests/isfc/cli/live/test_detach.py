"""A pair that is left alone once its link is up."""

import os
import signal
from types import FrameType

from isfc.cli.live.up import say_ready


def test_who_waits_is_told() -> None:
    ours, theirs = os.pipe()
    say_ready(theirs)
    with os.fdopen(ours, "rb") as pipe:
        assert pipe.read() == b"up"


def test_pair_ends_if_who_started_it_was_killed_meanwhile() -> None:
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    ours, theirs = os.pipe()
    os.close(ours)
    before = signal.signal(signal.SIGTERM, note)
    try:
        say_ready(theirs)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert came == [signal.SIGTERM]
