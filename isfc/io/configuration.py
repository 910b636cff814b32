"""An I/O configuration: channels, the paths they take, the systems, and what is asked of them.

`isfc.io.configuration_file` reads one from TOML; of that, ``[[io]]`` tables are checked here.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from ctc.channel import BadFeature, ChannelProfile, IoWork
from ctc.features import find_channel
from isfc.errors import ConfigurationError
from isfc.errors.in_words import expected
from isfc.io.machine import Trunk
from isfc.layout.checked_toml import convert, holds, no_table, within
from isfc.layout.document import TomlTable, span
from isfc.layout.layout import FarPath

ZHYPERLINK: Final = "zHyperLink Express"
OSA_FEATURES: Final = ("OSA-Express7S 25 GbE", "OSA-Express6S 10 GbE")
MTU_DEFAULT: Final = 8992
"""Bytes: jumbo frames, as the OSA-Express7S report advises."""


class Protocol(StrEnum):
    """How an I/O is done."""

    ZHPF = "zhpf"
    """FICON in transport mode: a TCW for the whole I/O."""
    FICON = "ficon"
    """FICON in command mode: a chain of CCWs."""
    FCP = "fcp"
    """SCSI over Fibre Channel."""
    SYNCHRONOUS = "synchronous"
    """zHyperLink: the processor waits; a FICON channel takes what cannot be done so."""
    TCP = "tcp"
    """Streams over an OSA: a read is inbound, ``outstanding`` is the number of connections."""


def work_of(profile: ChannelProfile, protocol: Protocol) -> Callable[..., IoWork]:
    """What an I/O takes of a channel in a protocol, by its bytes and whether it reads."""
    others = {Protocol.FICON: profile.command_work, Protocol.FCP: profile.fcp_work}
    return others.get(protocol, profile.transport_work)


class IoChannel(Struct, frozen=True):
    """One channel path, zHyperLink or OSA; ``path`` is None where storage is near.

    ``link_gbps`` is None if the link runs at the feature's own speed. ``mtu_bytes`` and
    ``large_send`` are for OSAs only. ``system`` is "" where the file names none.
    """

    chpid: str
    feature: str
    link_gbps: float | None = None
    encrypted: bool = False
    path: FarPath | None = None
    system: str = ""
    mtu_bytes: int = MTU_DEFAULT
    large_send: bool = True

    @property
    def is_osa(self) -> bool:
        """Whether this is a network adapter."""
        return self.feature in OSA_FEATURES

    @property
    def is_zhyperlink(self) -> bool:
        """Whether I/O over this is synchronous."""
        return self.feature == ZHYPERLINK

    @property
    def is_ficon(self) -> bool:
        """Whether this is a FICON channel."""
        return not (self.is_osa or self.is_zhyperlink)


_RATE_MAX: Final = 1e9
IO_BYTES_MAX: Final = 1 << 30
_OUTSTANDING_MAX: Final = 100_000
_CPU_US_MAX: Final = 1e6
"""What nobody has: above, a figure is a slip."""

_Percent = Annotated[float, span("a percentage", 0, 100)]
_CPU_US: Final = holds(
    f"microseconds of CPU for 2^20 bytes, above 0 and up to {_CPU_US_MAX:g}", gt=0, le=_CPU_US_MAX
)


class IoWorkload(TomlTable, frozen=True, rename={"block_bytes": "block", "rate_per_s": "rate"}):
    """What one ``[[io]]`` table asks for.

    An I/O moves ``blocks`` blocks of ``block_bytes``, all one way. ``rate_per_s`` makes the
    load open, ``outstanding`` closed, each I/O following the last by ``think_us``; with both, it is
    open as long as no more are outstanding; with neither, as much as the channels carry. The
    channels share the load evenly. ``rejected_percent`` is of the requests that a zHyperLink takes:
    the control unit turns them away. ``cpu_us_per_mb`` is what outbound streams cost the host on
    `isfc.io.osa.CPU_REFERENCE`, for 2**20 bytes; None where nobody has measured it. ``workload``
    names the one whose keys the table has besides its own.
    """

    name: Annotated[str, holds("a name in quotes")]
    channels: Annotated[
        tuple[str, ...], Meta(min_length=1, description='a list of channels, such as ["42", "43"]')
    ]
    workload: Annotated[str | None, holds('a named workload in quotes, such as "read-4k"')] = None
    protocol: Annotated[Protocol, holds(f"one of {', '.join(Protocol)}")] = Protocol.ZHPF
    block_bytes: Annotated[int, span("bytes of a block", 1, IO_BYTES_MAX)] = 4096
    blocks: Annotated[int, span("blocks in an I/O", 1, 4096)] = 1
    read_percent: _Percent = 100.0
    rate_per_s: Annotated[float, holds("I/Os a second, above 0", gt=0, le=_RATE_MAX)] | None = None
    outstanding: (
        Annotated[int, span("how many I/Os at the same time", 1, _OUTSTANDING_MAX)] | None
    ) = None
    think_us: Annotated[
        float, holds("microseconds between an I/O and the next, from 0", ge=0, le=1e9)
    ] = 0.0
    devices: Annotated[int, span("how many devices", 1, _OUTSTANDING_MAX)] = 8
    cache_hit_percent: _Percent = 100.0
    system: Annotated[str, holds('the name of a system in quotes, such as "ATLANTA"')] = ""
    rejected_percent: _Percent | None = None
    cpu_us_per_mb: Annotated[float, _CPU_US] | None = None

    @property
    def io_bytes(self) -> int:
        """Bytes of one I/O."""
        return self.block_bytes * self.blocks

    @property
    def read_share(self) -> float:
        """The part of the I/Os that reads, from 0 to 1."""
        return self.read_percent / 100.0

    @property
    def rejected(self) -> float:
        """The part of the requests that the control unit turns away, from 0 to 1."""
        return (self.rejected_percent or 0.0) / 100


class IoConfiguration(Struct, frozen=True):
    """All that an I/O configuration says; channels by chpid, in the order of the file.

    ``systems`` has the SAPs of each by its name, None where they are no limit.
    ``trunks`` stand from the channel up: what carries data of another comes after it.
    """

    channels: Mapping[str, IoChannel]
    systems: Mapping[str, int | None]
    workloads: tuple[IoWorkload, ...]
    trunks: tuple[Trunk, ...] = ()

    def users_of(self, chpid: str) -> tuple[IoWorkload, ...]:
        """The workloads that use a channel."""
        return tuple(workload for workload in self.workloads if chpid in workload.channels)


BLOCK_27K: Final = 27_648
"""Bytes: half a track of a 3390, what SAS and BSAM like best."""

NAMED_WORKLOADS: Final[Mapping[str, Mapping[str, Any]]] = {
    "read-4k": {"block": 4096, "read_percent": 100},
    "write-4k": {"block": 4096, "read_percent": 0},
    "read-128k": {"block": 4096, "blocks": 32, "read_percent": 100},
    "write-128k": {"block": 4096, "blocks": 32, "read_percent": 0},
    "sequential-128k": {"block": 4096, "blocks": 32, "read_percent": 50},
    "castout": {"block": 4096, "blocks": 64, "read_percent": 0},
    "mix": {"block": 4096, "read_percent": 70, "cache_hit_percent": 90},
    "sas-random": {"block": BLOCK_27K, "read_percent": 100, "outstanding": 64},
    "sas-sequential": {"block": BLOCK_27K, "blocks": 2, "read_percent": 100, "outstanding": 8},
    "vsam-nsr": {"block": 4096, "read_percent": 100, "outstanding": 1},
    "streams-out": {"protocol": "tcp", "block": 20_971_520, "read_percent": 0},
    "streams-in": {"protocol": "tcp", "block": 20_971_520, "read_percent": 100},
    "streams-mixed": {"protocol": "tcp", "block": 20_971_520, "read_percent": 50},
}
"""Keys and values as they stand in TOML.

``read-4k`` to ``sequential-128k``: the I/O drivers of the FICON Express16SA report (its large
sequential mix reads and writes as much). ``castout``: Db2's, 64 pages of 4K. ``mix``: assumed,
a common online load. SAS: half-track blocks; its sequential
reads chain the two of a track (derived: the channel utilization of both protocols fits that).
``vsam-nsr``: one read after the other. ``streams``: about 20 MB each, as in the OSA report.
"""


def named_workload(name: str) -> Mapping[str, Any]:
    """The keys of the workload called ``name``. Raises `ConfigurationError` if there is none."""
    try:
        return NAMED_WORKLOADS[name]
    except KeyError:
        raise ConfigurationError(
            f"{name[:40]!r} is unknown; {expected(name, NAMED_WORKLOADS)}"
        ) from None


def read_workload(
    number: int, value: dict[str, Any], channels: Mapping[str, IoChannel]
) -> IoWorkload:
    """The workload of table ``number`` of a file that has these channels.

    Raises `ConfigurationError` for what is wrong with it.
    """
    place = f"[[io]] #{number}"
    named: Mapping[str, Any] = {}
    if isinstance(value.get("workload"), str):
        with within(f"{place} workload"):
            named = named_workload(value["workload"])
    workload = convert({**named, **value}, IoWorkload, place)
    for complaint in _misfits(workload, channels):
        raise ConfigurationError(f"{place} {complaint}")
    if "rate" in value and "outstanding" not in value:  # a named workload's
        return replace(workload, outstanding=None)
    return workload


def _misfits(asked: IoWorkload, channels: Mapping[str, IoChannel]) -> Iterator[str]:
    """Where the channels of a workload do not fit it, the worst first."""
    for name in asked.channels:
        if name not in channels:
            yield f"channels: {no_table('channel', name, channels)}"
    if len(set(asked.channels)) != len(asked.channels):
        yield "channels: names one twice; expected each once"
    used = [channels[name] for name in asked.channels if name in channels]
    if asked.protocol is Protocol.TCP:
        if not all(channel.is_osa for channel in used):
            yield 'channels: "tcp" uses an OSA; expected a channel with an OSA-Express feature'
    elif any(channel.is_osa for channel in used):
        yield f'protocol: an OSA carries no disk I/O; expected "{Protocol.TCP}"'
    elif asked.protocol is Protocol.SYNCHRONOUS:
        if not any(channel.is_zhyperlink for channel in used):
            yield f'channels: expected one with the feature "{ZHYPERLINK}" among them'
    elif any(channel.is_zhyperlink for channel in used):
        yield f'protocol: {ZHYPERLINK} carries only "{Protocol.SYNCHRONOUS}" I/O'
    yield from _says_nothing(asked)
    yield from _impossible(asked, used)
    if asked.rate_per_s is not None and asked.think_us:
        yield "think_us: a rate says when I/Os begin; expected think_us with outstanding alone"
    if asked.io_bytes > IO_BYTES_MAX:
        yield f"blocks: more than {IO_BYTES_MAX} bytes an I/O; expected fewer, or a smaller block"


def _says_nothing(asked: IoWorkload) -> Iterator[str]:
    """Keys that belong to another protocol."""
    for key, value, protocol in (
        ("rejected_percent", asked.rejected_percent, Protocol.SYNCHRONOUS),
        ("cpu_us_per_mb", asked.cpu_us_per_mb, Protocol.TCP),
    ):
        if value is not None and asked.protocol is not protocol:
            yield (
                f'{key}: says nothing of "{asked.protocol}"; expected no such key, or '
                f'protocol = "{protocol}"'
            )


def _impossible(asked: IoWorkload, used: list[IoChannel]) -> Iterator[str]:
    """What the feature of a channel cannot do."""
    if asked.protocol not in (Protocol.ZHPF, Protocol.FCP):
        return
    for channel in used:
        if not channel.is_ficon:
            continue
        try:
            work_of(find_channel(channel.feature), asked.protocol)(asked.block_bytes, is_read=True)
        except BadFeature as error:
            yield f"protocol: {error}"


def check_names(workloads: tuple[IoWorkload, ...]) -> None:
    """Raise `ConfigurationError` for a bad name, or one that two workloads have."""
    seen: dict[str, int] = {}
    for number, workload in enumerate(workloads, start=1):
        if not workload.name.isprintable() or not 1 <= len(workload.name) <= 32:
            raise ConfigurationError(
                f"[[io]] #{number} name: expected 1 to 32 printable characters"
            )
        first = seen.setdefault(workload.name, number)
        if first != number:
            raise ConfigurationError(
                f"[[io]] #{number} name: {workload.name!r} is already [[io]] #{first}'s; "
                "expected each name once"
            )
