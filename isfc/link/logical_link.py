"""One end of a logical link: routes between packager, scheduler, link lock and devices.

The rules are in the modules it joins (`isfc.link.package`, `isfc.link.schedule`, `isfc.link.lock`,
`isfc.link.sequence`); here is only who hears of what, in which order.
"""

from collections.abc import Sequence
from typing import Final, cast

from mypy_extensions import i64

from ctc.address import Rdev
from ctc.agenda import NEVER_NS
from ctc.by_rdev import ByRdev
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
from isfc.link.appc import AppcFlow
from isfc.link.costs import LinkCosts
from isfc.link.counters import LinkCounters
from isfc.link.events import Delivered, DeviceChanged, LinkDown, LinkEvent, LinkUp, Sent
from isfc.link.instructions import InstructionQueue
from isfc.link.link_ctc import UNUSABLE, LinkCtc
from isfc.link.lock import Answer, LinkLock, Receive, Release, Send, Worker
from isfc.link.message import Message, Traffic
from isfc.link.package import Package, Packager
from isfc.link.parameters import LinkParameters
from isfc.link.schedule import LinkDevice, WriteScheduler, scan_order
from isfc.link.segment import SEGMENT_LENGTH_MAX, Reassembler, Segmenter
from isfc.link.sequence import Resequencer
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

# An enumeration's members are slow to reach, and this one is needed for every message.
_TRANSPORT: Final = Traffic.TRANSPORT


# Recovery from a collision.
#
# Both ends may have started a write on one CTC before either knew of the other's: the commands
# pass each other in the fibre, and each end finds its own outstanding when the other's arrives.
# By IBM's report neither write succeeds (`ctc.device.Arbitration` has the other readings). Both
# ends are told, at about the same time, and neither can ask the other what to do next: a rule
# that both know has to break the tie, or they would write at the same time again, for ever. The
# rule is the order of the names, which both know and which never changes:
#
#   the lesser end: RECOVERING, waits `recovery_ns`, writes again; the partner reads that; then
#                   YIELDING, waits for the partner's write, reads it, and is free
#   the greater:    YIELDING, waits for that write, reads it; then writes its own, which is `held`
#
# So both packages arrive, one after the other, on the CTC where they collided, and neither end
# takes the CTC for something else in between. That is why the package is held, and not put back
# into the backlog. Whoever waits for the partner's turn waits for an attention that may never
# come (the partner may have lost the CTC meanwhile): the missing-interrupt interval ends that
# with a reset, as for every other I/O, and what is held then goes to another CTC.


class LogicalLink(Worker):
    """One end of a logical link.

    Inputs (`send`, `receive_interrupt`, `handle_deadline`, `activate`, `deactivate`) return
    nothing and may change what `poll_instruction`, `poll_event` and `due_ns` answer.
    """

    def __init__(
        self, devices: Sequence[LinkDevice], *, lesser: bool, parameters: LinkParameters
    ) -> None:
        self.appc = AppcFlow()
        self.lock = LinkLock()
        self.packager = Packager(parameters.package_limit, parameters.share_length)
        self.scheduler = WriteScheduler(scan_order(devices, lesser=lesser), parameters.opening_rule)
        self._segmenter = Segmenter()
        self._resequencer = Resequencer()
        self._reassembler = Reassembler()
        self.ctcs = {device.rdev: LinkCtc(device) for device in devices}
        self._ctc_of = ByRdev(self.ctcs)
        self._lesser = lesser
        self._parameters = parameters
        self._costs = LinkCosts(parameters)
        self._mih_ns = parameters.mih_ns
        self._watched_ns: i64 = NEVER_NS
        """A time not later than the earliest `LinkCtc.due_ns`."""
        self._usable_count = 0
        self._alone = False
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
        return self.packager.room - self.appc.waiting_length

    def send(self, messages: list[Message], now_ns: i64) -> None:
        """Let messages wait for a CTC, or start immediately if nothing keeps them.

        Raises `Backpressure` when the backlog is full.
        """
        length = self.appc.waiting_length
        for message in messages:
            length += message.length
        self.packager.reserve(length)
        for message in messages:
            if message.traffic is _TRANSPORT:
                self._enqueue(message, now_ns)
                continue
            segment = self.appc.send(message)
            if segment is not None:
                self._enqueue(segment, now_ns)

    def receive_interrupt(self, interrupt: Interrupt, now_ns: i64) -> None:
        """Handle what the hardware says about one CTC."""
        ctc = self._ctc_of[interrupt.rdev]
        if isinstance(interrupt, Ended):
            ctc.counters.count_io(interrupt.times)
            self._end(ctc, interrupt, now_ns)
        elif isinstance(interrupt, Attention):
            self._attend(ctc, now_ns)
        elif isinstance(interrupt, Collided):
            ctc.counters.count_io(interrupt.times)
            self._collide(ctc, cast(Package, interrupt.load), now_ns)
        elif isinstance(interrupt, DeviceLost):
            if interrupt.times.serv_ns:
                ctc.counters.count_io(interrupt.times)
            self._lose(ctc, cast("Package | None", interrupt.load))
            if ctc.starting or ctc.state is DeviceState.RESETTING:
                self._watch(ctc, now_ns + self._mih_ns)
        else:
            self._restore(ctc)
        self._work_on(now_ns)

    def handle_deadline(self, now_ns: i64) -> None:
        """Finish what the link lock was held for, and look after what is overdue.

        Raises `RemoteProtocolError` when what the partner has sent cannot be received.
        """
        work = self.lock.poll_released(now_ns)
        if work is not None:
            try:
                work.finish(self, now_ns)
            finally:
                self._work_on(now_ns)
        if self._watched_ns <= now_ns:
            self._look_after(now_ns)
            self._work_on(now_ns)

    @property
    def due_ns(self) -> i64:
        """When `handle_deadline` is next to be called, in ns; `NEVER_NS` if nothing is pending."""
        lock_ns = self.lock.due_ns
        return lock_ns if lock_ns < self._watched_ns else self._watched_ns

    def cpu_ns(self) -> int:
        """Processor time the link driver has used, in ns."""
        return self._costs.cpu_ns(self.counters, self.appc.count, self.appc.package_count)

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
        ctc.undergo(DEACTIVATED)

    def activate(self, rdev: Rdev) -> None:
        """Put a CTC into the link (again); it is used once the hardware says it is ready."""
        ctc = self._find(rdev)
        if ctc.state is not DeviceState.INACTIVE:
            raise LocalProtocolError(f"{rdev:04X} is active already")
        ctc.undergo(ACTIVATED)

    def start_up(self, rdev: Rdev, now_ns: i64) -> None:
        """The hardware has told the mate that it is ready; the mate is to say the same.

        Either word may be lost, and neither is said again. So a CTC that hears nothing for a
        missing-interrupt interval is reset, which the mate has to answer, until it does.
        """
        ctc = self._find(rdev)
        if ctc.state is DeviceState.DOWN:
            ctc.starting = True
            self._watch(ctc, now_ns + self._mih_ns)

    def stand_by(self, rdev: Rdev) -> None:
        """The hardware is not ready any more: there is nobody to hear from."""
        ctc = self._find(rdev)
        if ctc.starting:
            ctc.starting = False
            ctc.due_ns = NEVER_NS
            self._watched_ns = self._earliest_ns()

    def _find(self, rdev: Rdev) -> LinkCtc:
        if rdev not in self.ctcs:
            raise LocalProtocolError(f"{rdev:04X} is not a CTC of this link")
        return self.ctcs[rdev]

    def _enqueue(self, message: Message, now_ns: i64) -> None:
        """Let a message wait, and give it the lock if nobody has it."""
        if message.length <= SEGMENT_LENGTH_MAX:
            self._wait(message)
            self._work_on(now_ns)
            return
        for segment in self._segmenter.cut(message):
            self.packager.add(segment)
            self._work_on(now_ns)

    def _wait(self, message: Message) -> None:
        self._segmenter.number(message)
        self.packager.add(message)

    def deliver(self, package: Package) -> None:
        """Hand over what a package has made whole."""
        segments = self._resequencer.accept(package)
        if package.appc_count:
            self._answer([s for s in segments if s.traffic is not _TRANSPORT])
            segments = [s for s in segments if not s.acknowledges]
        messages = self._reassembler.join(segments)
        if messages:
            self.events.add(Delivered(messages))

    def _answer(self, segments: list[Message]) -> None:
        """Acknowledge what has arrived of APPC/VM messages, and send what has been asked for.

        The lock's holder has yet to give it back: all of this waits together.
        """
        for segment in segments:
            if segment.acknowledges:
                for following in self.appc.acknowledge(segment.conversation):
                    self._wait(following)
            elif segment.more:
                self._wait(self.appc.receive(segment.conversation))

    def _work_on(self, now_ns: i64) -> None:
        """Give the link lock to the next work if nobody has it."""
        if self.lock.free:
            self._work(now_ns)

    def _work(self, now_ns: i64) -> None:
        """Give the free link lock to the next work: what interrupts brought, then a send.

        The CTC of a single-CTC link is what both ends wait for. Whoever finds it free writes before
        anything else; one that always had to receive first could be kept from writing for ever.
        """
        lock = self.lock
        opens = self._alone and self.scheduler.opens(self.packager)
        arrived = None if opens else lock.poll_arrived()
        if arrived is not None:
            lock.hold(arrived, arrived.hold_ns(self._costs), now_ns)
            return
        if opens or self.scheduler.opens(self.packager):
            rdev = self.scheduler.acquire()
            package = self.packager.pack(self.scheduler.free_count)
            self._ctc_of[rdev].undergo(ACQUIRED)
            send = Send(rdev, package)
            lock.hold(send, send.hold_ns(self._costs), now_ns)

    def write(self, rdev: Rdev, package: Package, now_ns: i64) -> None:
        """A package is built: write it, or let another CTC have it."""
        ctc = self._ctc_of[rdev]
        if ctc.state is DeviceState.BUILDING:
            self._start(ctc, package, now_ns)
        else:
            self.packager.add_again(package)

    def answer(self, rdev: Rdev) -> None:
        """Answer the partner's attention, if it is still there."""
        ctc = self._ctc_of[rdev]
        ctc.answering = False
        if ctc.state is DeviceState.ATTENTION:
            ctc.undergo(ANSWERED)
            self._instructions.add(Ssch(rdev, Command.SENSE_COMMAND_BYTE))

    def _attend(self, ctc: LinkCtc, now_ns: i64) -> None:
        """The partner's write waits: answer, once what was received before is handed over."""
        if ctc.state in UNUSABLE or ctc.state is DeviceState.READING:
            return  # there is nothing to answer, or it is being answered
        if ctc.state is DeviceState.WRITING:  # our write has not been begun: theirs was sooner
            ctc.held = self._instructions.withdraw(ctc.rdev)
        ctc.undergo(ATTENDED)
        ctc.turn = False
        ctc.written = None
        self._watch(ctc, now_ns + self._mih_ns)
        self.scheduler.occupy(ctc.rdev)
        if not ctc.answering:
            ctc.answering = True
            self.lock.want(Answer(ctc.rdev))

    def _start(self, ctc: LinkCtc, package: Package, now_ns: i64) -> None:
        ctc.undergo(STARTED)
        self._watch(ctc, now_ns + self._mih_ns)
        self._instructions.add(Ssch(ctc.rdev, Command.WRITE, package))

    def _write_again(self, ctc: LinkCtc, now_ns: i64) -> None:
        """It is the turn of the package whose write collided here."""
        package, ctc.held = ctc.held, None
        assert package is not None, "nothing was held after a collision"
        self._start(ctc, package, now_ns)

    def _end(self, ctc: LinkCtc, ended: Ended, now_ns: i64) -> None:
        """An I/O is over."""
        if ended.command is Command.SENSE_COMMAND_BYTE:
            self._instructions.add(Ssch(ctc.rdev, Command.READ))
            return
        package = cast("Package | None", ended.load)
        if ended.status is not UnitStatus.ENDED or package is None:
            if package is not None:
                self.packager.add_again(package)
            self._halt(ctc, now_ns)
        elif ended.command is Command.READ:
            ctc.counters.count_read(package)
            self.appc.count_package(package)
            self.lock.want(Receive(package))
            if ctc.state in UNUSABLE:
                return  # given up before the interrupt came
            if ctc.held is not None:
                self._write_again(ctc, now_ns)
            else:
                self._free(ctc)
        else:
            ctc.counters.count_written(package, ended.times)
            self.appc.count_package(package)
            sent = package.messages
            if package.appc_count:
                sent = [message for message in sent if not message.acknowledges]
                self.appc.owed_count -= len(package.messages) - len(sent)
            if sent:
                self.events.add(Sent(sent))
            if ctc.state not in UNUSABLE:
                ctc.written = package
                ctc.due_ns = NEVER_NS
                if self._alone:
                    self.lock.want(Release(ctc.rdev, package))
                else:
                    self.release(ctc.rdev, package, now_ns)

    def release(self, rdev: Rdev, package: Package, now_ns: i64) -> None:
        """Our write is over; its CTC is free, unless things went on there."""
        ctc = self._ctc_of[rdev]
        if ctc.written is not package:
            return
        ctc.written = None
        if ctc.turn:
            ctc.turn = False
            ctc.undergo(TURN_OVER)
            self._watch(ctc, now_ns + self._mih_ns)
        else:
            self._free(ctc)

    def _free(self, ctc: LinkCtc) -> None:
        ctc.undergo(FREED)
        ctc.due_ns = NEVER_NS
        self.scheduler.release(ctc.rdev)

    def _collide(self, ctc: LinkCtc, package: Package, now_ns: i64) -> None:
        """Both writes failed; see above. The end whose name comes first writes again first."""
        ctc.counters.collision_count += 1
        ctc.held = package
        ctc.turn = self._lesser
        ctc.undergo(COLLIDED_FIRST if ctc.turn else COLLIDED_SECOND)
        self._watch(ctc, now_ns + (self._parameters.recovery_ns if ctc.turn else self._mih_ns))

    def _lose(self, ctc: LinkCtc, package: Package | None) -> None:
        """The device is gone: what it was to write goes to another CTC."""
        for lost in (package, ctc.held, self._instructions.withdraw(ctc.rdev)):
            if lost is not None:
                self.packager.add_again(lost)
        was_usable = ctc.state not in UNUSABLE
        ctc.forget()
        self.scheduler.occupy(ctc.rdev)
        if ctc.state not in UNUSABLE:
            ctc.undergo(LOST)
        if was_usable:
            self._usable_count -= 1
            self._arrange()
            self.events.add(DeviceChanged(ctc.rdev, usable=False))
            if not self._usable_count:
                self.events.add(LinkDown())

    def _restore(self, ctc: LinkCtc) -> None:
        """The device is ready."""
        if ctc.state is DeviceState.INACTIVE:
            return
        was_usable = ctc.state not in UNUSABLE
        self._free(ctc)
        if ctc.starting:
            ctc.starting = False
            self._watched_ns = self._earliest_ns()
        if not was_usable:
            self._usable_count += 1
            self._arrange()
            self.events.add(DeviceChanged(ctc.rdev, usable=True))
            if self._usable_count == 1:
                self.events.add(LinkUp())

    def _arrange(self) -> None:
        """Apply the write order, and the limits of a package, to the CTCs that are usable now."""
        usable = [c.rdev for c in self.ctcs.values() if c.state not in UNUSABLE]
        self.scheduler.arrange(usable)
        self._alone = len(usable) == 1
        self.packager.limit, self.packager.appc_limit = self._parameters.limits(alone=self._alone)

    def _halt(self, ctc: LinkCtc, now_ns: i64) -> None:
        """An interrupt is missing, or made no sense: reset the device."""
        self._lose(ctc, None)
        ctc.undergo(HALTED)
        self._watch(ctc, now_ns + self._mih_ns)
        self._instructions.add(Hsch(ctc.rdev))

    def _watch(self, ctc: LinkCtc, due_ns: i64) -> None:
        ctc.due_ns = due_ns
        if due_ns < self._watched_ns:
            self._watched_ns = due_ns

    def _look_after(self, now_ns: i64) -> None:
        """Act on every CTC whose time has come, and find the next one."""
        for ctc in self.ctcs.values():
            if ctc.due_ns <= now_ns:
                ctc.due_ns = NEVER_NS
                if ctc.state is DeviceState.RECOVERING:
                    self._write_again(ctc, now_ns)
                elif ctc.state is DeviceState.DOWN:
                    self._instructions.add(Hsch(ctc.rdev))
                else:
                    self._halt(ctc, now_ns)
        self._watched_ns = self._earliest_ns()

    def _earliest_ns(self) -> int:
        return min(ctc.due_ns for ctc in self.ctcs.values())
