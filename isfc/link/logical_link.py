"""One end of a logical link: routes between packager, scheduler, link locks and devices.

The rules are in the modules it joins (`isfc.link.package`, `isfc.link.schedule`, `isfc.link.lock`,
`isfc.link.sequence`); here is only who hears of what, in which order.
"""

from collections.abc import Sequence
from typing import Final, cast

from mypy_extensions import i64

from ctc.address import ByRdev, Rdev
from ctc.agenda import NEVER_NS
from ctc.fifo import Fifo
from ctc.subchannel import (
    Attention,
    Collided,
    Command,
    DeviceLost,
    Ended,
    Hsch,
    Instruction,
    Interrupt,
    Ssch,
    UnitStatus,
)
from isfc.errors import LocalProtocolError
from isfc.link.conversations import Conversations
from isfc.link.counters import LinkCounters
from isfc.link.events import Delivered, DeviceChanged, LinkDown, LinkEvent, LinkUp, Sent
from isfc.link.link_ctc import UNUSABLE, Deadlines, InstructionQueue, LinkCtc
from isfc.link.lock import BuildPackage, LinkLock, ReceivePackage, ReleasePackage, StartNext, Worker
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.parameters import LinkCosts, LinkParameters
from isfc.link.rules import LinkRules
from isfc.link.schedule import LinkDevice
from isfc.link.state import (
    ACQUIRED,
    ACTIVATED,
    ANSWERED,
    ATTENDED,
    COLLIDED_FIRST,
    COLLIDED_SECOND,
    DEACTIVATED,
    FREED,
    HALTED,
    LOST,
    STARTED,
    TURN_OVER,
    DeviceState,
    LinkState,
)  # fmt: skip
from isfc.link.system_lock import SystemLock

_ANSWERING: Final = (*UNUSABLE, DeviceState.ATTENTION, DeviceState.READING)
"""States in which an attention says nothing new, or nothing at all."""


class LogicalLink(Worker):
    """One end of a logical link.

    Inputs (`send`, `receive_interrupt`, `handle_deadline`, `activate`, `deactivate`) return
    nothing and may change what `poll_instruction`, `poll_event` and `due_ns` answer.
    """

    def __init__(
        self,
        devices: Sequence[LinkDevice],
        *,
        lesser: bool,
        parameters: LinkParameters,
        rules: LinkRules | None = None,
        system_lock: SystemLock | None = None,
    ) -> None:
        self._system_lock = system_lock
        """What other links of the system copy APPC/VM's messages under; None if there are none."""
        self._waits = False
        """Whether it waits for that."""
        self.rx_lock = LinkLock()
        self.tx_lock = LinkLock()
        if rules is None:
            rules = LinkRules()
        self.packager = rules.packager(parameters)
        self.scheduler = rules.scheduler(devices, lesser, parameters)
        self.conversations = Conversations(self.packager)
        self.ctcs = {device.rdev: LinkCtc(device) for device in devices}
        self._ctc_of = ByRdev(self.ctcs)
        self._lesser = lesser
        self._parameters = parameters
        self._costs = LinkCosts(parameters)
        self._mih_ns = parameters.mih_ns
        self._build_ns = parameters.build_package_ns
        self.watch = Deadlines(self.ctcs.values())
        self._usable_count = 0
        self._single_ctc = False
        self._instructions = InstructionQueue()
        self.events: Fifo[LinkEvent] = Fifo()

    @property
    def state(self) -> LinkState:
        """Up when every active CTC is usable, down when none is."""
        active_count = sum(c.state is not DeviceState.INACTIVE for c in self.ctcs.values())
        if not self._usable_count:
            return LinkState.DOWN
        return LinkState.UP if self._usable_count == active_count else LinkState.DEGRADED

    @property
    def counters(self) -> LinkCounters:
        """What the CTCs have counted together."""
        return LinkCounters.total(ctc.counters for ctc in self.ctcs.values())

    @property
    def room(self) -> int:
        """Bytes that `send` takes before it says `Backpressure`."""
        return self.conversations.room

    def send(self, messages: list[Message], now_ns: i64, beside: Rdev | None = None) -> None:
        """Let messages wait for a CTC, or start immediately if nothing keeps them.

        They go on the CTC ``beside`` if that is free. A package that takes no time to build has all
        that are sent together. Raises `Backpressure` when the backlog is full.
        """
        self.conversations.reserve(messages)
        self.scheduler.prefer(beside)
        for message in messages:
            for segment in self.conversations.cut(message):
                self.packager.add(segment)
                if self._build_ns:
                    self._send_on(now_ns)
        if not self._build_ns:
            self._send_on(now_ns)
        self.scheduler.prefer(None)

    def receive_interrupt(self, interrupt: Interrupt, now_ns: i64) -> None:
        """Handle what the hardware says about one CTC."""
        ctc = self._ctc_of[interrupt.rdev]
        if isinstance(interrupt, Ended):
            ctc.counters.count_io(interrupt.times)
            self._end(ctc, interrupt, now_ns)
        elif isinstance(interrupt, Attention):
            if ctc.state not in _ANSWERING:
                if self._single_ctc:
                    self.scheduler.occupy(ctc.rdev)
                self._follow(ctc, Command.SENSE_COMMAND_BYTE)
        elif isinstance(interrupt, Collided):
            ctc.counters.count_io(interrupt.times)
            self._collide(ctc, cast(Package, interrupt.load), now_ns)
        elif isinstance(interrupt, DeviceLost):
            if interrupt.times.serv_ns:
                ctc.counters.count_io(interrupt.times)
            self._lose(ctc, cast("Package | None", interrupt.load))
            if ctc.starting or ctc.state is DeviceState.RESETTING:
                self.watch.begin(ctc, now_ns + self._mih_ns)
        else:
            self._restore(ctc)
        self._work_on(now_ns)

    def handle_deadline(self, now_ns: i64) -> None:
        """Finish what the link locks were held for, and look after what is overdue.

        Raises `RemoteProtocolError` when what the partner has sent cannot be received.
        """
        work = self.rx_lock.poll_released(now_ns)
        if work is not None:
            try:
                work.finish(self, now_ns)
            finally:
                self._work_on(now_ns)
        work = self.tx_lock.poll_released(now_ns)
        if work is not None:
            work.finish(self, now_ns)
            self._work_on(now_ns)
        if self.watch.due_ns <= now_ns:
            for ctc in self.watch.poll_due(now_ns):
                self._look_after(ctc, now_ns)
            self._work_on(now_ns)
        if self._system_lock is not None and self._system_lock.due_ns(self) <= now_ns:
            self._work_on(now_ns)

    @property
    def due_ns(self) -> i64:
        """When `handle_deadline` is next to be called, in ns; `NEVER_NS` if nothing is pending."""
        due_ns = self.watch.due_ns
        if self.rx_lock.due_ns < due_ns:
            due_ns = self.rx_lock.due_ns
        if self._system_lock is not None:
            turn_ns = self._system_lock.due_ns(self)
            if turn_ns < due_ns:
                due_ns = turn_ns
        return self.tx_lock.due_ns if self.tx_lock.due_ns < due_ns else due_ns

    def cpu_ns(self) -> int:
        """Processor time the link driver has used, in ns."""
        return self._costs.cpu_ns(self.counters, self.conversations.appc.count)

    def poll_instruction(self) -> Instruction | None:
        """The next instruction for the hardware. May follow any input."""
        return self._instructions.poll()

    def poll_event(self) -> LinkEvent | None:
        """The next thing to tell the client. May follow any input."""
        return self.events.pop() if self.events else None

    def deactivate(self, rdev: Rdev) -> None:
        """Take a CTC out of the link; follow with the hardware's `DeviceLost`."""
        ctc = self._find(rdev)
        self._lose(ctc, None)
        ctc.starting = False
        ctc.transition(DEACTIVATED)

    def activate(self, rdev: Rdev) -> None:
        """Put a CTC into the link (again); it is used once the hardware says it is ready."""
        ctc = self._find(rdev)
        if ctc.state is not DeviceState.INACTIVE:
            raise LocalProtocolError(f"{rdev:04X} is active already")
        ctc.transition(ACTIVATED)

    def start_up(self, rdev: Rdev, now_ns: i64) -> None:
        """The hardware has told the mate that it is ready; the mate is to say the same.

        Either word may be lost, and neither is said again. So a CTC that hears nothing for a
        missing-interrupt interval is reset, which the mate has to answer, until it does.
        """
        ctc = self._find(rdev)
        if ctc.state is DeviceState.DOWN:
            ctc.starting = True
            self.watch.begin(ctc, now_ns + self._mih_ns)

    def stand_by(self, rdev: Rdev) -> None:
        """The hardware is not ready any more: there is nobody to hear from."""
        ctc = self._find(rdev)
        if ctc.starting:
            ctc.starting = False
            self.watch.end(ctc)

    def _find(self, rdev: Rdev) -> LinkCtc:
        if rdev not in self.ctcs:
            raise LocalProtocolError(f"{rdev:04X} is not a CTC of this link")
        return self.ctcs[rdev]

    def deliver(self, rdev: Rdev, package: Package) -> None:
        """Hand over what a package has made whole; its CTC can be read again."""
        ctc = self._ctc_of[rdev]
        ctc.buffered = False
        if ctc.outstanding.following is not None:
            self._queue(ctc)
        messages = self.conversations.receive(package)
        if messages:
            self.events.add(Delivered(messages))

    def _work_on(self, now_ns: i64) -> None:
        """Give each lock that is free to its next work.

        The CTC of a single-CTC link is what both ends wait for. Whoever finds it free writes before
        anything else; APPC/VM that always had to receive first could be kept from it for ever.
        """
        self._waits = False
        if self._single_ctc:
            self._send_on(now_ns)
        rx_lock = self.rx_lock
        if rx_lock.free:
            work = rx_lock.next
            tx_lock = self.tx_lock
            if (
                work is not None
                and (tx_lock.free or not (work.copies or tx_lock.copies))
                and (not work.copies or self._may_copy(now_ns))
            ):
                rx_lock.begin(work.hold_ns(self._costs), now_ns)
                self._note_copying(rx_lock)
        if not self._single_ctc:
            self._send_on(now_ns)
        if self._system_lock is not None and not self._waits:
            self._system_lock.leave(self)

    def _may_copy(self, now_ns: i64) -> bool:
        """Whether no other link of the system copies APPC/VM's messages; else this one waits."""
        lock = self._system_lock
        if lock is None or lock.offers(self, now_ns):
            return True
        self._waits = True
        return False

    def _note_copying(self, held: LinkLock) -> None:
        """If a link lock that is held now copies APPC/VM's messages, other links wait for it."""
        if held.copies and self._system_lock is not None:
            self._system_lock.take(self, held.due_ns)

    def _send_on(self, now_ns: i64) -> None:
        """Begin to build a package, if the scheduler gives it a CTC, and the lock is free."""
        rx_lock = self.rx_lock
        if not self.tx_lock.free or rx_lock.copies or not self.scheduler.opens(self.packager):
            return
        if self.packager.begins_with_appc and not (rx_lock.free and self._may_copy(now_ns)):
            return
        is_built = self.packager.redrives and not self._single_ctc
        rdev = self.scheduler.acquire()
        package = self.packager.pack()
        self.scheduler.note_package(package)
        self._ctc_of[rdev].transition(ACQUIRED)
        send = BuildPackage(rdev, package)
        self.tx_lock.hold(send, 1 if is_built else send.hold_ns(self._costs), now_ns)
        self._note_copying(self.tx_lock)

    def write(self, rdev: Rdev, package: Package, now_ns: i64) -> None:
        """A package is built: write it, or let another CTC have it.

        On a single-CTC link the partner's write, if it is there by now, goes first.
        """
        ctc = self._ctc_of[rdev]
        waits = self._single_ctc and ctc.outstanding.following is not None
        if ctc.state is DeviceState.BUILDING and not waits:
            self._start(ctc, package, now_ns)
        else:
            self.packager.add_again(package)

    def start_next(self, rdev: Rdev, now_ns: i64) -> None:
        """Start what follows the last interrupt of a CTC, if that still holds.

        A CTC whose attention waits counts as free until now: a write of ours that is built
        meanwhile goes to another CTC, and one that is started collides with the partner's.
        """
        ctc = self._ctc_of[rdev]
        ctc.queued = False
        if ctc.outstanding.following is None or ctc.state is DeviceState.WRITING:
            return
        command, ctc.outstanding.following = ctc.outstanding.following, None
        if command is Command.READ:
            ctc.transition(ANSWERED)
        else:
            ctc.transition(ATTENDED)
            ctc.outstanding.turn = False
            self.scheduler.occupy(rdev)
            self.watch.begin(ctc, now_ns + self._mih_ns)
        self._instructions.add(Ssch(rdev, command))

    def _follow(self, ctc: LinkCtc, command: Command) -> None:
        """Let ``command`` be started once the receive lock comes to this CTC.

        A CTC has one buffer: until what was read there is handed over, nothing follows.
        """
        ctc.outstanding.following = command
        self._queue(ctc)

    def _queue(self, ctc: LinkCtc) -> None:
        if not ctc.queued and not ctc.buffered:
            ctc.queued = True
            self.rx_lock.want_first(StartNext(ctc.rdev))

    def _start(self, ctc: LinkCtc, package: Package, now_ns: i64) -> None:
        ctc.transition(STARTED)
        self.watch.begin(ctc, now_ns + self._mih_ns)
        self._instructions.add(Ssch(ctc.rdev, Command.WRITE, package))

    def _write_again(self, ctc: LinkCtc, now_ns: i64) -> None:
        """It is the turn of the package whose write collided here."""
        package, ctc.outstanding.held = ctc.outstanding.held, None
        assert package is not None, "nothing was held after a collision"
        self._start(ctc, package, now_ns)

    def _end(self, ctc: LinkCtc, ended: Ended, now_ns: i64) -> None:
        """An I/O is over."""
        package = cast("Package | None", ended.load)
        given_up = ctc.state in UNUSABLE
        if ended.command is Command.SENSE_COMMAND_BYTE:
            if ctc.state is DeviceState.ATTENTION:  # it has not been given up meanwhile
                self._follow(ctc, Command.READ)
        elif package is None:
            if not given_up:
                self._halt(ctc, now_ns)
        elif ended.status is UnitStatus.BUSY_ATTENTION and ctc.outstanding.following is not None:
            self.packager.add_again(package)  # the partner's write was sooner, and is read
            ctc.transition(TURN_OVER)
            self._follow(ctc, Command.SENSE_COMMAND_BYTE)
        elif ended.status is not UnitStatus.ENDED:
            self.packager.add_again(package)
            if not given_up:
                self._halt(ctc, now_ns)
        elif ended.command is Command.READ:
            self._end_read(ctc, package, now_ns)
        else:
            ctc.counters.count_written(package, ended.times)
            self._end_write(ctc, package, now_ns)

    def _end_read(self, ctc: LinkCtc, package: Package, now_ns: i64) -> None:
        ctc.counters.count_read(package)
        ctc.buffered = True
        self.rx_lock.want(ReceivePackage(ctc.rdev, package))
        if ctc.state in UNUSABLE:
            return  # given up before the interrupt came
        if ctc.outstanding.held is not None:
            self._write_again(ctc, now_ns)
        else:
            self._free(ctc)

    def _end_write(self, ctc: LinkCtc, package: Package, now_ns: i64) -> None:
        sent = self.conversations.end_write(package)
        if sent:
            self.events.add(Sent(sent))
        if ctc.state in UNUSABLE:
            return
        ctc.outstanding.written = package
        ctc.due_ns = NEVER_NS
        if self._single_ctc:
            self.rx_lock.want(ReleasePackage(ctc.rdev, package))
        else:
            self.release(ctc.rdev, package, now_ns)

    def release(self, rdev: Rdev, package: Package, now_ns: i64) -> None:
        """Our write is over; its CTC is free, unless things went on there."""
        ctc = self._ctc_of[rdev]
        if ctc.outstanding.written is not package:
            return
        ctc.outstanding.written = None
        if ctc.outstanding.turn or ctc.outstanding.following is not None:
            ctc.outstanding.turn = False
            ctc.transition(TURN_OVER)
            self.watch.begin(ctc, now_ns + self._mih_ns)
            if ctc.outstanding.following is not None:
                self._follow(ctc, ctc.outstanding.following)
        else:
            self._free(ctc)

    def _free(self, ctc: LinkCtc) -> None:
        ctc.transition(FREED)
        ctc.due_ns = NEVER_NS
        self.scheduler.release(ctc.rdev)

    def _collide(self, ctc: LinkCtc, package: Package, now_ns: i64) -> None:
        """Both writes failed: the end whose name comes first writes again first."""
        ctc.counters.collision_count += 1
        if ctc.state in UNUSABLE:  # given up before the interrupt came
            self.packager.add_again(package)
            return
        outstanding = ctc.outstanding
        outstanding.following, outstanding.held = None, package
        outstanding.turn = self._lesser
        ctc.transition(COLLIDED_FIRST if outstanding.turn else COLLIDED_SECOND)
        wait_ns = self._parameters.recovery_ns if outstanding.turn else self._mih_ns
        self.watch.begin(ctc, now_ns + wait_ns)

    def _lose(self, ctc: LinkCtc, package: Package | None) -> None:
        """The device is gone: what it was to write goes to another CTC."""
        for lost in (package, ctc.outstanding.held, self._instructions.withdraw(ctc.rdev)):
            if lost is not None:
                self.packager.add_again(lost)
        was_usable = ctc.state not in UNUSABLE
        ctc.forget()
        self.scheduler.occupy(ctc.rdev)
        if ctc.state not in UNUSABLE:
            ctc.transition(LOST)
        if was_usable:
            self._usable_count -= 1
            self._arrange()
            self.events.add(DeviceChanged(ctc.rdev, usable=False))
            if not self._usable_count:
                self.events.add(LinkDown())

    def _restore(self, ctc: LinkCtc) -> None:
        """The device is ready; if it was, it has been lost meanwhile."""
        if ctc.state is DeviceState.INACTIVE:
            return
        if ctc.state not in UNUSABLE:
            self._lose(ctc, None)
        self._free(ctc)
        if ctc.starting:
            ctc.starting = False
            self.watch.end(ctc)
        self._usable_count += 1
        self._arrange()
        self.events.add(DeviceChanged(ctc.rdev, usable=True))
        if self._usable_count == 1:
            self.events.add(LinkUp())

    def _arrange(self) -> None:
        """Apply the write order, and the limits of a package, to the CTCs that are usable now."""
        usable = [c.rdev for c in self.ctcs.values() if c.state not in UNUSABLE]
        self.scheduler.arrange(usable)
        self._single_ctc = len(usable) == 1
        self.packager.limit, self.packager.appc_limit = self._parameters.limits(
            single_ctc=self._single_ctc
        )

    def _halt(self, ctc: LinkCtc, now_ns: i64) -> None:
        """An interrupt is missing, or made no sense: reset the device."""
        self._lose(ctc, None)
        ctc.transition(HALTED)
        self.watch.begin(ctc, now_ns + self._mih_ns)
        self._instructions.add(Hsch(ctc.rdev))

    def _look_after(self, ctc: LinkCtc, now_ns: i64) -> None:
        """The time of a CTC has come."""
        if ctc.state is DeviceState.RECOVERING:
            self._write_again(ctc, now_ns)
        elif ctc.state is DeviceState.DOWN:
            self._instructions.add(Hsch(ctc.rdev))
        else:
            self._halt(ctc, now_ns)
