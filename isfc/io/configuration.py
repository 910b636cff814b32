"""An I/O configuration: channels, the paths they take, the systems, and what is asked of them.

`isfc.io.configuration_file` reads one from TOML.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from isfc.io.bandwidth import Ceiling
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

    @property
    def heading(self) -> str:
        """The same where a line begins with it."""
        return f"{self.title[0].upper()}{self.title[1:]}"


@dataclass(frozen=True, slots=True)
class IoWorkload:
    """What one ``[[io]]`` table asks for.

    An I/O moves ``blocks`` blocks of ``block_bytes``, all one way. ``rate_per_s`` makes the
    load open, ``outstanding`` closed, each I/O following the last by ``think_us``; with both, it is
    open as long as no more are outstanding; with neither, as much as the channels carry. The
    channels share the load evenly. ``rejected_percent`` is of the requests that a zHyperLink takes:
    the control unit turns them away. ``cpu_us_per_mb`` is what outbound streams cost the host on
    `isfc.io.osa.CPU_REFERENCE`, for 2**20 bytes; None where nobody has measured it.
    """

    name: str
    channels: tuple[str, ...]
    protocol: Protocol = Protocol.ZHPF
    block_bytes: int = 4096
    blocks: int = 1
    read_percent: float = 100.0
    rate_per_s: float | None = None
    outstanding: int | None = None
    think_us: float = 0.0
    devices: int = 8
    cache_hit_percent: float = 100.0
    system: str = ""
    rejected_percent: float = 0.0
    cpu_us_per_mb: float | None = None

    @property
    def io_bytes(self) -> int:
        """Bytes of one I/O."""
        return self.block_bytes * self.blocks

    @property
    def read_share(self) -> float:
        """The part of the I/Os that reads, from 0 to 1."""
        return self.read_percent / 100.0


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
