"""An I/O configuration: channels, the paths they take, the systems, and what is asked of them.

`isfc.io.configuration_file` reads one from TOML.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta

from isfc.io.bandwidth import Ceiling
from isfc.layout.checked_toml import holds
from isfc.layout.document import Table
from isfc.layout.path import FarPath

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


@dataclass(frozen=True, slots=True)
class IoChannel:
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


@dataclass(frozen=True, slots=True)
class Trunk:
    """What carries the data of several ``channels``: a card, an I/O interconnect or a fanout.

    ``ceiling`` has its level and what it carries at most.
    """

    name: str
    ceiling: Ceiling
    channels: tuple[str, ...]

    @property
    def title(self) -> str:
        """Level and name, as in ``fanout F``."""
        return f"{self.ceiling.level} {self.name}"


_RATE_MAX: Final = 1e9
IO_BYTES_MAX: Final = 1 << 30
_OUTSTANDING_MAX: Final = 100_000
_CPU_US_MAX: Final = 1e6
"""What nobody has: above, a figure is a slip."""

_Percent = Annotated[float, holds("a percentage, from 0 to 100", ge=0, le=100)]


class IoWorkload(Table, frozen=True, rename={"block_bytes": "block", "rate_per_s": "rate"}):
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
        tuple[str, ...],
        Meta(min_length=1, description='a list of channels, such as ["42", "43"]'),
    ]
    workload: Annotated[str | None, holds('a named workload in quotes, such as "read-4k"')] = None
    protocol: Annotated[Protocol, holds(f"one of {', '.join(Protocol)}")] = Protocol.ZHPF
    block_bytes: Annotated[
        int, holds(f"bytes of a block, from 1 to {IO_BYTES_MAX}", ge=1, le=IO_BYTES_MAX)
    ] = 4096
    blocks: Annotated[int, holds("blocks in an I/O, from 1 to 4096", ge=1, le=4096)] = 1
    read_percent: _Percent = 100.0
    rate_per_s: Annotated[float, holds("I/Os a second, above 0", gt=0, le=_RATE_MAX)] | None = None
    outstanding: (
        Annotated[
            int,
            holds(
                f"how many I/Os at the same time, from 1 to {_OUTSTANDING_MAX}",
                ge=1,
                le=_OUTSTANDING_MAX,
            ),
        ]
        | None
    ) = None
    think_us: Annotated[
        float, holds("microseconds between an I/O and the next, from 0", ge=0, le=1e9)
    ] = 0.0
    devices: Annotated[
        int, holds(f"how many devices, from 1 to {_OUTSTANDING_MAX}", ge=1, le=_OUTSTANDING_MAX)
    ] = 8
    cache_hit_percent: _Percent = 100.0
    system: Annotated[str, holds('the name of a system in quotes, such as "ATLANTA"')] = ""
    rejected_percent: _Percent | None = None
    cpu_us_per_mb: (
        Annotated[
            float,
            holds(
                f"microseconds of CPU for 2^20 bytes, above 0 and up to {_CPU_US_MAX:g}",
                gt=0,
                le=_CPU_US_MAX,
            ),
        ]
        | None
    ) = None

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


@dataclass(frozen=True, slots=True)
class IoConfiguration:
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
