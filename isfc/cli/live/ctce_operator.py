"""What an operator does to joined CTCs: lose and restore pieces, delay and stall what is under way.

A command is a line, from a console or from a file with the time before it::

    lose director:61
    at 5s  delay 20ms
    at 8s  restore director:61
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from isfc.cli.live.ctce_options import ALL, CtceHardware
from isfc.cli.live.loops import typed_lines
from isfc.cli.output.streams import show_error
from isfc.errors import ConfigurationError
from isfc.errors.in_words import expected
from isfc.layout.checked_toml import read_bytes, within
from isfc.live.ctce.exchange import Delayed, Exchange, Pulled, Restored, Stalled
from isfc.live.ctce_box import CtceBox
from scenarios.runs.operation import read_time_ns

COMMANDS: Final = ("lose", "restore", "delay", "stall", "resume")
"""What each of them does is in docs/ctce.md."""

COMMANDS_MAX: Final = 1_000
"""Lines of a file."""

_AT: Final = re.compile(r"at\s+(\S+)\s+(.*)", re.IGNORECASE)


class OperatorCommand(NamedTuple):
    """One command: ``at_ns`` is when a file has it done, from the start."""

    at_ns: int
    text: str
    do: Callable[[CtceBox], None]


@contextmanager
def operated(
    box: CtceBox, hardware: CtceHardware, planned: Sequence[OperatorCommand]
) -> Iterator[None]:
    """Within the block, on the loop that runs, do what a file has planned, and what is typed."""
    loop = asyncio.get_running_loop()

    def do(command: OperatorCommand) -> None:
        command.do(box)
        show_error(f"{command.text}: {condition(box.exchange)}")

    def hear(line: str) -> None:
        try:
            command = parse_command(line, hardware)
        except ConfigurationError as error:
            show_error(str(error))
            return
        if command.at_ns:
            loop.call_later(command.at_ns / 1e9, do, command)
        else:
            do(command)

    timers = [loop.call_later(command.at_ns / 1e9, do, command) for command in planned]
    try:
        with typed_lines(hear):
            yield
    finally:
        for timer in timers:
            timer.cancel()


def condition(exchange: Exchange) -> str:
    """What is wrong with joined CTCs now, by an operator's commands."""
    said: list[str] = []
    if any(exchange.lost):
        said.append(f"{sum(map(bool, exchange.lost))} of {len(exchange.lost)} CTCs carry nothing")
    fibre = exchange.fibres[0]  # delay and stall are of all
    if fibre.late_ns:
        said.append(f"each command takes {fibre.late_ns / 1e6:g} ms longer")
    if fibre.stalled:
        said.append("nothing moves until 'resume'")
    return ", ".join(said) or "nothing is lost, delayed or stalled"


def read_commands(name: str | None, hardware: CtceHardware) -> list[OperatorCommand]:
    """Those of a file; none without one."""
    if name is None:
        return []
    with within(f"--commands {name}"):
        text = read_bytes(Path(name), "a file of commands").decode(errors="replace")
        return parse_commands(text.splitlines(), hardware)


def parse_command(text: str, hardware: CtceHardware) -> OperatorCommand:
    """A line as a command; raise `ConfigurationError` that says what was expected."""
    timed = _AT.fullmatch(text.strip())
    at_ns = 0 if timed is None else _time(timed[1])
    said = (text if timed is None else timed[2]).strip()
    word, _, operand = said.partition(" ")
    word, operand = word.lower(), operand.strip()
    if word not in COMMANDS:
        raise ConfigurationError(f"{said[:40]!r}: {expected(word, COMMANDS)}")
    if word in ("lose", "restore"):
        piece = _piece(operand, hardware)
        if word == "lose":
            pulled = Pulled(tuple(sorted(hardware.pieces[piece])), piece)
            return OperatorCommand(at_ns, f"lose {piece}", lambda box: box.apply(pulled))
        return OperatorCommand(at_ns, f"restore {piece}", lambda box: _restore(box, piece))
    if word == "delay":
        delayed = Delayed(_time(operand))
        return OperatorCommand(at_ns, f"delay {operand}", lambda box: box.apply(delayed))
    if operand:
        raise ConfigurationError(f"{said[:40]!r}: expected {word!r} alone")
    stalled = Stalled(word == "stall")
    return OperatorCommand(at_ns, word, lambda box: box.apply(stalled))


def parse_commands(lines: Iterable[str], hardware: CtceHardware) -> list[OperatorCommand]:
    """The commands of a file, by their times; ``#`` and ``*`` begin a comment."""
    found: list[OperatorCommand] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip()[0] in "#*":
            continue
        if len(found) == COMMANDS_MAX:
            raise ConfigurationError(f"line {number}: expected at most {COMMANDS_MAX} commands")
        try:
            if not _AT.fullmatch(line.strip()):
                raise ConfigurationError("expected 'at TIME COMMAND', such as 'at 5s stall'")
            found.append(parse_command(line, hardware))
        except ConfigurationError as error:
            raise ConfigurationError(f"line {number}: {error}") from None
    return sorted(found, key=lambda command: command.at_ns)


def _piece(operand: str, hardware: CtceHardware) -> str:
    for name in hardware.pieces:
        if name.casefold() == operand.casefold():
            return name
    raise ConfigurationError(f"{operand[:40]!r}: {expected(operand, hardware.pieces)}")


def _time(text: str) -> int:
    time_ns = read_time_ns(text)
    if time_ns is None:
        raise ConfigurationError(f"{text[:40]!r}: expected a time, such as 20ms or 1.5s")
    return time_ns


def _restore(box: CtceBox, piece: str) -> None:
    lost = sorted(set().union(*box.exchange.lost)) if piece == ALL else [piece]
    for why in lost:
        box.apply(Restored(why))
