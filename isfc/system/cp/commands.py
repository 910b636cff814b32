"""CP commands: QUERY and INDICATE look, ACTIVATE ISLINK, DEACTIVE ISLINK and VARY act.

Words and order of QUERY ISLINK are published (z/VM 6.2 Performance Report, "ISFC
Improvements"); that they stand in two columns of four is unverified, as is the wording of QUERY
CHPID. CP has QUERY ISFC and QUERY COLLECT, but what they show is not known: the answers are ours,
and say so. QUERY COUNTERS and INDICATE ISLINK are ours: on z/VM the same figures come from Monitor
domain 9 and Performance Toolkit.

ACTIVATE ISLINK is published (z/VM 7.3, CP Commands and Utilities Reference). Unverified are
the operands and responses of DEACTIVE ISLINK and of VARY, and that CP lets a device be varied
off which is active on a link; here it goes down, as if its path were lost.
"""

from collections.abc import Iterator
from operator import attrgetter
from typing import Final

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev, parse_chpid
from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot
from isfc.link.name import BUFFERS, CHPID, NODE, NodeName
from isfc.link.state import DeviceState
from isfc.system.cp import messages
from isfc.system.cp.messages import CommandRefused, CpResponse, Target
from isfc.system.cp.words import CommandWords, Selection
from isfc.system.link_end import ChannelSubsystem, LinkEnd
from isfc.system.system import Activate, Deactivate, VaryChpid, VaryDevice

_INDICATE: Final = "{:<15}{:>10.1f}    {:<17}{:>10.1f}"
_NS_PER_S: Final = 1_000_000_000
_MIB: Final = 2**20
_PER_LINE: Final = 8
"""Device numbers in a line of QUERY CHPID."""
_COUNTERS: Final = "{:4} {:>11} {:>9} {:>9} {:>15} {:>15} {:>10}"
_HEADINGS: Final = ("Rdev", "I/Os", "Pkg out", "Pkg in", "Bytes out", "Bytes in", "Collisions")
_COUNTED: Final = attrgetter(
    *("io_count", "write_package_count", "read_package_count"),
    *("write_length", "read_length", "collision_count"),
)
_ISLINK: Final = "{:<13}{:<26}  {}"
"""A line of QUERY ISLINK: two labels with their values. The longest status has 26 letters."""


def ends_of(target: Target, node: NodeName | None) -> list[LinkEnd]:
    """The end of the link to ``node``, or of every link of the system."""
    ends = target.system.ends
    found = [end for end in ends if node in (None, end.partner)]
    if not found:
        raise CommandRefused(
            messages.NOT_THE_PARTNER, node, " or ".join(end.partner for end in ends)
        )
    return found


def active_rdevs(
    target: Target, selection: Selection, answer: CpResponse
) -> Iterator[tuple[LinkEnd, Rdev]]:
    """The selected devices that are active, with their links; ``answer`` is told of the others."""
    ends = ends_of(target, selection.node)
    active = [
        (end, rdev)
        for end in ends
        for rdev, ctc in end.link.ctcs.items()
        if ctc.state is not DeviceState.INACTIVE
    ]
    if not selection.rdevs:
        if not active:
            raise CommandRefused(messages.NONE_ACTIVE)
        yield from active
    owners = {rdev: end for end in ends for rdev in end.link.ctcs}
    for rdev in selection.rdevs:
        if rdev not in owners:
            answer.refuse(messages.NO_SUCH_DEVICE, format_rdev(rdev))
        elif (owners[rdev], rdev) not in active:
            answer.refuse(messages.NOT_ACTIVE, format_rdev(rdev))
        else:
            yield owners[rdev], rdev


def query_islink(operands: CommandWords, target: Target, answer: CpResponse) -> None:
    """QUERY ISLINK: each CTC, with its counters and what it is doing.

    A device that is not active is no part of a link, and not shown.
    """
    channels = target.system.channels
    for partner, devices in _devices(operands, target, answer):
        answer.say(f"Node {partner}")
        for device in devices:
            answer.say(_ISLINK.format("Link device:", format_rdev(device.rdev), "Type: FCTC"))
            answer.say(_ISLINK.format("Node:", partner, f"Bytes Sent: {device.write_length}"))
            state = "Up" if is_up(device.state) else "Down"
            received = f"Bytes Received: {device.read_length}"
            answer.say(_ISLINK.format("State:", state, received))
            remote = f"Remote link device: {format_rdev(device.partner_rdev)}"
            answer.say(_ISLINK.format("Status:", _status(device, channels), remote))


def query_counters(operands: CommandWords, target: Target, answer: CpResponse) -> None:
    """QUERY COUNTERS, ours: what each CTC has carried, and its collisions."""
    for partner, devices in _devices(operands, target, answer):
        answer.say(f"Node {partner}")
        answer.say(_COUNTERS.format(*_HEADINGS))
        for device in devices:
            answer.say(_COUNTERS.format(format_rdev(device.rdev), *_COUNTED(device)))


def query_chpid(operands: CommandWords, target: Target, answer: CpResponse) -> None:
    """QUERY CHPID: the devices on a chpid that are online, and those that are not."""
    channels = target.system.channels
    chpid = operands.take_as(parse_chpid)
    operands.end()
    rdevs = channels.rdevs_on(chpid)
    if not rdevs:
        raise CommandRefused(messages.NO_SUCH_CHPID, format_chpid(chpid))
    for online, word in ((True, "online"), (False, "offline")):
        found = [format_rdev(rdev) for rdev in rdevs if channels.is_online(rdev) is online]
        for first in range(0, len(found), _PER_LINE):
            names = " ".join(found[first : first + _PER_LINE])
            answer.say(f"Path {format_chpid(chpid)} {word} to devices {names}")


def query_isfc(operands: CommandWords, target: Target, answer: CpResponse) -> None:
    """QUERY ISFC: each logical link, and how many of its CTCs are up. The content is ours."""
    operands.end()
    for end in target.system.ends:
        snapshot = end.snapshot(target.now_ns)
        up_count = sum(is_up(device.state) for device in snapshot.devices)
        answer.say(
            f"Link to {end.partner}: {snapshot.state.value}, {up_count} of "
            f"{len(snapshot.devices)} CTCs up"
        )
    answer.say(_NOT_KNOWN.format("ISFC"))


def query_collect(operands: CommandWords, target: Target, answer: CpResponse) -> None:
    """QUERY COLLECT: the nodes of the collection, as far as this one has links. Ours too."""
    operands.end()
    ends = target.system.ends
    answer.say(f"Node {target.system.name}: this one")
    for end in ends:
        answer.say(f"Node {end.partner}: {end.snapshot(target.now_ns).state.value}")
    answer.say(_NOT_KNOWN.format("COLLECT"))


_NOT_KNOWN: Final = "(What CP shows for QUERY {} is not known: these lines are of isfc.)"


def indicate_islink(operands: CommandWords, target: Target, answer: CpResponse) -> None:
    """INDICATE ISLINK, ours: the load since the last one, or since the node began."""
    operands.end()
    for end in target.system.ends:
        before, after = target.indicated.get(end), end.snapshot(target.now_ns)
        target.indicated[end] = after
        _indicate(before, after, answer)


def _indicate(before: LinkEndSnapshot | None, after: LinkEndSnapshot, answer: CpResponse) -> None:
    """The load of one link between two looks."""
    elapsed_ns = after.now_ns - (before.now_ns if before else 0)
    per_s = _NS_PER_S / elapsed_ns if elapsed_ns else 0.0

    def rate(name: str) -> float:
        count: int = getattr(after, name) - (getattr(before, name) if before else 0)
        return count * per_s

    up_count = sum(is_up(device.state) for device in after.devices)
    answer.say(
        f"Node {after.partner} {after.state.value}, {up_count} of {len(after.devices)} CTCs up; "
        f"over {elapsed_ns / _NS_PER_S:.3f} s"
    )
    for left, left_value, right, right_value in (
        ("MB Sent/s:", rate("write_length") / _MIB,
         "MB Received/s:", rate("read_length") / _MIB),
        ("Msgs Sent/s:", rate("write_message_count"),
         "Msgs Received/s:", rate("read_message_count")),
        ("Pkgs Sent/s:", rate("write_package_count"),
         "Pkgs Received/s:", rate("read_package_count")),
        ("Collisions/s:", rate("collision_count"),
         "Processor %:", rate("cpu_ns") / _NS_PER_S * 100),
    ):  # fmt: skip
        answer.say(_INDICATE.format(left, left_value, right, right_value))
    answer.say(f"{'TXPENDCT:':<15}{after.tx_pend_count:>10}")


def _devices(
    operands: CommandWords, target: Target, answer: CpResponse
) -> list[tuple[NodeName, list[DeviceSnapshot]]]:
    """Snapshots of the active devices that the operands select, by partner."""
    selected = [*active_rdevs(target, operands.take_selection(required=False), answer)]
    found = []
    for end in target.system.ends:
        rdevs = {rdev for owner, rdev in selected if owner is end}
        devices = [d for d in end.snapshot(target.now_ns).devices if d.rdev in rdevs]
        if devices:
            found.append((end.partner, devices))
    return found


def is_up(state: DeviceState) -> bool:
    """Whether a CTC can be used."""
    return state not in (DeviceState.INACTIVE, DeviceState.DOWN, DeviceState.RESETTING)


def _status(device: DeviceSnapshot, channels: ChannelSubsystem) -> str:
    """What a device is doing, as far as known in CP's words (control block CTCBK).

    The words for a device that is varied off are ours, and so are those for the turns that
    follow a collision: CP must have a status for them, but the list that is known is cut.
    """
    if device.rdev in channels.offline_rdevs:
        return "Offline"
    if not channels.is_online(device.rdev):
        return "Path offline"
    if device.state is DeviceState.DOWN:
        return "Initialization in progress"
    return str(device.state.value)


def activate_islink(operands: CommandWords, target: Target, answer: CpResponse) -> None:
    """ACTIVATE ISLINK: put devices into the logical link.

    CP accepts any NODE, and finds when a device is initialised that another node is at its
    other end. Here that is known beforehand, and refused.
    """
    system = target.system
    rdevs = operands.take_rdevs(NODE, BUFFERS)
    partner: NodeName | None = None
    while operands:
        if operands.take_keyword(NODE):
            partner = operands.take_as(NodeName)
        elif operands.take_keyword(BUFFERS):
            count = operands.take()
            if not count.isdecimal():
                raise CommandRefused(messages.INVALID_OPERAND, count)
            answer.say(messages.BUFFERS_IGNORED())
        else:
            operands.end()
    ends_of(target, partner)
    owners = {rdev: end for end in system.ends for rdev in end.link.ctcs}
    for rdev in rdevs:
        name = format_rdev(rdev)
        if rdev not in owners:
            answer.refuse(messages.NO_SUCH_DEVICE, name)
        elif partner not in (None, owners[rdev].partner):
            answer.refuse(messages.NOT_THE_PARTNER, partner, owners[rdev].partner)
        elif owners[rdev].link.ctcs[rdev].state is not DeviceState.INACTIVE:
            answer.refuse(messages.DEVICE_IN_USE, name)
        elif rdev in system.channels.offline_rdevs:
            answer.refuse(messages.DEVICE_OFFLINE, name)
        else:
            system.apply(Activate(rdev), target.now_ns)
            answer.say(f"Link {name} activated.")
            answer.announce(messages.LINK_ACTIVATED, name, messages.OPERATOR)


def deactive_islink(operands: CommandWords, target: Target, answer: CpResponse) -> None:
    """DEACTIVE ISLINK: take devices out of the logical link."""
    selection = operands.take_selection(required=True)
    for _, rdev in active_rdevs(target, selection, answer):
        target.system.apply(Deactivate(rdev), target.now_ns)
        answer.say(f"Link {format_rdev(rdev)} deactivated.")
        answer.announce(messages.LINK_DEACTIVATED, format_rdev(rdev), messages.OPERATOR)


_WORDS: Final = {True: "online", False: "offline"}


def vary(operands: CommandWords, target: Target, answer: CpResponse, *, online: bool) -> None:
    """VARY ONLINE, or OFFLINE: let devices, or those on a chpid, be used again, or no more."""
    if operands.take_keyword(CHPID):
        chpid = operands.take_as(parse_chpid)
        operands.end()
        _vary_chpid(chpid, target, answer, online=online)
        return
    rdevs = operands.take_rdevs()
    done = sum(_vary_rdev(rdev, target, answer, online=online) for rdev in rdevs)
    answer.say(
        f"{len(rdevs)} device(s) specified; {done} device(s) successfully varied {_WORDS[online]}"
    )


def _vary_chpid(chpid: ChpidId, target: Target, answer: CpResponse, *, online: bool) -> None:
    channels, name = target.system.channels, format_chpid(chpid)
    if chpid not in channels.chpids:
        raise CommandRefused(messages.NO_SUCH_CHPID, name)
    if (chpid not in channels.offline_chpids) is online:
        raise CommandRefused(
            messages.ONLINE_ALREADY if online else messages.OFFLINE_ALREADY, f"CHPID {name}"
        )
    target.system.apply(VaryChpid(chpid, online=online), target.now_ns)
    answer.say(f"CHPID {name} varied {_WORDS[online]}")


def _vary_rdev(rdev: Rdev, target: Target, answer: CpResponse, *, online: bool) -> bool:
    """Whether it could be done."""
    channels, name = target.system.channels, format_rdev(rdev)
    if rdev not in channels.chpid_of:
        answer.refuse(messages.NO_SUCH_DEVICE, name)
    elif (rdev not in channels.offline_rdevs) is not online:
        target.system.apply(VaryDevice(rdev, online=online), target.now_ns)
        answer.say(f"{name} varied {_WORDS[online]}")
        return True
    elif online:
        answer.refuse(messages.ONLINE_ALREADY, f"Device {name}")
    else:
        answer.refuse(messages.DEVICE_OFFLINE, name)
    return False
