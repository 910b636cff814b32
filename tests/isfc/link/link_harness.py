"""A link whose hardware is the test: interrupts in, instructions out."""

from typing import TypeVar

from ctc.address import Rdev
from ctc.subchannel import (
    Attention,
    Collided,
    Command,
    DeviceLost,
    DeviceReady,
    Ended,
    IoTimes,
    Ssch,
    UnitStatus,
)
from isfc.link.events import Delivered
from isfc.link.link_ctc import LinkCtc
from isfc.link.lock import SystemLock
from isfc.link.logical_link import LogicalLink
from isfc.link.message import Message, Traffic
from isfc.link.package import Package, PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.link.scan import LinkDevice
from isfc.link.state import DeviceState, ReadState

TIMES = IoTimes(1, 2, 3)
NO_TIMES = IoTimes(0, 0, 0)
A, B, C, D = Rdev(0x6000), Rdev(0x6001), Rdev(0x6002), Rdev(0x6003)
PARAMETERS = LinkParameters(
    build_package_ns=100_000,
    receive_ns_per_byte=0.0,
    recent_share=1.0,
    reuse_length=1,
    release_ns_per_byte=0.0,
    single_ctc_release_ns_per_byte=0.0,
    dispatch_ns=5_000,
    recovery_ns=500_000,
    greater_recovery=3,
    open_backlog_length=50_000,
    open_backlog_count=30,
    open_length_exponent=0.0,
    open_count_exponent=0.0,
    open_message_length=32_768,
    package_limit=PackageLimit(length=870_000),
    share_length=0,
    single_ctc_length=80_000,
    single_ctc_appc_length=200_000,
    single_ctc_message_length=20_000,
    appc_ns_per_byte_built=1.0,
    appc_ns_per_byte_taken=3.0,
    cpu_message_ns=1_000,
    cpu_read_package_ns=3_000,
    cpu_ns_per_byte=0.5,
    cpu_appc_message_ns=10_000,
    mih_ns=15_000_000_000,
)
"""All of them, so that no test depends on the numbers of CP."""


Kind = TypeVar("Kind")
Story = list[tuple[int, str, Rdev | None]]
"""When the hardware is asked to do what on which CTC, and when a package is handed over."""


class Door:
    """A link whose hardware is the test."""

    def __init__(
        self,
        *,
        lesser: bool = True,
        ctc_count: int = 3,
        parameters: LinkParameters = PARAMETERS,
        lock: SystemLock | None = None,
    ) -> None:
        self.devices = [LinkDevice(Rdev(0x6000 + n), Rdev(0x7000 + n)) for n in range(ctc_count)]
        self.link = LogicalLink(
            self.devices, lesser=lesser, parameters=parameters, system_lock=lock
        )
        self.now_ns = 0
        for device in self.devices:
            self.link.receive_interrupt(DeviceReady(device.rdev), 0)
        self.events()

    def events(self) -> list[object]:
        """What the client is told."""
        events: list[object] = []
        while (event := self.link.poll_event()) is not None:
            events.append(event)
        return events

    def asked(self) -> list[tuple[str, Rdev]]:
        """What the hardware is asked to do."""
        asked = []
        while (instruction := self.link.poll_instruction()) is not None:
            name = instruction.command.name if isinstance(instruction, Ssch) else "HALT"
            asked.append((name, instruction.rdev))
        return asked

    def asks(self) -> list[tuple[str, Rdev]]:
        """Work; what the hardware is asked to do."""
        self.work()
        return self.asked()

    def told(self, kind: type[Kind]) -> Kind:
        """The only event since the last time, which is of this kind."""
        (event,) = self.events()
        assert isinstance(event, kind)
        return event

    def collide(self, rdev: Rdev, package: Package) -> None:
        """Our write there collides."""
        self.link.receive_interrupt(Collided(rdev, package, TIMES), self.now_ns)

    def lose(self, rdev: Rdev, package: Package | None = None, times: IoTimes = TIMES) -> None:
        """A device is gone, with what was being written there."""
        self.link.receive_interrupt(DeviceLost(rdev, package, times), self.now_ns)

    def ready(self, rdev: Rdev) -> None:
        """A device is ready (again)."""
        self.link.receive_interrupt(DeviceReady(rdev), self.now_ns)

    def sense(self, rdev: Rdev) -> None:
        """SENSE ends, which leads to READ."""
        self.ended(rdev, Command.SENSE_COMMAND_BYTE)
        assert self.asks() == [("READ", rdev)]

    def send(self, *lengths: int, traffic: Traffic = Traffic.TRANSPORT) -> None:
        for length in lengths:
            self.link.send([Message(0, length, traffic)], self.now_ns)

    def step(self) -> None:
        """Let the next piece of work be done."""
        self.now_ns = max(self.now_ns, self.link.due_ns)
        self.link.handle_deadline(self.now_ns)

    def work(self) -> None:
        """Let the link do all that it has to do before anything is overdue."""
        horizon_ns = self.now_ns + PARAMETERS.mih_ns // 2
        while self.link.due_ns < horizon_ns:
            self.step()

    def story(self) -> Story:
        """Work; when the hardware is asked to do what, and when messages are handed over."""
        horizon_ns = self.now_ns + PARAMETERS.mih_ns // 2
        story = self._told()
        while self.link.due_ns < horizon_ns:
            self.step()
            story += self._told()
        return story

    def _told(self) -> Story:
        told: Story = [(self.now_ns, name, rdev) for name, rdev in self.asked()]
        handed_over = [each for each in self.events() if isinstance(each, Delivered)]
        return told + [(self.now_ns, "Delivered", None)] * len(handed_over)

    def write(self, *lengths: int) -> tuple[Rdev, Package]:
        """Send, and take the one write that this leads to."""
        self.send(*lengths)
        self.work()
        written = self.written()
        assert self.link.poll_instruction() is None
        return written

    def written(self) -> tuple[Rdev, Package]:
        """Take the write that the hardware is asked for next."""
        instruction = self.link.poll_instruction()
        assert isinstance(instruction, Ssch)
        assert instruction.command is Command.WRITE
        assert isinstance(instruction.load, Package)
        return instruction.rdev, instruction.load

    def written_on(self, rdev: Rdev) -> Package:
        """The package of the one instruction there is, which is a WRITE on ``rdev``."""
        at, package = self.written()
        assert (at, self.asked()) == (rdev, [])
        return package

    def ended(
        self,
        rdev: Rdev,
        command: Command,
        package: Package | None = None,
        status: UnitStatus = UnitStatus.ENDED,
    ) -> None:
        self.link.receive_interrupt(Ended(rdev, command, status, TIMES, package), self.now_ns)

    def attend(self, *rdevs: Rdev) -> None:
        """The partner begins to write on each of these."""
        for rdev in rdevs:
            self.link.receive_interrupt(Attention(rdev), self.now_ns)

    def begin_read(self, *rdevs: Rdev) -> None:
        """The partner writes, which is sensed; then it is being read."""
        for rdev in rdevs:
            self.attend(rdev)
            assert self.asks() == [("SENSE_COMMAND_BYTE", rdev)]
            self.sense(rdev)

    def read(self, rdev: Rdev, package: Package) -> None:
        """The partner writes ``package``: attention, sense, read."""
        self.begin_read(rdev)
        self.ended(rdev, Command.READ, package)
        self.work()

    def state(self, rdev: Rdev) -> DeviceState:
        return self.link.ctcs[rdev].state

    def is_full(self, rdev: Rdev) -> bool:
        """Whether what was read on a CTC is still to be handed over."""
        return is_full(self.link.ctcs[rdev])


def is_full(ctc: LinkCtc) -> bool:
    """Whether what was read on a CTC is still to be handed over."""
    return ctc.read_side in (ReadState.BUFFERED, ReadState.BUFFERED_SENSE)


def theirs(
    number: int, *serials: int, length: int = 100, traffic: Traffic = Traffic.TRANSPORT
) -> Package:
    """A package of the partner's."""
    messages = []
    for serial in serials:
        message = Message(0, length, traffic)
        message.serial = serial
        messages.append(message)
    return Package(number, messages, length * len(messages))


def is_viewed(buffer: bytearray) -> bool:
    """Whether anybody still has a view of it."""
    try:
        buffer.pop()
    except BufferError:
        return True
    return False
