"""A link whose hardware is the test: interrupts in, instructions out."""

from dataclasses import replace

from ctc.address import Rdev
from ctc.subchannel import (
    Attention,
    Command,
    DeviceReady,
    Ended,
    IoTimes,
    Ssch,
    UnitStatus,
)
from isfc.link.logical_link import LogicalLink
from isfc.link.message import Message, Traffic
from isfc.link.package import Package
from isfc.link.parameters import LinkParameters
from isfc.link.schedule import LinkDevice
from isfc.link.state import DeviceState

TIMES = IoTimes(1, 2, 3)
A, B, C = Rdev(0x6000), Rdev(0x6001), Rdev(0x6002)
PARAMETERS = replace(
    LinkParameters(),
    build_package_ns=100_000,
    dispatch_ns=5_000,
    recovery_ns=500_000,
    receive_ns_per_byte=0.0,
    single_ctc_release_ns_per_byte=0.0,
    open_backlog_length=50_000,
    open_growth=0.0,
    share_length=870_000,
)


class Door:
    """A link whose hardware is the test."""

    def __init__(
        self,
        *,
        lesser: bool = True,
        ctc_count: int = 3,
        parameters: LinkParameters = PARAMETERS,
    ) -> None:
        self.devices = [LinkDevice(Rdev(0x6000 + n), Rdev(0x7000 + n)) for n in range(ctc_count)]
        self.link = LogicalLink(self.devices, lesser=lesser, parameters=parameters)
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

    def send(self, *lengths: int, traffic: Traffic = Traffic.TRANSPORT) -> None:
        self.link.send([Message(0, length, traffic) for length in lengths], self.now_ns)

    def work(self) -> None:
        """Let the link do all that it has to do before anything is overdue."""
        horizon_ns = self.now_ns + PARAMETERS.mih_ns // 2
        while (due_ns := self.link.due_ns) < horizon_ns:
            self.now_ns = max(self.now_ns, due_ns)
            self.link.handle_deadline(self.now_ns)

    def write(self, *lengths: int) -> tuple[Rdev, Package]:
        """Send, and take the one write that this leads to."""
        self.send(*lengths)
        self.work()
        instruction = self.link.poll_instruction()
        assert isinstance(instruction, Ssch)
        assert instruction.command is Command.WRITE
        assert isinstance(instruction.load, Package)
        assert self.link.poll_instruction() is None
        return instruction.rdev, instruction.load

    def ended(
        self,
        rdev: Rdev,
        command: Command,
        package: Package | None = None,
        status: UnitStatus = UnitStatus.ENDED,
    ) -> None:
        self.link.receive_interrupt(Ended(rdev, command, status, TIMES, package), self.now_ns)

    def read(self, rdev: Rdev, package: Package) -> None:
        """The partner writes ``package``: attention, sense, read."""
        self.link.receive_interrupt(Attention(rdev), self.now_ns)
        self.work()
        assert self.asked() == [("SENSE_COMMAND_BYTE", rdev)]
        self.ended(rdev, Command.SENSE_COMMAND_BYTE)
        assert self.asked() == [("READ", rdev)]
        self.ended(rdev, Command.READ, package)
        self.work()

    def state(self, rdev: Rdev) -> DeviceState:
        return self.link.ctcs[rdev].state


def theirs(number: int, *serials: int, length: int = 100) -> Package:
    """A package of the partner's."""
    messages = []
    for serial in serials:
        message = Message(0, length)
        message.serial = serial
        messages.append(message)
    return Package(number, messages, length * len(messages))
