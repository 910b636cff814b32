"""What an operator does during a run in virtual time: commands at their times, and lost trunks.

Times of a run are as people write them: ``5ms``, ``800us``, ``1.5s``. Inter-switch links are lost
one by one while links run over them. ``isfc run --cp FILE`` gives CP commands at times of a run.
"""

import re
from collections import Counter
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.errors.in_words import find_node
from isfc.layout.checked_toml import read_bytes, text_of, within
from isfc.layout.loss import OneOfSeveral
from isfc.link.events import LinkEvent
from isfc.link.name import NodeName
from isfc.system.cp.messages import announcement
from isfc.system.cp.processor import CommandProcessor
from isfc.system.link_end import LinkEnd
from isfc.system.system import System
from scenarios.runs.experiment import NS_PER_S, Experiment
from scenarios.runs.run import Intervention, Operation

_TIME: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(us|ms|s)")
_UNITS_NS: Final = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def read_time_ns(text: str) -> int | None:
    """The nanoseconds of a time such as ``5ms``; None if ``text`` is none."""
    found = _TIME.fullmatch(text)
    return None if found is None else round(Decimal(found[1]) * _UNITS_NS[found[2]])


@final
class Trunks:
    """Which inter-switch links are gone, by path; the others carry what they can."""

    def __init__(self, engine: VirtualEngine) -> None:
        self._engine = engine
        self._gone: Counter[str] = Counter()

    def change(self, isl: OneOfSeveral, lost: int) -> bool:
        """One more is lost (1) or there again (-1); whether any is left.

        The last one takes its CTCs along, which is not done here.
        """
        self._gone[isl.path] += lost
        gone = self._gone[isl.path]
        if gone >= isl.count:
            return False
        for trunk, ns_per_byte in isl.without(gone):
            self._engine.set_trunk(trunk, ns_per_byte)
        return True


_LENGTH_MAX: Final = 2**20
"""Bytes of a file of commands: twenty thousand lines."""

_LINE: Final = re.compile(
    r"at \s+ (?P<number> [0-9]{1,9} (\.[0-9]{1,9})? ) \s* (?P<unit> s|ms|us ) \s+"
    r"((?P<node> [^\s:]+ ) \s* : \s* )? (?P<command> [^\s:]+ (\s .*)? )",
    re.IGNORECASE | re.VERBOSE,
)


class TimedCommand(Struct, frozen=True):
    """A line of the file: a command, when it is given, and to which node."""

    at_ns: int
    node: NodeName
    command: str


class ConsoleEntry(Struct, frozen=True):
    """What a console shows at one moment."""

    at_s: float
    """since the run began"""
    node: str
    command: str | None
    """null of what came unasked"""
    return_code: int | None
    """the same"""
    lines: tuple[str, ...]


def read_script(path: str, experiment: Experiment) -> list[TimedCommand]:
    """The commands in a file, in its order.

    Lines are ``at 2.5s QUERY ISLINK`` or ``at 2.5s BOSTON: QUERY ISLINK``; without a name the
    clients' node is meant, of several links the first that the traffic names. Blank lines and those
    that begin with ``*`` or ``#`` say nothing. Raises `ConfigurationError`, which names file and
    line.
    """
    with within(path):
        data = read_bytes(Path(path), "a file of CP commands", _LENGTH_MAX)
        text = text_of(data, "CP commands")
    commands = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith(("*", "#")):
            with within(f"{path}:{number}"):
                commands.append(_read_line(line.strip(), experiment))
    return commands


def _read_line(line: str, experiment: Experiment) -> TimedCommand:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ConfigurationError(
            f"{line[:40]!r}: expected 'at 2.5s COMMAND' or 'at 2.5s NODE: COMMAND'"
        )
    end_s = experiment.warmup + experiment.seconds
    at_ns = read_time_ns(f"{match['number']}{match['unit'].lower()}")
    assert at_ns is not None, "the expression has found a time"
    if at_ns > end_s * NS_PER_S:
        raise ConfigurationError(
            f"at {match['number']}{match['unit']}: expected a time of the run, "
            f"which ends at {end_s:g} s"
        )
    name = match["node"]
    node = experiment.client_node if name is None else find_node("node", name, experiment.nodes)
    return TimedCommand(at_ns, node, match["command"])


class Transcript:
    """Carries out the commands of a script, and keeps what consoles would show.

    It begins with the first command: that the CTCs come up when a run begins is no news.
    """

    def __init__(self, commands: list[TimedCommand]) -> None:
        self.entries: list[ConsoleEntry] = []
        self._processors = {timed.node: CommandProcessor() for timed in commands}
        self._acts = [
            Intervention(timed.at_ns, timed.node, partial(self._give, timed.command))
            for timed in commands
        ]

    @property
    def operation(self) -> Operation:
        """What the run is to do."""
        return Operation(self._acts, self._hear)

    def _give(self, command: str, system: System, now_ns: int) -> None:
        response = self._processors[system.name].execute(command, system, now_ns)
        at_s, name, lines = now_ns / NS_PER_S, system.name, tuple(response.lines)
        self.entries.append(ConsoleEntry(at_s, name, response.command, response.return_code, lines))
        if told := tuple(response.announcements):
            self.entries.append(ConsoleEntry(at_s, name, None, None, told))

    def _hear(self, end: LinkEnd, event: LinkEvent, now_ns: int) -> None:
        line = announcement(event, end.partner)
        if self.entries and line is not None:
            self.entries.append(ConsoleEntry(now_ns / NS_PER_S, end.name, None, None, (line,)))
