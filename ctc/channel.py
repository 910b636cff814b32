"""FICON and FCP channels under disk I/O: what an I/O takes of the processor, the line, the bus.

Of the line it takes frames, to the byte. A port sends a frame when it holds a buffer credit, which
comes back a round trip later: so a long line carries at most credits x data of a frame / round trip
in each direction. MB are 10**6 bytes.

The channel's processor handles each information unit of command mode, but a transport-mode I/O
once; data pass it by through the hardware data router. `ctc.features` has a record of each feature.
``docs/channel-fidelity.md`` shows how near these constants come to published figures.

CTCs use the same channel: for them `ctc.features` has the cost of CCWs, and `ctc.chpid` shares
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

NS_PER_KM: Final = 5_000
"""Light in glass, one way (derived: 3e5 km/s over a refractive index of 1.5)."""

PORT_CREDITS: Final = 90
"""Buffer credits of a FICON channel's port (published: FICON Express16SA Performance).

Of the ports of other features assumed."""

RULE_CREDITS_PER_KM_GBPS: Final = 0.5
"""The old rule: half a credit for each km and Gb/s, with full frames (published there too)."""


def round_trip_ns(km: float) -> float:
    """There and back."""
    return 2 * NS_PER_KM * km


def credit_ns(credits_: float, km: float, frame_ns: float) -> float:
    """From one frame to the next when so many credits are the limit.

    ``frame_ns`` is how long a frame is on the line: it is received, and its credit's way back
    begins, that much after it was sent, and the next frame takes as long.
    """
    return (round_trip_ns(km) + 2 * frame_ns) / credits_


def credit_bytes_per_s(
    credits_: float, km: float, frame_data_length: float, frame_ns: float
) -> float:
    """Data that so many credits let through in one direction, in bytes a second.

    A frame's data is ``frame_data_length`` on average.
    """
    return frame_data_length * 1e9 / credit_ns(credits_, km, frame_ns)


def credits_needed(mb_per_s: float, km: float, frame_data_length: float, frame_ns: float) -> int:
    """Credits without which ``mb_per_s`` of data in one direction do not go so far."""
    each = credit_bytes_per_s(1, km, frame_data_length, frame_ns)
    return -int(-mb_per_s * 1e6 // each)


def credits_by_rule(link_gbps: float, km: float) -> int:
    """Credits by the old rule."""
    return round(RULE_CREDITS_PER_KM_GBPS * link_gbps * km)


FRAME_DATA_LENGTH: Final = 2048
"""Data bytes in a full frame. Published elsewhere (Brocade): 2112 less 64 of optional header."""

FRAME_AROUND_LENGTH: Final = 36
"""SOF 4, header 24, CRC 4, EOF 4 (published: FC-FS)."""

FRAME_GAP_LENGTH: Final = 24
"""Six 4-byte primitive signals between frames (published: FC-FS)."""

STATUS_FRAMES: Final = 2
STATUS_LENGTH: Final = 92
"""An I/O's frames beside full ones in the direction of its data, and the bytes in them.

Calibrated on the 1083-byte average frame of 4K transfers; the 2023 of 128K follow from it."""

COMMAND_LENGTH: Final = 62
"""Bytes in the one frame that an I/O sends against its data. Calibrated on the 886-byte average
frame of a 4K mix; the 1995 of a 128K mix follow."""

LINE_USE: Final = 0.9787
"""How much of the time a full line sends frames. Calibrated on the FICON Express16S channel of
the RMF report whose 8 Gb/s link was full: 819.77 + 792.70 MB/s."""


class Frames(Struct, frozen=True):
    """Some frames: how many, and their bytes from SOF to EOF. Averages may be fractions."""

    count: float
    length: float

    @property
    def average_length(self) -> float:
        """Bytes of the average frame, 0 if there is none."""
        return self.length / self.count if self.count else 0.0

    @property
    def line_length(self) -> float:
        """Bytes that they occupy on the line, gaps included."""
        return self.length + FRAME_GAP_LENGTH * self.count

    def plus(self, other: "Frames") -> "Frames":
        """Both together."""
        return Frames(self.count + other.count, self.length + other.length)

    def times(self, factor: float) -> "Frames":
        """So many times as many."""
        return Frames(self.count * factor, self.length * factor)


def data_frames(io_bytes: int) -> Frames:
    """The frames of one transport-mode I/O in the direction of its data.

    Encryption does not lengthen them: 379,000 encrypted 4K reads a second would not fit a line
    with the usual 32 bytes more in each frame (published rate, derived conclusion).
    """
    count = -(-io_bytes // FRAME_DATA_LENGTH) + STATUS_FRAMES
    return Frames(count, io_bytes + STATUS_LENGTH + count * FRAME_AROUND_LENGTH)


def command_frames() -> Frames:
    """The frame of one transport-mode I/O against the direction of its data."""
    return Frames(1, COMMAND_LENGTH + FRAME_AROUND_LENGTH)


def line_bytes_per_s(link_gbps: float) -> float:
    """Bytes that one direction of a line carries, frames and gaps (derived).

    Nominal N Gb/s Fibre Channel runs at N x 1.0625 GBd with 8b/10b; from 16 Gb/s on the code is
    64b/66b, at 14.025 GBd for each nominal 16.
    """
    if link_gbps >= 16:
        return link_gbps / 16 * 14.025e9 * 64 / 66 / 8
    return link_gbps * 1.0625e9 * 8 / 10 / 8


def line_ns(frames: Frames, link_gbps: float) -> float:
    """How long frames occupy one direction of a line that has no more to give."""
    return frames.line_length * 1e9 / (line_bytes_per_s(link_gbps) * LINE_USE)


def full_frame_ns(link_gbps: float) -> float:
    """How long a full frame is on the line, in ns."""
    return line_ns(Frames(1, FRAME_DATA_LENGTH + FRAME_AROUND_LENGTH), link_gbps)


def full_frames_mb_per_s(link_gbps: float) -> float:
    """Data of full frames that one direction of a line carries, in 10**6 bytes a second."""
    return FRAME_DATA_LENGTH * 1e3 / full_frame_ns(link_gbps)


def credits_for_full_frames(link_gbps: float, km: float) -> int:
    """Credits with which full frames fill one direction of a line of so many km."""
    full = full_frames_mb_per_s(link_gbps)
    return credits_needed(full, km, FRAME_DATA_LENGTH, full_frame_ns(link_gbps))


def full_frames_by_credits(credits_: float, km: float, link_gbps: float) -> float:
    """Data of full frames that credits let through one way over so many km, in bytes a second."""
    return credit_bytes_per_s(credits_, km, FRAME_DATA_LENGTH, full_frame_ns(link_gbps))


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
