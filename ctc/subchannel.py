"""The border between software and hardware: SSCH goes down, an I/O interrupt comes up.

Nothing else crosses it. The hardware carries a package without looking inside; the software
never sees a chpid. The records are plain classes with slots because thousands are made
per virtual second.
"""

from enum import IntEnum
from typing import final

from mypy_extensions import i64, mypyc_attr

from ctc.address import Rdev


class Command(IntEnum):
    """Channel commands of a CTC (published: SA22-7203, 2.13)."""

    WRITE = 0x01
    READ = 0x02
    NO_OP = 0x03
    SENSE_ADAPTER_STATE = 0x04
    CONTROL = 0x07
    READ_BACKWARD = 0x0C
    SENSE_COMMAND_BYTE = 0x14
    SET_BASIC_MODE = 0x43
    WRITE_EOF = 0x81
    SET_EXTENDED_MODE = 0xC3
    READ_CONFIGURATION_DATA = 0xC4
    PREPARE = 0xE3
    SENSE_ID = 0xE4


@mypyc_attr(acyclic=True)
class Payload:
    """What a write carries, as far as the hardware cares: so many bytes in so many pieces."""

    __slots__ = ("count", "length")

    def __init__(self, length: int, count: int) -> None:
        self.length = length
        """Bytes."""
        self.count = count
        """Data-chained pieces, for each of which the channel fetches one CCW."""


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class Ssch:
    """START SUBCHANNEL: one channel program for one device; ``load`` goes with a write.

    ``prompt``: the end of a write is to be told as soon as the channel can.
    """

    __slots__ = ("command", "load", "prompt", "rdev")

    def __init__(
        self, rdev: Rdev, command: Command, load: Payload | None = None, prompt: bool = False
    ) -> None:
        self.rdev = rdev
        self.command = command
        self.load = load
        self.prompt = prompt

    def __repr__(self) -> str:
        load = "" if self.load is None else f" {self.load!r}"
        return f"Ssch({self.rdev:04X} {self.command.name}{load})"


@final
@mypyc_attr(acyclic=True)
class Hsch:
    """HALT SUBCHANNEL: give up what is outstanding on one device, and reset it."""

    __slots__ = ("rdev",)

    def __init__(self, rdev: Rdev) -> None:
        self.rdev = rdev

    def __repr__(self) -> str:
        return f"Hsch({self.rdev:04X})"


Instruction = Ssch | Hsch
"""Everything that software sends to the hardware."""


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class IoTimes:
    """Where the time of one I/O went, in nanoseconds; ``serv_ns`` is their sum.

    PEND is the wait for the channel, DISC the wait for the partner, CONN the transfer.
    """

    __slots__ = ("conn_ns", "disc_ns", "pend_ns")

    def __init__(self, pend_ns: i64, disc_ns: i64, conn_ns: i64) -> None:
        self.pend_ns: i64 = pend_ns
        self.disc_ns: i64 = disc_ns
        self.conn_ns: i64 = conn_ns

    @property
    def serv_ns(self) -> i64:
        """Service time, nanoseconds."""
        return self.pend_ns + self.disc_ns + self.conn_ns

    def __repr__(self) -> str:
        return f"IoTimes(PEND {self.pend_ns}, DISC {self.disc_ns}, CONN {self.conn_ns} ns)"


class UnitStatus(IntEnum):
    """How an I/O ended, in the bits of the unit status byte (published: SA22-7203)."""

    ENDED = 0x0C
    """Channel end and device end: done."""
    BUSY_ATTENTION = 0x90
    """The mate had a command outstanding that this one cannot pass."""
    UNIT_CHECK = 0x02
    """The mate is not ready, or the command is not valid."""


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class Attention:
    """The mate has issued a command that waits for us: sense it, then read."""

    __slots__ = ("rdev",)

    def __init__(self, rdev: Rdev) -> None:
        self.rdev = rdev

    def __repr__(self) -> str:
        return f"Attention({self.rdev:04X})"


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class Ended:
    """An I/O is over; ``load`` is what was read or (to be) written."""

    __slots__ = ("command", "load", "rdev", "status", "times")

    def __init__(
        self, rdev: Rdev, command: Command, status: UnitStatus, times: IoTimes, load: Payload | None
    ) -> None:
        self.rdev = rdev
        self.command = command
        self.status = status
        self.times = times
        self.load = load

    def __repr__(self) -> str:
        return f"Ended({self.rdev:04X} {self.command.name} {self.status.name} {self.times!r})"


@final
@mypyc_attr(acyclic=True)
class Collided:
    """Our write and the mate's met; ours failed and ``load`` is still whole."""

    __slots__ = ("load", "rdev", "times")

    def __init__(self, rdev: Rdev, load: Payload, times: IoTimes) -> None:
        self.rdev = rdev
        self.load = load
        self.times = times

    def __repr__(self) -> str:
        return f"Collided({self.rdev:04X} {self.load!r})"


@final
@mypyc_attr(acyclic=True)
class DeviceLost:
    """The device cannot be reached any more; ``load`` is the write that was cut short."""

    __slots__ = ("load", "rdev", "times")

    def __init__(self, rdev: Rdev, load: Payload | None, times: IoTimes) -> None:
        self.rdev = rdev
        self.load = load
        self.times = times

    def __repr__(self) -> str:
        load = "" if self.load is None else f" {self.load!r}"
        return f"DeviceLost({self.rdev:04X}{load})"


@final
@mypyc_attr(acyclic=True)
class DeviceReady:
    """The device can be used (again)."""

    __slots__ = ("rdev",)

    def __init__(self, rdev: Rdev) -> None:
        self.rdev = rdev

    def __repr__(self) -> str:
        return f"DeviceReady({self.rdev:04X})"


Interrupt = Attention | Ended | Collided | DeviceLost | DeviceReady
"""Everything that the hardware reports to software."""
