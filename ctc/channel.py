"""FICON and FCP channels under disk I/O: what an I/O takes of the processor, the line, the bus.

The channel's processor handles each information unit of command mode, but a transport-mode I/O
once; data pass it by through the hardware data router. `ctc.features` has a record of each feature.
``docs/channel-fidelity.md`` shows how near these constants come to published figures.

CTCs use the same channel: for them `ctc.profiles` has the cost of CCWs, and `ctc.chpid` shares
processor and line. What each does in its own model, it does on what the other leaves
(`ChannelUse`): two classes that share the processor, and each direction of the line, by turns.
Where both want a resource each has half; where one wants less, the other has the rest. The I/Os of
disks take microseconds and the transfers of CTCs milliseconds, so that each sees only a share of
the other.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from ctc.address import CtcError
from ctc.fibre_channel import Frames, command_frames, data_frames

INFORMATION_UNIT_LENGTH: Final = 8192
"""Bytes in a data information unit of command mode (published: FICON Express16SA Performance)."""

INFORMATION_UNITS_OF_READ: Final = 6
"""Of a 4K read in command mode, both ways together (published there)."""

BLOCK_LENGTH: Final = 4096

COMMAND_IO_NS: Final = 38_700
"""Channel processor for a command-mode I/O with one data information unit. Calibrated: 12 times
what a zHPF 4K I/O takes on FICON Express16SA. Assumed for FICON Express8 to 16S+ too."""

INFORMATION_UNIT_NS: Final = 8_350
"""For each data information unit more. Calibrated: at 128K zHPF moves 4 times as much."""

TRANSPORT_IO_NS: Final = 3_226
"""Channel processor for a zHPF 4K I/O on FICON Express16SA and 16S+. Calibrated: 1 / 310,000."""

TRANSPORT_BLOCK_NS: Final = 21.6
"""For each 4K more. Calibrated: RMF's row of the Express16S+ channel, 3.896 us at 128K."""

EXPRESS8S_TRANSPORT_IO_NS: Final = 10_870
"""The same on FICON Express8S (published by IBM: 92,000 I/Os a second), and assumed on 16S: of
which Express16S+ with 300,000 makes "over three times" as many."""

EXPRESS16S_TRANSPORT_BLOCK_NS: Final = 121.0
"""For each 4K more on Express16S and 8S. Calibrated: RMF's row of a 16S at 16 Gb/s, 14.62 us."""

EXPRESS4_TRANSPORT_IO_NS: Final = 32_258
EXPRESS4_COMMAND_IO_NS: Final = 70_968
EXPRESS8_TRANSPORT_IO_NS: Final = 19_231
"""Published by IBM: at most 31,000 zHPF I/Os a second on Express4 and 2, 2.2 times those of command
mode, and 52,000 on Express8. What more bytes cost there is assumed, in proportion."""

FCP_IO_NS: Final = 2_632
"""Channel processor for an FCP 4K I/O on Express16SA. Calibrated: 1 / 380,000."""

ENCRYPTED_IO_NS: Final = 64
"""What encryption adds to each I/O. Calibrated: zHPF 4K 310,000 -> 304,000 a second."""

ENCRYPTED_FCP_WRITE_NS_PER_BYTE: Final = 0.986
"""What encryption adds to the response of an FCP write. Calibrated: one 64K write at a time falls
from 300 to 230 MB/s. Reads lose 2 % (published), and zHPF's rows show nothing of it."""


class BadFeature(CtcError):
    """A feature (FICON, OSA or zHyperLink) that has no profile."""


class IoWork(Struct, frozen=True):
    """What one I/O takes: processor time, frames each way, data bytes that cross the bus."""

    processor_ns: float
    to_channel: Frames
    to_control_unit: Frames
    data_length: int


class ChannelProfile(Struct, frozen=True):
    """What a feature's channel can do for disk I/O.

    ``command_io_ns`` and ``information_unit_ns`` are the processor's in command mode,
    ``transport_io_ns`` (None: no zHPF) and ``transport_block_ns`` in transport mode, ``fcp_io_ns``
    for FCP (None: nobody has measured it); ``bus_mb_per_s`` limits both directions together (None:
    not known). ``generations`` are the codes in RMF's column G by speed of the link;
    ``fec_generation`` if it corrects errors.
    """

    feature: str
    link_gbps: float
    command_io_ns: int
    information_unit_ns: int
    transport_io_ns: int | None
    transport_block_ns: float
    fcp_io_ns: int | None
    bus_mb_per_s: float | None
    generations: Mapping[float, int]
    fec_generation: int | None = None

    def command_work(self, io_bytes: int, *, is_read: bool, encrypted: bool = False) -> IoWork:
        """An I/O in command mode, its CCWs chained."""
        units = data_units(io_bytes)
        processor_ns = self.command_io_ns + self.information_unit_ns * (units - 1)
        return _work(processor_ns, io_bytes, is_read, encrypted)

    def transport_work(self, io_bytes: int, *, is_read: bool, encrypted: bool = False) -> IoWork:
        """An I/O in transport mode. Raises `BadFeature` where there is no zHPF."""
        if self.transport_io_ns is None:
            raise BadFeature(f"{self.feature!r} has no transport mode: expected protocol ficon")
        return _work(self._routed(self.transport_io_ns, io_bytes), io_bytes, is_read, encrypted)

    def fcp_work(self, io_bytes: int, *, is_read: bool, encrypted: bool = False) -> IoWork:
        """A SCSI I/O over FCP. Raises `BadFeature` where nobody has measured it."""
        if self.fcp_io_ns is None:
            raise BadFeature(
                f"{self.feature!r} has no FCP figures: expected FICON Express16SA or 16S+"
            )
        return _work(self._routed(self.fcp_io_ns, io_bytes), io_bytes, is_read, encrypted)

    def _routed(self, io_ns: int, io_bytes: int) -> float:
        return io_ns + self.transport_block_ns * max(0.0, io_bytes / BLOCK_LENGTH - 1)


def _work(processor_ns: float, io_bytes: int, is_read: bool, encrypted: bool) -> IoWork:
    data = data_frames(io_bytes)
    command = command_frames()
    return IoWork(
        processor_ns=processor_ns + (ENCRYPTED_IO_NS if encrypted else 0),
        to_channel=data if is_read else command,
        to_control_unit=command if is_read else data,
        data_length=io_bytes,
    )


def data_units(io_bytes: int) -> int:
    """The data information units of a command-mode I/O."""
    return max(1, -(-io_bytes // INFORMATION_UNIT_LENGTH))


def information_units(io_bytes: int, *, transport: bool) -> tuple[int, int]:
    """The information units of a read: (to the control unit, to the channel).

    In command mode two commands and an acknowledgement go, a response, the data and the status
    come; in transport mode one command goes, the data and the response come (published for 4K).
    """
    return (1, 2) if transport else (3, 2 + data_units(io_bytes))


FAIR_SHARE: Final = 0.5
"""What either has at least of a resource that both want (assumed: by turns)."""


class ChannelUse(Struct, frozen=True):
    """Shares from 0 to 1 of the processor and of the line each way, seen from the channel."""

    processor: float = 0.0
    line_out: float = 0.0
    line_in: float = 0.0

    def bounded(self) -> "ChannelUse":
        """What the other class is held up by."""
        return ChannelUse(
            min(FAIR_SHARE, self.processor),
            min(FAIR_SHARE, self.line_out),
            min(FAIR_SHARE, self.line_in),
        )

    def across(self, mate: "ChannelUse") -> "ChannelUse":
        """What holds up transfers that cross this channel and its mate's: the greater of each."""
        return self.joined(ChannelUse(mate.processor, mate.line_in, mate.line_out))

    def joined(self, other: "ChannelUse") -> "ChannelUse":
        """The greater of each."""
        return ChannelUse(
            max(self.processor, other.processor),
            max(self.line_out, other.line_out),
            max(self.line_in, other.line_in),
        )


NOTHING: Final = ChannelUse()
"""Of a channel that nothing else uses."""
