"""Workloads: what the guests on the two systems send each other.

Each pair of guests is one conversation: a client on one system, a server on the other. The
client keeps ``window`` messages outstanding; the server answers each with one reply.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from isfc.errors import ConfigurationError
from isfc.errors.arguments import check_fields, checked
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.parts import LinkTraffic
from isfc.link.events import Program
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from scenarios.runs import own_workload
from scenarios.runs.own_workload import MESSAGE_LENGTH_MAX, LengthShares, OwnGuests

TRANSPORT_WINDOW: Final = 2
"""Messages a transport conversation keeps outstanding. Derived: Little's law on H001709C,
50 conversations with about 100 messages in the system."""

ANSWER_AREA_LENGTH: Final = 65_535
"""Bytes of replies that a transport client has room for at a time; for one reply always. Derived:
two replies of 8,192 bytes of HL are on their way at the same time, but of the 32,768 bytes of HY
only one: its exchanges take twice as long as those of HM, 0.68 ms each with one pair, which is what
a segment of APPC/VM and its acknowledgement take."""

ACKNOWLEDGEMENT_LENGTH: Final = 20
"""Bytes with which a client says that it has taken a reply out of its answer area. Assumed."""

REQUEST_LENGTH: Final = 100
"""Bytes of a CDU request. Assumed: the report gives only the reply's size."""


class Workload(Struct, frozen=True):
    """What the clients send and the servers answer. Lengths in bytes.

    A message is ``min_length`` long in ``min_percent`` of all cases and ``max_length``
    otherwise. ``programs`` makes what runs at the clients' system and at the servers'; None means
    the guests of `scenarios.runs.guests`, a record what those of one's own do.
    """

    name: str
    min_length: int
    max_length: int
    min_percent: float
    reply_length: int
    window: int = TRANSPORT_WINDOW
    traffic: Traffic = Traffic.TRANSPORT
    programs: Callable[..., tuple[Program, Program]] | OwnGuests | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        with within(f"workload {self.name}"):
            if not 1 <= self.min_length <= self.max_length:
                lengths = f"{self.min_length}:{self.max_length}"
                raise ConfigurationError(f"message {lengths} bytes: expected 1 <= MIN <= MAX")
            if self.reply_length < 1:
                raise ConfigurationError("a reply has at least 1 byte")
            if not 0 <= self.min_percent <= 100:
                raise ConfigurationError("PERCENT is 0 to 100")
            if not 1 <= self.window <= WINDOW_MAX:
                raise ConfigurationError(f"window is 1 to {WINDOW_MAX}")
            if max(self.max_length, self.reply_length) > MESSAGE_LENGTH_MAX:
                raise ConfigurationError(f"a message has at most {MESSAGE_LENGTH_MAX} bytes")

    @classmethod
    @checked
    def own(
        cls,
        name: str,
        messages: Mapping[int, float],
        reply: int,
        *,
        replies: Mapping[int, int] | None = None,
        window: int = TRANSPORT_WINDOW,
        traffic: Traffic = Traffic.TRANSPORT,
        think_s: float = 0.0,
        per_s: float | None = None,
        gaps: Literal["exponential", "constant"] = "exponential",
        trace: Sequence[tuple[float, int]] = (),
        both_ways: bool = False,
    ) -> "Workload":
        """A workload of your own, ``name`` in everything that is printed. Lengths in bytes.

        ``messages`` is what percent of them have each length; a reply has ``reply`` bytes, or as
        ``replies`` say for messages of some length. Guests keep ``window`` messages outstanding,
        and think for ``think_s`` seconds in the mean before each. Or messages come whether or not
        those before have arrived: ``per_s`` a second, or as a ``trace`` of (seconds, bytes), over
        and over, has them; as many as there are pairs may be under way. ``gaps`` says how think
        times and gaps are spread. With ``both_ways`` half of the pairs have their clients on the
        other system. Raises `ConfigurationError` for what cannot be run.
        """
        guests = own_workload.own_guests(
            messages, reply, replies or {}, think_s, per_s, gaps, trace, both_ways=both_ways
        )
        least, most = guests.lengths[0], guests.lengths[-1]
        return cls(
            name,
            least,
            most,
            100 * (most - guests.mean_length) / (most - least) if most > least else 0.0,
            max(reply, *(replies or {}).values(), 0),
            1 if per_s is not None or trace else window,
            traffic,
            guests,
        )

    @property
    def offered_mb_per_s(self) -> float | None:
        """MB/s (2^20) that come whatever is carried, both ways; None if guests wait for replies."""
        own = self.programs
        if not isinstance(own, OwnGuests):
            return None
        replies = dict(own.replies)
        ways = 2 if own.both_ways else 1
        if own.trace:
            seconds = sum(gap_ns for gap_ns, _ in own.trace) / 1e9
            length = sum(length + replies.get(length, self.reply_length) for _, length in own.trace)
            return length / seconds / 2**20 * ways
        if own.per_s is None:
            return None
        mean = sum(
            percent / 100 * (length + replies.get(length, self.reply_length))
            for length, percent in self.sizes
        )
        return own.per_s * mean / 2**20 * ways

    @property
    def sizes(self) -> LengthShares:
        """The lengths of the clients' messages, each with the percent of them that have it."""
        if isinstance(self.programs, OwnGuests) and self.programs.sizes:
            return self.programs.sizes
        small = self.min_percent
        return (self.min_length, small), (self.max_length, 100 - small)

    @property
    def mean_length(self) -> float:
        """The mean length of a client's messages, in bytes."""
        small = self.min_percent / 100
        return small * self.min_length + (1 - small) * self.max_length

    @property
    def replies_max(self) -> int:
        """How many of its replies a server may have on their way to one client."""
        if self.traffic is not Traffic.TRANSPORT:
            return self.window
        return min(self.window, max(1, ANSWER_AREA_LENGTH // self.reply_length))


WINDOW_MAX: Final = 1_000


class WorkloadKind(Struct, frozen=True):
    """A workload that has a name: what uses a link in that way (``help``), and how it is made.

    ``name`` is that of one workload, such as ``HS``; with ``operand``, the name of a number, it is
    a family such as ``CDU:<reply bytes>``, and ``make`` is called with that number, else with 0.
    """

    name: str
    help: str
    make: Callable[[int], Workload]
    operand: str = ""

    @property
    def usage(self) -> str:
        """How it is called: ``HS``, ``CDU:<reply bytes>``."""
        return f"{self.name}:<{self.operand}>" if self.operand else self.name


def _suite(name: str, help_text: str, smaller: int, larger: int, reply: int) -> WorkloadKind:
    """A suite of the report; 20 % of its messages have the smaller size."""
    return WorkloadKind(name, help_text, lambda _: Workload(name, smaller, larger, 20, reply))


def _cdu(reply_length: int) -> Workload:
    name = f"CDU:{reply_length}"
    return Workload(name, REQUEST_LENGTH, REQUEST_LENGTH, 0, reply_length, 1, Traffic.LEGACY)


WORKLOADS = {
    kind.name: kind
    for kind in (
        _suite("HS", "short messages, short replies", 512, 8_192, 2_048),
        _suite("HM", "messages of some pages, such as records", 8_192, 32_768, 4_096),
        _suite("HL", "long messages, as of guest relocation", 98_304, 122_880, 8_192),
        _suite("HY", "as much both ways, acknowledged", 32_768, 32_768, 32_768),
        WorkloadKind("CDU", "APPC/VM: a request, then its reply", _cdu, "reply bytes"),
    )
}
"""Every workload that has a name: a new one is one more entry. Sizes are the report's (published);
that 20 % of messages have the smaller size is derived: no other reading fits the bytes per message
of H001709C."""

SUITES: Final = {name: WORKLOADS[name].make(0) for name in ("HS", "HM", "HL", "HY")}
"""The report's ISFC Transport suites (published): another workload of the list is none of them."""


def workload_usage() -> str:
    """How workloads are called: ``HS, HM, HL, HY, CDU:<reply bytes> or FILE.toml``."""
    return f"{', '.join(kind.usage for kind in WORKLOADS.values())} or FILE.toml"


def explained(name: str) -> str:
    """``HL (long messages)``: a workload, and what it sends where its name is IBM's."""
    return f"{name} ({WORKLOADS[name].help.partition(',')[0]})" if name in WORKLOADS else name


def complete_workload(incomplete: str) -> list[str]:
    """How the workloads are called that begin so, for a shell."""
    names = (kind.name + ":" * bool(kind.operand) for kind in WORKLOADS.values())
    return [name for name in names if name.startswith(incomplete)]


def find_workload(name: Workload | str) -> Workload:
    """The workload of that name, as `WORKLOADS` has it, in any case; a workload is itself.

    A name that ends with ``.toml`` is the path of a file with one of the user's own. Raises
    `ConfigurationError` for any other name.
    """
    if isinstance(name, Workload):
        return name
    if name.lower().endswith(".toml"):
        with within(name):
            return Workload.own(**own_workload.read_workload(Path(name)))
    first, colon, operand = name.upper().partition(":")
    kind = WORKLOADS.get(first)
    is_count = operand.isascii() and operand.isdigit() and len(operand) <= 9
    if kind is not None and bool(colon) == bool(kind.operand) and (not colon or is_count):
        return kind.make(int(operand or 0))
    raise ConfigurationError(f"workload {name[:40]!r} is unknown: expected {workload_usage()}")


def workload_seen(name: str, length: int, reply_length: int) -> Workload:
    """That of a name, or of one's own what was seen of it: how long its messages were."""
    if name.partition(":")[0].upper() in WORKLOADS:
        with suppress(ConfigurationError):
            return find_workload(name)
    return Workload(name, max(1, length), max(1, length), 100, max(1, reply_length), 1)


def free_workload(message: str, reply_length: int, window: int = TRANSPORT_WINDOW) -> Workload:
    """A workload of your own; ``message`` is ``MIN:MAX:PERCENT``, PERCENT of them MIN bytes."""
    parts = message.split(":")
    try:
        minimum, maximum, percent = int(parts[0]), int(parts[1]), float(parts[2])
    except (ValueError, IndexError):
        parts = []
    if len(parts) != 3 or not math.isfinite(percent):
        raise ConfigurationError(
            f"message {message[:40]!r}: expected MIN:MAX:PERCENT, such as 512:8192:20"
        )
    name = f"{minimum}:{maximum}:{percent:g}/{reply_length}"
    return Workload(name, minimum, maximum, percent, reply_length, window)


CONVERSATIONS: Final = 32
"""Messages that may be under way at the same time: beyond that the load is not open any more.
Chosen: a link that is hardly used has one or two."""


def open_load(workload: Workload, messages_per_s: float) -> Workload:
    """The workload as an open load of so many messages a second, each with its reply.

    It is run with `CONVERSATIONS` pairs.
    """
    return replace(workload, window=1, programs=OwnGuests(per_s=messages_per_s))


class LinkLoad(Struct, frozen=True):
    """What runs over a link: the clients on ``client``, the servers on ``server``."""

    client: NodeName
    server: NodeName
    workload: Workload
    pairs: int

    def __str__(self) -> str:
        return f"{self.client}-{self.server}:{self.workload.name}:{self.pairs}"


def load_of(traffic: LinkTraffic) -> LinkLoad:
    """The load that a file or an option names. Raises `ConfigurationError`."""
    return LinkLoad(traffic.client, traffic.server, find_workload(traffic.workload), traffic.pairs)


def checked_traffic(collection: Collection, source: str) -> Collection:
    """The collection, whose traffic is of workloads that there are.

    A layout knows nothing of them, and what does not run its traffic would pass a misspelt name
    over. Raises `ConfigurationError` for one, in the file that is called ``source``.
    """
    for number, traffic in enumerate(collection.traffic, start=1):
        with within(f"{source}: [[traffic]] #{number} workload"):
            find_workload(traffic.workload)
    return collection
