"""Workloads of one's own: made of arguments, or read from a file with the same names; their guests.

::

    name = "batch"
    messages = { 512 = 20, 8192 = 80 }   # percent of the messages, by their bytes
    reply = 2048
    replies = { 8192 = 100 }             # of messages of that length, where it is another
    think_s = 0.001                      # or per_s = 200, or trace = "trace.csv"
    gaps = "exponential"                 # or "constant"
    both_ways = true

A trace is CSV with the columns ``seconds`` and ``bytes``, in the order of time.

Guests that wait for replies are `scenarios.runs.guests`, with sizes and think times. Messages that
come at times of their own, drawn or from a trace, are an open load: each conversation whose reply
is there takes the next one.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, pairwise
from math import isfinite
from pathlib import Path
from random import Random
from typing import Annotated, Final, Literal

import msgspec

from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import convert, decode, holds, read_bytes, within
from isfc.link.events import Delivered, LinkEvent, Offer, Program, Severed
from isfc.link.message import Message, Traffic
from scenarios.runs.guests import Clients, GuestCosts, Servers
from scenarios.runs.several_programs import joined
from scenarios.runs.workload import MESSAGE_LENGTH_MAX, TRANSPORT_WINDOW, Workload

CONVERSATIONS: Final = 32
"""Messages that may be under way at the same time: beyond that the load is not open any more.
Chosen: a link that is hardly used has one or two."""

Arrival = tuple[float, int]
"""How long after the one before a message comes, in ns, and how long it is, in bytes."""


class Gaps(StrEnum):
    """How think times, and gaps between arrivals, are spread about their mean."""

    EXPONENTIAL = "exponential"
    """Independent of each other."""
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class OwnGuests:
    """Makes the programs of a workload of one's own. Lengths in bytes, times in ns.

    ``sizes`` are (length, percent of the messages), none for the two of the workload; ``replies``
    (length of a message, of its reply) where they are not the workload's. Without ``per_s`` and
    ``trace`` guests wait for replies, and think for ``think_ns`` in the mean before each message.
    ``per_s`` messages a second come with such ``gaps``, or those of a ``trace``, over and over.
    With ``both_ways`` half of the pairs have their clients on the other system, and messages come
    at either.
    """

    sizes: tuple[tuple[int, float], ...] = ()
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

    def __call__(
        self, workload: Workload, pairs: int, costs: GuestCosts, random: Random
    ) -> tuple[Program, Program]:
        """What runs at the clients' system, and at the servers'."""
        back = pairs // 2 if self.both_ways else 0
        here, there = self._one_way(workload, pairs - back, costs, random)
        if not back:
            return here, there
        far, near = self._one_way(workload, back, costs, random)
        counts = [2 * workload.window * each for each in (pairs - back, back)]
        return (
            joined([*zip((here, near), counts, strict=True)]),
            joined([*zip((there, far), counts, strict=True)]),
        )

    def _one_way(
        self, workload: Workload, pairs: int, costs: GuestCosts, random: Random
    ) -> tuple[Program, Program]:
        servers = Servers(workload, pairs, costs, dict(self.replies))
        if self.trace or self.per_s is not None:
            return Senders(workload, pairs, self._arrivals(workload, random)), servers
        ends = tuple(accumulate(percent for _, percent in self.sizes))
        lengths = tuple(length for length, _ in self.sizes)
        is_constant = self.gaps is Gaps.CONSTANT
        return (
            Clients(workload, pairs, costs, random, (ends, lengths), self.think_ns, is_constant),
            servers,
        )

    def _arrivals(self, workload: Workload, random: Random) -> Iterator[Arrival]:
        while self.trace:
            yield from self.trace
        assert self.per_s is not None, "there is a trace, or a rate"
        per_ns = self.per_s / 1e9
        sizes = self._sizes_of(workload)
        ends = [*accumulate(percent for _, percent in sizes)]
        while True:
            is_drawn = self.gaps is Gaps.EXPONENTIAL
            gap_ns = random.expovariate(per_ns) if is_drawn else 1 / per_ns
            drawn = random.random() * 100
            place = next((n for n, end in enumerate(ends) if drawn < end), len(ends) - 1)
            yield gap_ns, sizes[place][0]

    def _sizes_of(self, workload: Workload) -> Sequence[tuple[int, float]]:
        small = workload.min_percent
        return self.sizes or ((workload.min_length, small), (workload.max_length, 100 - small))

    def hurried(self, factor: float) -> "OwnGuests":
        """The same where so many times as many messages come."""
        trace = tuple((gap_ns / factor, length) for gap_ns, length in self.trace)
        per_s = None if self.per_s is None else factor * self.per_s
        return replace(self, per_s=per_s, trace=trace)

    def offered_mb_per_s(self, workload: Workload) -> float | None:
        """MB/s (2^20) both ways that come, whatever is carried; None if guests wait for replies."""
        replies = dict(self.replies)
        if self.trace:
            seconds = sum(gap_ns for gap_ns, _ in self.trace) / 1e9
            length = sum(
                length + replies.get(length, workload.reply_length) for _, length in self.trace
            )
            return length / seconds / 2**20 * (2 if self.both_ways else 1)
        if self.per_s is None:
            return None
        mean = sum(
            percent / 100 * (length + replies.get(length, workload.reply_length))
            for length, percent in self._sizes_of(workload)
        )
        return self.per_s * mean / 2**20 * (2 if self.both_ways else 1)


class Senders:
    """Each conversation whose reply is there takes the next message that comes."""

    def __init__(self, workload: Workload, pairs: int, arrivals: Iterator[Arrival]) -> None:
        self._traffic, self._pairs, self._arrivals = workload.traffic, pairs, arrivals
        self._next_ns = 0.0
        self._gap_ns = 0.0

    def start(self, now_ns: int) -> Iterable[Offer]:
        """A message for each conversation, as they come."""
        self._next_ns = float(now_ns)
        return [self._message(conversation, now_ns) for conversation in range(self._pairs)]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """A reply frees its conversation; the link restarts."""
        if isinstance(event, Severed):
            return self.start(now_ns)
        if not isinstance(event, Delivered):
            return ()
        return [self._message(message.conversation, now_ns) for message in event.messages]

    def waiting_count(self, now_ns: int) -> float:
        """How many messages have come, by the last gap, and find no conversation free."""
        late_ns = now_ns - self._next_ns - self._gap_ns
        return max(0.0, late_ns / self._gap_ns) if self._gap_ns else 0.0

    def _message(self, conversation: int, now_ns: int) -> Offer:
        gap_ns, length = next(self._arrivals)
        self._gap_ns = gap_ns
        self._next_ns += gap_ns
        return max(now_ns, int(self._next_ns)), [Message(conversation, length, self._traffic)]


def open_load(workload: Workload, messages_per_s: float) -> Workload:
    """The workload as an open load of so many messages a second, each with its reply.

    It is run with `CONVERSATIONS` pairs.
    """
    return replace(workload, window=1, programs=OwnGuests(per_s=messages_per_s))


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
        dict[str, int],
        holds("bytes of the reply by those of the message, such as { 8192 = 100 }"),
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


def read_workload(name: str) -> Workload:
    """The workload in the file at the path ``name``; `ConfigurationError` for what is wrong."""
    path = Path(name)
    with within(name):
        table = convert(decode(read_bytes(path, "a workload"), "a workload"), _WorkloadTable, "")
        kinds = {each.name.lower(): each for each in Traffic}
        if table.traffic not in kinds:
            raise ConfigurationError(f"traffic: expected one of {', '.join(kinds)}")
        if table.gaps not in [*Gaps]:
            raise ConfigurationError(f"gaps: expected one of {', '.join(Gaps)}")
        traffic = kinds[table.traffic]
        default = 1 if traffic is Traffic.LEGACY else TRANSPORT_WINDOW
        return make_own(
            Workload,
            table.name,
            {_length("messages", key): value for key, value in table.messages.items()},
            table.reply,
            {_length("replies", key): value for key, value in table.replies.items()},
            default if table.window is None else table.window,
            traffic,
            table.think_s,
            table.per_s,
            "constant" if table.gaps == Gaps.CONSTANT else "exponential",
            read_trace(path.parent / table.trace) if table.trace is not None else (),
            both_ways=table.both_ways,
        )


def _length(key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ConfigurationError(f"{key} {text[:20]!r}: expected a number of bytes")
    return int(text)


def read_trace(path: Path) -> list[tuple[float, int]]:
    """The (seconds, bytes) of a CSV file. Raises `ConfigurationError` by its line."""
    with within(str(path)):
        text = read_bytes(path, "a trace", TRACE_LENGTH_MAX).decode("utf-8-sig", "replace")
        if len(text) > TRACE_LENGTH_MAX:
            raise ConfigurationError(f"is too long; expected at most {TRACE_LENGTH_MAX} bytes")
        rows = csv.DictReader(text.splitlines())
        found: list[tuple[float, int]] = []
        if not {"seconds", "bytes"} <= {*(rows.fieldnames or ())}:
            raise ConfigurationError("line 1: expected the columns seconds and bytes")
        try:
            found.extend((float(row["seconds"]), int(row["bytes"])) for row in rows)
        except (ValueError, TypeError, csv.Error):
            raise ConfigurationError(
                f"line {rows.line_num}: expected seconds and bytes, such as 0.25,8192"
            ) from None
        return found


def make_own(
    kind: type[Workload],
    name: str,
    messages: Mapping[int, float],
    reply: int,
    replies: Mapping[int, int],
    window: int,
    traffic: Traffic,
    think_s: float,
    per_s: float | None,
    gaps: Literal["exponential", "constant"],
    trace: Sequence[tuple[float, int]],
    *,
    both_ways: bool,
) -> Workload:
    """The workload of `Workload.own`."""
    _check_times(think_s, per_s, bool(messages), bool(trace))
    shares = {length: float(percent) for length, percent in sorted(messages.items())}
    _check_shares(shares)
    arrivals = _arrivals(trace)
    lengths = [*shares] or sorted({length for _, length in arrivals})
    for length in replies:
        if length not in lengths:
            raise ConfigurationError(f"replies: {length}: no message has so many bytes")
    answers = [reply, *replies.values()]
    if min(answers) < 1 or max(answers) > MESSAGE_LENGTH_MAX:
        raise ConfigurationError(f"replies: expected 1 to {MESSAGE_LENGTH_MAX} bytes")
    mean = (
        sum(length * share for length, share in shares.items()) / 100
        if shares
        else sum(length for _, length in arrivals) / len(arrivals)
    )
    least, most = lengths[0], lengths[-1]
    guests = OwnGuests(
        tuple(shares.items()),
        tuple((length, replies.get(length, reply)) for length in lengths) if replies else (),
        think_s * 1e9,
        per_s,
        arrivals,
        Gaps(gaps),
        both_ways,
    )
    return kind(
        name,
        least,
        most,
        100 * (most - mean) / (most - least) if most > least else 0.0,
        max(answers),
        1 if per_s is not None or trace else window,
        traffic,
        guests,
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
