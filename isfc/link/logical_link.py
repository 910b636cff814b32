"""One end of a logical link: routes between packager, scheduler, link locks and devices.

The rules are in the modules it joins; here is only who hears of what, in which order.

Theory of operation
-------------------

**What a package goes through.** `LogicalLink.send` cuts messages into segments, which wait in the
backlog. Once a CTC is free to be written on (`isfc.link.schedule`), and the send lock is free, what
waits becomes a package (`begin_send`). The lock is held while it is built; then SSCH (`write`). To
the partner its channel shows an attention. The partner's receive lock comes to that CTC twice
(`start_next`): for SENSE COMMAND BYTE, by which the CTC is taken, then for READ. READ and our write
end together. Here the package is `Sent`, and once the receive lock comes to that, the CTC is free
(`release`). There the CTC is free too, and the package waits for the receive lock a third time, to
be handed over (`deliver`).

**Who waits for what.** An end has two locks (`isfc.link.lock`): the send lock, for building, and
the receive lock, for all that interrupts bring; what starts an I/O or frees a CTC goes first. They
are held side by side, but for APPC/VM: while its messages are copied no other work of the link is
begun, and no other link of the system copies (`isfc.link.lock`). A CTC has one buffer: an
attention waits until what was read there is handed over (`isfc.link.state`). If its turn comes
during a write of ours, it waits for the end of that. A single CTC, for which both ends wait, is
given to them in an order of its own (`isfc.link.link_ctc`).

**What a collision does.** Both ends have begun to write on a CTC before either knew of the other.
Both writes fail. Each end's package goes first on the next CTC that is free, and this one is left
alone for `LinkParameters.recovery_ns`, three times as long by the greater end. A single CTC the
ends take by turns: each holds its package for it, the lesser end writes again first, the greater
one once it has read that. The states of both, and why it is so, are in `isfc.link.state`.

**What does not come.** Whatever is expected on a CTC has a time (`Deadlines`). If that has passed,
the CTC is reset, and the package that was to be written there goes to another. So nothing is lost;
what comes a second time `isfc.link.segment` drops.
"""

from collections.abc import Sequence
from typing import Final, cast

from mypy_extensions import i64

from ctc.address import ByRdev, Rdev
from ctc.queues import NEVER_NS, Fifo
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
from isfc.link import state as sides
from isfc.link.conversations import Conversations
from isfc.link.counters import LinkCounters
from isfc.link.events import Delivered, DeviceChanged, LinkDown, LinkEvent, LinkUp, Sent
from isfc.link.link_ctc import CtcUse, Deadlines, InstructionQueue, LinkCtc
from isfc.link.lock import (
    BuildPackage,
    LinkEndWork,
    LinkLock,
    LockClaim,
    ReceivePackage,
    StartNext,
    SystemLock,
)
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.parameters import LinkCosts, LinkParameters, LinkRules
from isfc.link.scan import LinkDevice
from isfc.link.state import DeviceState, LinkState, ReadState, StateInput, WriteState

# Members of an enumeration would be compared as objects.
_TO_SENSE: Final = int(ReadState.SENSE)
_TO_READ: Final = int(ReadState.READ)
_SECOND_READING: Final = int(WriteState.SECOND_READING)

_SEVERAL_CTCS: Final = CtcUse(single=False)
_ONE_CTC: Final = CtcUse(single=True)


class LogicalLink(LinkEndWork):
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
        self.copying = LockClaim(system_lock or SystemLock())
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
        self.watch = Deadlines(self.ctcs.values())
        self._usable_count = 0
        self._use = _SEVERAL_CTCS
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

        They go on the CTC ``beside`` if that is free, and into one package as far as they fit: what
        is sent together all waits before a package is made. Raises `Backpressure` when the backlog
        is full.
        """
        self.conversations.reserve(messages)
        for message in messages:
            self.conversations.send(message)
        self.scheduler.prefer(beside)
        self.begin_send(now_ns)
        self.scheduler.prefer(None)

    def receive_interrupt(self, interrupt: Interrupt, now_ns: i64) -> None:
        """Handle what the hardware says about one CTC."""
        ctc = self._ctc_of[interrupt.rdev]
        if isinstance(interrupt, Ended):
            ctc.counters.count_io(interrupt.times)
            self._end(ctc, interrupt, now_ns)
        elif isinstance(interrupt, Attention):
            if ctc.attentive:
                self._use.attend(ctc, self.scheduler)
                self._read(ctc, sides.ATTENTION)
        elif isinstance(interrupt, Collided):
            ctc.counters.count_io(interrupt.times)
            self._collide(ctc, cast(Package, interrupt.load), now_ns)
        elif isinstance(interrupt, DeviceLost):
            if interrupt.times.serv_ns:
                ctc.counters.count_io(interrupt.times)
            self._lose(ctc, sides.LOST, cast("Package | None", interrupt.load))
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
        if self.copying.waits and self.copying.due_ns <= now_ns:
            self._work_on(now_ns)

    @property
    def due_ns(self) -> i64:
        """When `handle_deadline` is next to be called, in ns; `NEVER_NS` if nothing is pending."""
        due_ns = self.watch.due_ns
        if self.rx_lock.due_ns < due_ns:
            due_ns = self.rx_lock.due_ns
        if self.copying.waits:
            due_ns = min(due_ns, self.copying.due_ns)
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
        self._lose(ctc, sides.DEACTIVATED)
        ctc.starting = False

    def activate(self, rdev: Rdev) -> None:
        """Put a CTC into the link (again); it is used once the hardware says it is ready."""
        ctc = self._find(rdev)
        if ctc.state is not DeviceState.INACTIVE:
            raise LocalProtocolError(f"{rdev:04X} is active already")
        ctc.write(sides.ACTIVATED)

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
        self._read(ctc, sides.DELIVERED)
        messages = self.conversations.receive(package)
        if messages:
            self.events.add(Delivered(messages))

    def _work_on(self, now_ns: i64) -> None:
        """Give each lock that is free to its next work."""
        self.copying.begin()
        self._use.give_locks(self, now_ns)
        self.copying.end()

    def begin_receive(self, now_ns: i64) -> None:
        """Give the receive lock, if it is free, to its next work."""
        rx_lock, tx_lock = self.rx_lock, self.tx_lock
        work = rx_lock.next if rx_lock.free else None
        if work is None or not (tx_lock.free or not (work.copies or tx_lock.copies)):
            return
        if not work.copies or self.copying.may_copy(now_ns):
            rx_lock.begin(work.hold_ns(self._costs), now_ns)
            self.copying.take(rx_lock)

    def begin_send(self, now_ns: i64) -> None:
        """Begin to build a package, if the scheduler gives it a CTC, and the send lock is free."""
        rx_lock = self.rx_lock
        if not self.tx_lock.free or rx_lock.copies or not self.scheduler.opens(self.packager):
            return
        if self.packager.begins_with_appc and not (rx_lock.free and self.copying.may_copy(now_ns)):
            return
        redriven = self.packager.redrives
        rdev = self.scheduler.acquire()
        package = self.packager.pack(self.scheduler.free_count)
        self.scheduler.note_package(package)
        self._ctc_of[rdev].write(sides.ACQUIRED)
        build = BuildPackage(rdev, package)
        self.tx_lock.hold(build, self._use.build_ns(build, redriven, self._costs), now_ns)
        self.copying.take(self.tx_lock)

    def write(self, rdev: Rdev, package: Package, now_ns: i64) -> None:
        """A package is built: write it, unless its CTC is the partner's by now."""
        ctc = self._ctc_of[rdev]
        if ctc.state is DeviceState.BUILDING and not self._use.gives_way(ctc):
            self._start(ctc, package, now_ns)
        else:
            self.packager.add_again(package)

    def start_next(self, rdev: Rdev, now_ns: i64) -> None:
        """Start what follows the last interrupt of a CTC, if that still holds.

        A CTC whose attention waits counts as free until now: a write of ours that is built
        meanwhile goes to another CTC, and one that is started collides with the partner's.
        """
        ctc = self._ctc_of[rdev]
        if ctc.state is DeviceState.WRITING:
            self._read(ctc, sides.GRANTED_IN_WRITE)
            return
        before = ctc.read_side
        self._read(ctc, sides.GRANTED)
        if before == _TO_READ:
            ctc.write(sides.ANSWERED)
            self._instructions.add(Ssch(rdev, Command.READ))
        elif before == _TO_SENSE:
            ctc.write(sides.ATTENDED)
            self.scheduler.occupy(rdev)
            self.watch.begin(ctc, now_ns + self._mih_ns)
            self._instructions.add(Ssch(rdev, Command.SENSE_COMMAND_BYTE))

    def _read(self, ctc: LinkCtc, given: StateInput) -> None:
        """The read side of a CTC goes on, if need be when the receive lock comes to it."""
        if ctc.read(given):
            self.rx_lock.want_first(StartNext(ctc.rdev))

    def _start(self, ctc: LinkCtc, package: Package, now_ns: i64) -> None:
        ctc.write(sides.STARTED)
        self.watch.begin(ctc, now_ns + self._mih_ns)
        prompt = not self._use.single
        self._instructions.add(Ssch(ctc.rdev, Command.WRITE, package, prompt))

    def _write_again(self, ctc: LinkCtc, now_ns: i64) -> None:
        """It is the turn of the package whose write collided here."""
        package, ctc.package = ctc.package, None
        assert package is not None, "nothing was held after a collision"
        self._start(ctc, package, now_ns)

    def _end(self, ctc: LinkCtc, ended: Ended, now_ns: i64) -> None:
        """An I/O is over."""
        package = cast("Package | None", ended.load)
        if ended.command is Command.SENSE_COMMAND_BYTE:
            if ctc.state is DeviceState.ATTENTION:  # it has not been given up meanwhile
                self._read(ctc, sides.SENSED)
        elif package is None:
            if ctc.usable:
                self._halt(ctc, now_ns)
        elif ended.status is UnitStatus.BUSY_ATTENTION and ctc.attended:
            self.packager.add_again(package)  # the partner's write was sooner, and is read
            ctc.write(sides.YIELDED)
            self._read(ctc, sides.ATTENTION)
        elif ended.status is not UnitStatus.ENDED:
            self.packager.add_again(package)
            if ctc.usable:
                self._halt(ctc, now_ns)
        elif ended.command is Command.READ:
            self._end_read(ctc, package, now_ns)
        else:
            ctc.counters.count_written(package, ended.times)
            self._end_write(ctc, package)

    def _end_read(self, ctc: LinkCtc, package: Package, now_ns: i64) -> None:
        ctc.counters.count_read(package)
        self._read(ctc, sides.READ)
        self.rx_lock.want(ReceivePackage(ctc.rdev, package))
        if ctc.write_side == _SECOND_READING:
            self._write_again(ctc, now_ns)
        elif ctc.usable:  # it has not been given up before the interrupt came
            self._free(ctc)

    def _end_write(self, ctc: LinkCtc, package: Package) -> None:
        sent = self.conversations.end_write(package)
        if sent:
            self.events.add(Sent(sent))
        if ctc.usable:
            ctc.write(sides.WRITTEN)
            ctc.package = package
            ctc.due_ns = NEVER_NS
            self._use.release(ctc, package, self.rx_lock)

    def release(self, rdev: Rdev, package: Package, now_ns: i64) -> None:
        """Our write is over; its CTC is free, unless things went on there."""
        ctc = self._ctc_of[rdev]
        if ctc.package is not package:
            return
        ctc.package = None
        is_first = self._use.single and ctc.write_side == WriteState.FIRST_WRITTEN
        if ctc.attended or is_first:
            ctc.write(sides.YIELDED)
            self.watch.begin(ctc, now_ns + self._mih_ns)
            if ctc.attended:
                self._read(ctc, sides.ATTENTION)
        else:
            self._free(ctc)

    def _free(self, ctc: LinkCtc) -> None:
        ctc.write(sides.FREED)
        ctc.due_ns = NEVER_NS
        self.scheduler.release(ctc.rdev)

    def _collide(self, ctc: LinkCtc, package: Package, now_ns: i64) -> None:
        """Both writes failed: what is to be done is in `isfc.link.state`."""
        ctc.counters.collision_count += 1
        if not ctc.usable:  # given up before the interrupt came
            self.packager.add_again(package)
            return
        self._read(ctc, sides.GIVEN_UP)
        wait_ns: i64 = self._parameters.recovery_ns
        if not self._use.single:
            ctc.write(sides.COLLIDED)
            self.packager.add_first(package)
            if not self._lesser:
                wait_ns *= self._parameters.greater_recovery
        elif self._lesser:
            ctc.write(sides.COLLIDED_FIRST)
            ctc.package = package
        else:
            ctc.write(sides.COLLIDED_SECOND)
            ctc.package = package
            wait_ns = self._mih_ns
        self.watch.begin(ctc, now_ns + wait_ns)

    def _lose(self, ctc: LinkCtc, given: StateInput, cut_short: Package | None = None) -> None:
        """A CTC is given up: what it was to write goes to another."""
        held = None if ctc.state is DeviceState.WRITING else ctc.package
        for package in (cut_short, held, self._instructions.withdraw(ctc.rdev)):
            if package is not None:
                self.packager.add_again(package)
        was_usable = ctc.usable
        ctc.lose(given)
        self.scheduler.occupy(ctc.rdev)
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
        if ctc.usable:
            self._lose(ctc, sides.LOST)
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
        usable = [ctc.rdev for ctc in self.ctcs.values() if ctc.usable]
        self.scheduler.arrange(usable)
        was_single = self._use.single
        self._use = _ONE_CTC if len(usable) == 1 else _SEVERAL_CTCS
        if was_single and not self._use.single:
            for ctc in self.ctcs.values():
                self._end_turns(ctc)
        self.packager.limit, self.packager.appc_limit = self._parameters.limits(
            single_ctc=self._use.single
        )

    def _end_turns(self, ctc: LinkCtc) -> None:
        """There are other CTCs again: wait for no turn on this one."""
        if ctc.state is DeviceState.RECOVERING or ctc.state is DeviceState.YIELDING:
            package, ctc.package = ctc.package, None
            if package is not None:
                self.packager.add_first(package)
            self._free(ctc)

    def _halt(self, ctc: LinkCtc, now_ns: i64) -> None:
        """An interrupt is missing, or made no sense: reset the device."""
        self._lose(ctc, sides.HALTED)
        self.watch.begin(ctc, now_ns + self._mih_ns)
        self._instructions.add(Hsch(ctc.rdev))

    def _look_after(self, ctc: LinkCtc, now_ns: i64) -> None:
        """The time of a CTC has come."""
        if ctc.write_side == WriteState.COLLIDED:
            self._free(ctc)
        elif ctc.state is DeviceState.RECOVERING:
            self._write_again(ctc, now_ns)
        elif ctc.state is DeviceState.DOWN:
            self._instructions.add(Hsch(ctc.rdev))
        else:
            self._halt(ctc, now_ns)
