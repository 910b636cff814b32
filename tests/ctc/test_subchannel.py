"""The records that cross the door between software and hardware."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from tests.ctc.cable import Cable, Cargo

times_ns = st.integers(0, 10**12)


# published: SA22-7203, 2.13
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("WRITE", 0x01),
        ("READ", 0x02),
        ("NO_OP", 0x03),
        ("SENSE_ADAPTER_STATE", 0x04),
        ("READ_BACKWARD", 0x0C),
        ("SENSE_COMMAND_BYTE", 0x14),
        ("SET_BASIC_MODE", 0x43),
        ("SET_EXTENDED_MODE", 0xC3),
        ("READ_CONFIGURATION_DATA", 0xC4),
        ("PREPARE", 0xE3),
        ("SENSE_ID", 0xE4),
    ],
)
def test_command_has_its_published_code(command: str, code: int) -> None:
    assert Command[command] == code


def test_command_codes_have_the_bits_of_their_class() -> None:
    assert Command.CONTROL & 0b111 == 0b111
    assert Command.WRITE_EOF & 0b11 == Command.WRITE & 0b11 == 0b01
    assert Command.WRITE_EOF >= 0x80  # what tells it from a write
    assert Command.READ & 0b11 == 0b10


def test_unit_status_is_made_of_the_status_bits() -> None:
    attention, busy, channel_end, device_end, unit_check = 0x80, 0x10, 0x08, 0x04, 0x02
    assert channel_end | device_end == UnitStatus.ENDED
    assert busy | attention == UnitStatus.BUSY_ATTENTION
    assert unit_check == UnitStatus.UNIT_CHECK


@given(times_ns, times_ns, times_ns)
def test_service_time_is_pend_disc_and_conn(pend_ns: int, disc_ns: int, conn_ns: int) -> None:
    assert IoTimes(pend_ns, disc_ns, conn_ns).serv_ns == pend_ns + disc_ns + conn_ns


def test_write_announces_how_much_is_to_come_and_others_that_there_is_nothing() -> None:
    cable = Cable().connect()
    cable.start(cable.near, Command.WRITE, Cargo(length=4096, count=3))
    (departure,) = cable.near.departures
    frame = departure.frame
    assert departure.rdev == cable.near.ctc.rdev
    assert isinstance(frame, CommandFrame)
    assert (frame.command, frame.length, frame.count) == (Command.WRITE, 4096, 3)
    frame = CommandFrame(Command.READ, 7)
    assert (frame.command, frame.serial, frame.length, frame.count) == (Command.READ, 7, 0, 0)


def test_signals_differ_on_the_wire() -> None:
    assert sorted(signal.value for signal in Signal) == [1, 2, 3, 4]


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
