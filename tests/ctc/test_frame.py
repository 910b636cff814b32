"""The records that cross the fibre."""

from ctc.frame import CommandFrame, Signal
from ctc.subchannel import Command
from tests.ctc.cable import Cable, Cargo


def test_write_announces_how_much_is_to_come() -> None:
    cable = Cable().connect()
    cable.start(cable.near, Command.WRITE, Cargo(length=4096, count=3))
    (departure,) = cable.near.departures
    frame = departure.frame
    assert departure.rdev == cable.near.ctc.rdev
    assert isinstance(frame, CommandFrame)
    assert (frame.command, frame.length, frame.count) == (Command.WRITE, 4096, 3)


def test_command_without_data_announces_none() -> None:
    frame = CommandFrame(Command.READ, 7)
    assert (frame.command, frame.serial, frame.length, frame.count) == (Command.READ, 7, 0, 0)


def test_signals_differ_on_the_wire() -> None:
    assert sorted(signal.value for signal in Signal) == [1, 2, 3, 4]
