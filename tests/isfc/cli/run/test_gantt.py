"""The Gantt chart of a timeline in the terminal."""

from ctc.address import Rdev
from ctc.subchannel import Command
from isfc.cli.run.gantt import gantt_line
from isfc.layout.catalogue import load_layout
from scenarios.runs.timeline import Io, Timeline

LAYOUT = load_layout("published-1")


def line(*ios: Io, until_ns: int = 1_000, columns: int = 10) -> str:
    return gantt_line(Timeline(LAYOUT, 0, until_ns, ios, ()), ios, columns)


def io(command: Command, begin_ns: int, *times: int, outcome: str = "ended") -> Io:
    pend, disc, conn = times
    end_ns = begin_ns + sum(times)
    return Io(LAYOUT.nodes[0], Rdev(0x6000), command, begin_ns, pend, disc, conn, end_ns, outcome)


def test_phases_of_a_write() -> None:
    assert line(io(Command.WRITE, 100, 200, 200, 300)) == " ..--WWW  "


def test_reads_and_the_rest() -> None:
    sense = io(Command.SENSE_COMMAND_BYTE, 0, 100, 0, 0)
    assert line(sense, io(Command.READ, 100, 100, 0, 400)) == "oorrrr    "


def test_a_cell_shows_what_took_most_of_it() -> None:
    assert line(io(Command.WRITE, 0, 30, 10, 60)) == "W         "
    assert line(io(Command.WRITE, 0, 30, 10, 5)) == "          "


def test_collisions_are_always_seen() -> None:
    collided = io(Command.WRITE, 300, 1, 1, 0, outcome="collided")
    assert line(collided) == "   !      "


def test_what_began_before_or_ends_later_is_cut() -> None:
    assert line(io(Command.WRITE, -500, 100, 100, 2_000)) == "WWWWWWWWWW"
