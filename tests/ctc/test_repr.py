"""What crosses the door and the fibre shows what it says, for whoever reads a failed test."""

import pytest

from ctc.address import Rdev
from ctc.frame import CommandFrame, DataFrame, Signal, StatusFrame
from ctc.subchannel import (
    Attention,
    Collided,
    Command,
    DeviceLost,
    DeviceReady,
    Ended,
    Hsch,
    IoTimes,
    Ssch,
    UnitStatus,
)
from isfc.link.message import Message
from isfc.link.package import Package

RDEV = Rdev(0x6001)
PACKAGE = Package(7, [Message(1, 50)], 50)
TIMES = IoTimes(1, 2, 3)


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (Ssch(RDEV, Command.READ), "Ssch(6001 READ)"),
        (Ssch(RDEV, Command.WRITE, PACKAGE), "Ssch(6001 WRITE Package(#7, 1 messages, 162 B))"),
        (Hsch(RDEV), "Hsch(6001)"),
        (Attention(RDEV), "Attention(6001)"),
        (
            Ended(RDEV, Command.WRITE, UnitStatus.ENDED, TIMES, PACKAGE),
            "Ended(6001 WRITE ENDED IoTimes(PEND 1, DISC 2, CONN 3 ns))",
        ),
        (Collided(RDEV, PACKAGE, TIMES), "Collided(6001 Package(#7, 1 messages, 162 B))"),
        (DeviceLost(RDEV, None, TIMES), "DeviceLost(6001)"),
        (
            DeviceLost(RDEV, PACKAGE, TIMES),
            "DeviceLost(6001 Package(#7, 1 messages, 162 B))",
        ),
        (DeviceReady(RDEV), "DeviceReady(6001)"),
        (CommandFrame(Command.READ, 4), "CommandFrame(READ #4)"),
        (CommandFrame(Command.WRITE, 5, 162, 1), "CommandFrame(WRITE #5, 162 B in 1)"),
        (DataFrame(PACKAGE, 5), "DataFrame(#5 Package(#7, 1 messages, 162 B))"),
        (StatusFrame(Signal.RECEIVED, 5), "StatusFrame(RECEIVED #5)"),
    ],
)
def test_record_shows_what_it_says(record: object, shown: str) -> None:
    assert repr(record) == shown
