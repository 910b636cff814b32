"""CP commands that act: ACTIVATE ISLINK, DEACTIVE ISLINK and VARY.

ACTIVATE ISLINK is published (z/VM 7.3, CP Commands and Utilities Reference). Unverified are
the operands and responses of DEACTIVE ISLINK and of VARY, and that CP lets a device be varied
off which is active on a link; here it goes down, as if its path were lost.
"""

from typing import Final

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev, parse_chpid
from isfc.link.name import NodeName
from isfc.link.state import DeviceState
from isfc.system.cp import messages
from isfc.system.cp.messages import CommandRefused, CpResponse, Target
from isfc.system.cp.query import active_rdevs, ends_of
from isfc.system.cp.words import BUFFERS, CHPID, NODE, CommandWords
from isfc.system.inputs import Activate, Deactivate, VaryChpid, VaryDevice


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
