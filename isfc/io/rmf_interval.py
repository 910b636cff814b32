"""What RMF reported of one system and interval: channels, devices and IOPs."""

from dataclasses import dataclass, field

from isfc.io.rmf_channel import ChannelLine, PassedOver
from isfc.io.rmf_iop import IopLine


@dataclass(frozen=True, slots=True)
class DeviceLine:
    """A device in Direct Access Device Activity; times are means in milliseconds.

    ``is_synchronous`` says that RMF marked the rate with an S.
    """

    device: str
    volume: str
    lcu: str
    io_per_s: float
    is_synchronous: bool
    response_ms: float | None
    iosq_ms: float | None
    pend_ms: float | None
    disc_ms: float | None
    conn_ms: float | None


@dataclass(slots=True)
class RmfInterval:
    """What was reported of one system and interval; ``date`` and ``time`` as printed."""

    system: str
    date: str
    time: str
    channels: list[ChannelLine] = field(default_factory=list)
    devices: list[DeviceLine] = field(default_factory=list)
    iops: list[IopLine] = field(default_factory=list)
    passed_over: list[PassedOver] = field(default_factory=list)

    @property
    def io_per_s(self) -> float:
        """All I/Os a second: of the channels if they were reported, else of the devices.

        A channel whose load RMF could not measure is not in it.
        """
        if self.channels:
            return sum(line.io_per_s for line in self.channels if line.has_load)
        return sum(line.io_per_s for line in self.devices)

    @property
    def is_measured(self) -> bool:
        """Whether RMF could measure the load of each channel that it reports."""
        return all(line.has_load for line in self.channels)

    @property
    def name(self) -> str:
        """How to speak of it: ``P34 08/15/2019 09.39.44``."""
        return " ".join(filter(None, (self.system, self.date, self.time))) or "the report"


def busiest(intervals: tuple[RmfInterval, ...]) -> RmfInterval:
    """The interval with the most I/Os a second; there must be one."""
    return max(intervals, key=lambda interval: interval.io_per_s)
