"""Faults as data: what goes wrong, where, when and for how long; from a file or from a seed.

::

    [[fault]]
    at = "1.5s"
    kind = "ctc lost"
    rdev = "6001"           # at the clients' system, if no other is named by "node"
    phase = "CONN"          # when its next I/O is as far as that
    for = "200ms"

    [[fault]]
    at = "2s"
    kind = "piece lost"
    piece = "director:1"    # or a channel, a path, a CEC: `isfc.layout.loss`
    for = "200ms"

Whatever is wrong is a `ConfigurationError` that names the file, the table and the key.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev, parse_chpid, parse_rdev
from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.in_words import check_between, find_node
from isfc.layout.checked_toml import convert, decode, holds, read_bytes, within, words_of
from isfc.layout.collection import Collection
from isfc.layout.loss import PATH, OneOfSeveral, one_of_several, places_of
from isfc.link.name import NodeName
from scenarios.runs.operation import read_time_ns

_T = TypeVar("_T")

FAULTS_MAX: Final = 1_000

DRAWN_COUNT: Final = 5
"""Faults of a run whose faults are drawn from a seed (chosen: events that fit a screen)."""


class FaultKind(Enum):
    """What can go wrong."""

    CTC_LOST = "ctc lost"
    CHPID_LOST = "chpid lost"
    CRASH = "crash"
    PARTITION = "partition"
    DELAY = "delay"
    SLOW = "slow receiver"
    STOPPED = "stopped"
    THROTTLED = "throttled"
    FRAME_DROPPED = "frame dropped"
    FRAME_DOUBLED = "frame doubled"
    FRAME_CORRUPTED = "frame corrupted"
    FRAME_TRUNCATED = "frame truncated"
    OLDER_PARTNER = "older partner"
    GAP = "gap"
    PIECE_LOST = "piece lost"


NEVER_DRAWN: Final = frozenset({FaultKind.GAP, FaultKind.PIECE_LOST})
"""Kinds that files alone have: no link recovers from a gap, and a piece has to be named."""
DRAWN: Final = tuple(kind for kind in FaultKind if kind not in NEVER_DRAWN)
"""Kinds that are drawn."""

PHASES: Final = ("idle", "PEND", "DISC", "CONN")
"""How far an I/O is when a CTC is lost: not begun, waiting for the channel, for the partner, or in
the transfer."""

FRAME_FAULTS: Final = tuple(kind for kind in FaultKind if kind.value.startswith("frame "))
"""What may happen to one frame."""

_WITH_RDEV: Final = frozenset({FaultKind.CTC_LOST, *FRAME_FAULTS, FaultKind.GAP})
_OWN_KEY: Final = {
    **dict.fromkeys(_WITH_RDEV, "rdev"),
    FaultKind.CHPID_LOST: "chpid",
    FaultKind.PIECE_LOST: "piece",
    FaultKind.DELAY: "by",
    FaultKind.SLOW: "by",
    FaultKind.THROTTLED: "bytes",
}
"""The key that a kind needs beside the times."""
_WITHOUT_END: Final = frozenset({FaultKind.FRAME_DROPPED, FaultKind.FRAME_DOUBLED})


class Fault(Struct, frozen=True):
    """One fault: at ``node``, from ``at_ns`` on, for ``for_ns``.

    ``amount`` is the nanoseconds of a delay, or the bytes that a throttled system may have under
    way; ``jitter_ns`` is drawn for each frame in addition. ``piece`` is what people call a piece of
    hardware that is lost (`isfc.layout.loss`), and ``places`` an end of each CTC that goes with it;
    with ``isl`` they go only if all inter-switch links of its path are lost.
    """

    kind: FaultKind
    at_ns: int
    node: NodeName
    for_ns: int = 0
    rdev: Rdev | None = None
    chpid: ChpidId | None = None
    phase: str | None = None
    amount: int = 0
    jitter_ns: int = 0
    piece: str | None = None
    places: tuple[tuple[NodeName, Rdev], ...] = ()
    isl: OneOfSeveral | None = None

    def __post_init__(self) -> None:
        if self.rdev is None and (self.kind in _WITH_RDEV or self.phase is not None):
            raise ConfigurationError(
                f"fault {self.kind.value} at {self.node}: expected the rdev of a CTC"
            )

    @property
    def until_ns(self) -> int:
        """When it is over."""
        return self.at_ns + self.for_ns

    def describe(self) -> str:
        """What goes wrong, in a few words."""
        place = f" at {self.node}"
        if self.rdev is not None:
            place = f" {format_rdev(self.rdev)}{place}"
        if self.chpid is not None:
            place = f" {format_chpid(self.chpid)}{place}"
        if self.kind in (FaultKind.PARTITION, FaultKind.DELAY):
            place = ""
        if self.piece is not None:
            place = f" {self.piece}"
        phase = f", {self.phase}" if self.phase else ""
        amount = ""
        if self.kind in (FaultKind.DELAY, FaultKind.SLOW):
            amount = f" by {self.amount / 1e3:g} us"
        elif self.kind is FaultKind.THROTTLED:
            amount = f" to {self.amount} bytes"
        lasts = f" for {self.for_ns / 1e6:g} ms" if self.for_ns else ""
        return f"{self.kind.value}{place}{phase}{amount}{lasts}"


class _FaultsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fault: Annotated[list[Any], holds("a table for each fault, headed [[fault]]")]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"duration": "for"}):
    at: Annotated[str, holds('a time of the run in quotes, such as "1.5s"')]
    kind: Annotated[str, holds("one of " + ", ".join(kind.value for kind in FaultKind))]
    node: Annotated[str | None, holds("a system of the collection, in quotes")] = None
    duration: Annotated[str | None, holds('a time in quotes, such as "200ms"')] = None
    rdev: Annotated[str | None, holds('a device number of that system, such as "6001"')] = None
    chpid: Annotated[str | None, holds('a chpid of that system, such as "40"')] = None
    piece: Annotated[
        str | None, holds('what is lost, such as "director:1", "ALPHA:40" or "cec:EAST"')
    ] = None
    phase: Annotated[str | None, holds("one of " + ", ".join(PHASES))] = None
    by: Annotated[str | None, holds('a time in quotes, such as "100us"')] = None
    jitter: Annotated[str | None, holds('a time in quotes, such as "50us"')] = None
    bytes: Annotated[int | None, holds("a number of bytes, such as 65536")] = None


_EXPECTED: Final = words_of(_Table)


def read_faults(path: str, collection: Collection, client: NodeName, end_ns: int) -> list[Fault]:
    """The faults in a file, by their times; all must begin before ``end_ns``."""
    with within(f"{spelt('faults')} {path}"):
        return parse_faults(read_bytes(Path(path), "a file of faults"), collection, client, end_ns)


def parse_faults(data: bytes, collection: Collection, client: NodeName, end_ns: int) -> list[Fault]:
    """As `read_faults`, of the content of a file."""
    root = convert(decode(data, "a file of faults"), _FaultsFile, "")
    if not 1 <= len(root.fault) <= FAULTS_MAX:
        raise ConfigurationError(
            f"fault: {len(root.fault)} of them; expected 1 to {FAULTS_MAX} tables [[fault]]"
        )
    faults = []
    for number, value in enumerate(root.fault, start=1):
        place = f"[[fault]] {number}"
        table = convert(value, _Table, place)
        with within(place):
            faults.append(_fault(table, collection, client, end_ns))
    return sorted(faults, key=lambda fault: fault.at_ns)


def _fault(table: _Table, collection: Collection, client: NodeName, end_ns: int) -> Fault:
    try:
        kind = FaultKind(table.kind)
    except ValueError:
        raise ConfigurationError(
            f"kind {table.kind[:40]!r}: expected {_EXPECTED['kind']}"
        ) from None
    node = client if table.node is None else find_node("node", table.node, collection.systems)
    at_ns = _time("at", table.at)
    if at_ns >= end_ns:
        raise ConfigurationError(
            f"at {table.at}: expected before the end of the run, at {end_ns / 1e9:g}s"
        )
    _check_keys(table, kind)
    own = {rdev: chpid for (name, rdev), chpid in chpids_of(collection).items() if name == node}
    chpid = rdev = None
    if table.chpid is not None:
        chpid = _one_of("chpid", table.chpid, parse_chpid, own.values(), format_chpid)
    if table.rdev is not None:
        rdev = _one_of("rdev", table.rdev, parse_rdev, own, format_rdev)
    places: tuple[tuple[NodeName, Rdev], ...] = ()
    isl = None
    if table.piece is not None:
        isl = one_of_several(table.piece, collection)
        places = places_of(table.piece if isl is None else f"{PATH}:{isl.path}", collection)
    elif chpid is not None:
        places = places_of(f"{node}:{format_chpid(chpid)}", collection)
    return Fault(
        kind,
        at_ns,
        node,
        _time("for", table.duration),
        rdev,
        chpid,
        table.phase,
        table.bytes or _time("by", table.by),
        _time("jitter", table.jitter),
        table.piece,
        places,
        isl,
    )


def _check_keys(table: _Table, kind: FaultKind) -> None:
    """Every key that the kind needs is there, and none that it does not know."""
    needed = {_OWN_KEY[kind]} if kind in _OWN_KEY else set()
    if kind not in _WITHOUT_END:
        needed.add("for")
    possible = {"at", "kind", "node", *needed}
    possible |= {"phase"} if kind is FaultKind.CTC_LOST else set()
    possible |= {"jitter"} if kind is FaultKind.DELAY else set()
    for key, value in msgspec.to_builtins(table).items():
        if key in needed and value is None:
            raise ConfigurationError(f"{key}: missing; expected {_EXPECTED[key]}")
        if key not in possible and value is not None:
            raise ConfigurationError(f"{key}: not a key of a {kind.value!r} fault")
    if table.phase is not None and table.phase not in PHASES:
        raise ConfigurationError(f"phase {table.phase[:40]!r}: expected {_EXPECTED['phase']}")
    check_between("bytes", table.bytes or 0, 0, 2**31)


def chpids_of(collection: Collection) -> dict[tuple[NodeName, Rdev], ChpidId]:
    """Every end of a CTC, and its chpid."""
    return {
        (node, ctc.rdevs[here]): ctc.fibre.chpids[here]
        for link in collection.links
        for here, node in enumerate(link.nodes)
        for ctc in link.ctcs
    }


def _one_of(
    key: str, text: str, read: Callable[[str], _T], known: Iterable[_T], show: Callable[[_T], str]
) -> _T:
    """What a key says, one of those that its system has."""
    with within(key):
        found = read(text)
    if found not in (every := dict.fromkeys(known)):
        raise ConfigurationError(f"{key} {text}: expected one of {', '.join(map(show, every))}")
    return found


def _time(key: str, text: str | None) -> int:
    """The time that a key says, in ns; 0 without the key."""
    if text is None:
        return 0
    time_ns = read_time_ns(text)
    if time_ns is None:
        raise ConfigurationError(f"{key} {text[:40]!r}: expected {_EXPECTED[key]}")
    return time_ns


def draw_faults(seed: int, collection: Collection, begin_ns: int, end_ns: int) -> list[Fault]:
    """`DRAWN_COUNT` faults of a seed, by their times, from ``begin_ns`` on and before ``end_ns``.

    Every kind but `NEVER_DRAWN`.
    """
    random = Random(f"faults {seed}")
    chpids = chpids_of(collection)
    faults = []
    for _ in range(DRAWN_COUNT):
        place = random.choice([*chpids])
        fault = draw_fault(random, DRAWN, random.randrange(begin_ns, end_ns), [place])
        faults.append(with_chpid(fault, chpids[place], collection))
    return sorted(faults, key=lambda fault: fault.at_ns)


def with_chpid(fault: Fault, chpid: ChpidId, collection: Collection) -> Fault:
    """The fault, and of one that loses a chpid, which it is and what goes with it."""
    if fault.kind is not FaultKind.CHPID_LOST:
        return fault
    lost = places_of(f"{fault.node}:{format_chpid(chpid)}", collection)
    return replace(fault, chpid=chpid, places=lost)


def draw_fault(
    random: Random, kinds: Sequence[FaultKind], at_ns: int, places: Sequence[tuple[NodeName, Rdev]]
) -> Fault:
    """A fault of one of the kinds, at one of the CTCs' ends, that lasts up to 30 ms."""
    kind = random.choice(kinds)
    node, rdev = random.choice(places)
    for_ns = int(10 ** random.uniform(4, 7.5))
    if kind in (FaultKind.DELAY, FaultKind.SLOW):
        amount_ns = int(10 ** random.uniform(3, 5.5))
        jitter_ns = random.choice([0, amount_ns]) if kind is FaultKind.DELAY else 0
        return Fault(kind, at_ns, node, for_ns, amount=amount_ns, jitter_ns=jitter_ns)
    if kind is FaultKind.THROTTLED:
        return Fault(kind, at_ns, node, for_ns, amount=random.choice([0, 10_000, 100_000]))
    phase = random.choice([None, *PHASES]) if kind is FaultKind.CTC_LOST else None
    return Fault(kind, at_ns, node, for_ns, rdev if kind in _WITH_RDEV else None, phase=phase)
