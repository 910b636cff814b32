"""Workloads of one's own: their guests, made of arguments or read from a file with the same names.

::

    name = "batch"
    messages = { 512 = 20, 8192 = 80 }   # percent of the messages, by their bytes
    reply = 2048
    replies = { 8192 = 100 }             # of messages of that length, where it is another
    think_s = 0.001                      # or per_s = 200, or trace = "trace.csv"
    gaps = "exponential"                 # or "constant"
    both_ways = true

A trace is CSV with the columns ``seconds`` and ``bytes``, in the order of time. Their programs are
made in `scenarios.runs.programs`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import convert, decode, holds, read_bytes, text_of, within
from isfc.link.message import Traffic

MESSAGE_LENGTH_MAX: Final = 16 * 2**20

LengthShares = tuple[tuple[int, float], ...]
"""Lengths of messages, each with the percent of them that have it."""

Arrival = tuple[float, int]
"""How long after the one before a message comes, in ns, and how long it is, in bytes."""


class Gaps(StrEnum):
    """How think times, and gaps between arrivals, are spread about their mean."""

    EXPONENTIAL = "exponential"
    """Independent of each other."""
    CONSTANT = "constant"


class OwnGuests(Struct, frozen=True):
    """The guests of a workload of one's own. Lengths in bytes, times in ns.

    ``sizes`` are (length, percent of the messages), none for the two of the workload; ``replies``
    (length of a message, of its reply) where they are not the workload's. Without ``per_s`` and
    ``trace`` guests wait for replies, and think for ``think_ns`` in the mean before each message.
    ``per_s`` messages a second come with such ``gaps``, or those of a ``trace``, over and over.
    With ``both_ways`` half of the pairs have their clients on the other system, and messages come
    at either.
    """

    sizes: LengthShares = ()
    replies: tuple[tuple[int, int], ...] = ()
    think_ns: float = 0.0
    per_s: float | None = None
    trace: tuple[Arrival, ...] = ()
    gaps: Gaps = Gaps.EXPONENTIAL
    both_ways: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it is more than a published workload at some rate."""
        return bool(self.sizes or self.trace)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths that messages have, ascending; none where they are the workload's."""
        of_sizes = tuple(length for length, _ in self.sizes)
        return of_sizes or tuple(sorted({length for _, length in self.trace}))

    @property
    def mean_length(self) -> float:
        """The mean length of messages, where they are not the workload's."""
        if self.sizes:
            return sum(length * percent for length, percent in self.sizes) / 100
        return sum(length for _, length in self.trace) / len(self.trace)

    def hurried(self, factor: float) -> "OwnGuests":
        """The same where so many times as many messages come."""
        trace = tuple((gap_ns / factor, length) for gap_ns, length in self.trace)
        per_s = None if self.per_s is None else factor * self.per_s
        return replace(self, per_s=per_s, trace=trace)


SIZES_MAX: Final = 100
TRACE_MAX: Final = 100_000
"""Messages of a trace."""
TRACE_LENGTH_MAX: Final = 8 * 2**20
"""Bytes of its file."""
SECONDS_MAX: Final = 86_400
PER_S_MAX: Final = 10_000_000
"""Messages a second: a link of sixteen CTCs carries a tenth of that."""


class _WorkloadTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, holds('what the workload is called, in quotes, such as "batch"')]
    reply: Annotated[int, holds("bytes of a reply")]
    messages: Annotated[
        dict[str, float],
        holds("the percent of messages by their bytes, such as { 512 = 20, 8192 = 80 }"),
    ] = {}
    replies: Annotated[
        dict[str, int], holds("bytes of the reply by those of the message, such as { 8192 = 100 }")
    ] = {}
    window: Annotated[int | None, holds("messages outstanding in a conversation")] = None
    traffic: Annotated[str, holds('"transport", or "legacy" for APPC/VM')] = "transport"
    think_s: Annotated[float, holds("seconds before each message")] = 0.0
    per_s: Annotated[float | None, holds("messages a second")] = None
    gaps: Annotated[str, holds('"exponential" or "constant"')] = "exponential"
    trace: Annotated[
        str | None, holds("the path of a CSV file in quotes, with columns seconds and bytes")
    ] = None
    both_ways: Annotated[bool, holds("true or false")] = False


def read_workload(path: Path) -> dict[str, Any]:
    """The arguments of `Workload.own` in a file; `ConfigurationError` for what is wrong."""
    table = convert(decode(read_bytes(path, "a workload"), "a workload"), _WorkloadTable, "")
    kinds = {each.name.lower(): each for each in Traffic}
    if table.traffic not in kinds:
        raise ConfigurationError(f"traffic: expected one of {', '.join(kinds)}")
    if table.gaps not in [*Gaps]:
        raise ConfigurationError(f"gaps: expected one of {', '.join(Gaps)}")
    traffic = kinds[table.traffic]
    messages = {_length("messages", key): value for key, value in table.messages.items()}
    # before `Workload.own`, which calls what is no number an argument of its own
    _check_shares(messages)
    _check_times(table.think_s, table.per_s, bool(table.messages), table.trace is not None)
    given = asdict(table) | {
        "messages": messages,
        "replies": {_length("replies", key): value for key, value in table.replies.items()},
        "window": 1 if table.window is None and traffic is Traffic.LEGACY else table.window,
        "traffic": traffic,
        "trace": read_trace(path.parent / table.trace) if table.trace is not None else (),
    }
    return {key: value for key, value in given.items() if value is not None}


def _length(key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ConfigurationError(f"{key} {text[:20]!r}: expected a number of bytes")
    return int(text)


def read_trace(path: Path) -> list[tuple[float, int]]:
    """The (seconds, bytes) of a CSV file. Raises `ConfigurationError` by its line."""
    from isfc.layout.csv_table import CsvTable  # most workloads are no recording

    with within(str(path)):
        table = CsvTable(text_of(read_bytes(path, "a trace", TRACE_LENGTH_MAX), "CSV"))
        if not {"seconds", "bytes"} <= {*table.names}:
            raise ConfigurationError("line 1: expected the columns seconds and bytes")
        found: list[tuple[float, int]] = []
        for number, cells, _ in table:
            try:
                found.append((float(cells["seconds"]), int(cells["bytes"])))
            except ValueError:
                raise ConfigurationError(
                    f"line {number}: expected seconds and bytes, such as 0.25,8192"
                ) from None
        return found


def own_guests(
    messages: Mapping[int, float],
    reply: int,
    replies: Mapping[int, int],
    think_s: float,
    per_s: float | None,
    gaps: Literal["exponential", "constant"],
    trace: Sequence[tuple[float, int]],
    *,
    both_ways: bool,
) -> OwnGuests:
    """The guests of `Workload.own`. Raises `ConfigurationError` for what cannot be run."""
    _check_times(think_s, per_s, bool(messages), bool(trace))
    shares = {length: float(percent) for length, percent in sorted(messages.items())}
    _check_shares(shares)
    guests = OwnGuests(
        sizes=tuple(shares.items()),
        think_ns=think_s * 1e9,
        per_s=per_s,
        trace=_arrivals(trace),
        gaps=Gaps(gaps),
        both_ways=both_ways,
    )
    for length in replies:
        if length not in guests.lengths:
            raise ConfigurationError(f"replies: {length}: no message has so many bytes")
    answers = [reply, *replies.values()]
    if min(answers) < 1 or max(answers) > MESSAGE_LENGTH_MAX:
        raise ConfigurationError(f"replies: expected 1 to {MESSAGE_LENGTH_MAX} bytes")
    if not replies:
        return guests
    return replace(
        guests, replies=tuple((length, replies.get(length, reply)) for length in guests.lengths)
    )


def _check_times(think_s: float, per_s: float | None, has_messages: bool, has_trace: bool) -> None:
    """Raise `ConfigurationError` for what does not go together, or is out of bounds."""
    if has_messages == has_trace:
        raise ConfigurationError("messages and trace: expected one of them")
    if per_s is not None and has_trace:
        raise ConfigurationError("per_s and trace: expected one of them")
    if think_s and (per_s is not None or has_trace):
        raise ConfigurationError("think_s: of guests that wait for replies; expected none here")
    if not 0 <= think_s <= SECONDS_MAX:
        raise ConfigurationError(f"think_s {think_s:g}: expected 0 to {SECONDS_MAX} s")
    if per_s is not None and not 1e-6 <= per_s <= PER_S_MAX:
        raise ConfigurationError(f"per_s {per_s:g}: expected more than 0, and {PER_S_MAX} at most")


def _check_shares(shares: Mapping[int, float]) -> None:
    """The same for the percents of the sizes."""
    if len(shares) > SIZES_MAX:
        raise ConfigurationError(f"messages: {len(shares)} sizes; expected at most {SIZES_MAX}")
    if shares and not (min(shares.values()) >= 0 and abs(sum(shares.values()) - 100) <= 1e-4):
        raise ConfigurationError(
            f"messages: {sum(shares.values()):g} % in all; expected 100, none of them negative"
        )


def _arrivals(trace: Sequence[tuple[float, int]]) -> tuple[Arrival, ...]:
    """The gap before each message of a trace; the first comes after a mean one."""
    if not trace:
        return ()
    if not 2 <= len(trace) <= TRACE_MAX:
        raise ConfigurationError(f"trace: {len(trace)} messages; expected 2 to {TRACE_MAX}")
    times = [at_s for at_s, _ in trace]
    if not all(map(isfinite, times)) or sorted(times) != times or times[0] == times[-1]:
        raise ConfigurationError("trace: expected seconds in the order of time, and not all alike")
    mean_s = (times[-1] - times[0]) / (len(times) - 1)
    gaps = [mean_s, *(after - before for before, after in pairwise(times))]
    return tuple((gap * 1e9, length) for gap, (_, length) in zip(gaps, trace, strict=True))
