"""What crosses the door and the fibre shows what it says, for whoever reads a failed test."""

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


def test_each_record_shows_what_it_says() -> None:
    shown = {
        "Ssch(6001 READ)": Ssch(RDEV, Command.READ),
        "Ssch(6001 WRITE Package(#7, 1 messages, 162 B))": Ssch(RDEV, Command.WRITE, PACKAGE),
        "Hsch(6001)": Hsch(RDEV),
        "Attention(6001)": Attention(RDEV),
        "Ended(6001 WRITE ENDED IoTimes(PEND 1, DISC 2, CONN 3 ns))": Ended(
            RDEV, Command.WRITE, UnitStatus.ENDED, TIMES, PACKAGE
        ),
        "Collided(6001 Package(#7, 1 messages, 162 B))": Collided(RDEV, PACKAGE, TIMES),
        "DeviceLost(6001)": DeviceLost(RDEV, None, TIMES),
        "DeviceLost(6001 Package(#7, 1 messages, 162 B))": DeviceLost(RDEV, PACKAGE, TIMES),
        "DeviceReady(6001)": DeviceReady(RDEV),
        "CommandFrame(READ #4)": CommandFrame(Command.READ, 4),
        "CommandFrame(WRITE #5, 162 B in 1)": CommandFrame(Command.WRITE, 5, 162, 1),
        "DataFrame(#5 Package(#7, 1 messages, 162 B))": DataFrame(PACKAGE, 5),
        "StatusFrame(RECEIVED #5)": StatusFrame(Signal.RECEIVED, 5),
    }
    assert [repr(record) for record in shown.values()] == list(shown)
