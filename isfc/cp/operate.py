"""CP commands that act: ACTIVATE ISLINK, DEACTIVE ISLINK and VARY.

ACTIVATE ISLINK is published (z/VM 7.3, CP Commands and Utilities Reference). Unverified are
the operands and responses of DEACTIVE ISLINK and of VARY, and that CP lets a device be varied
off which is active on a link; here it goes down, as if its path were lost.
"""

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from isfc.cp.messages import (
    BUFFERS_IGNORED,
    DEVICE_IN_USE,
    DEVICE_OFFLINE,
    INVALID_OPERAND,
    LINK_ACTIVATED,
    LINK_DEACTIVATED,
    NO_SUCH_CHPID,
    NO_SUCH_DEVICE,
    NOT_THE_PARTNER,
    OFFLINE_ALREADY,
    ONLINE_ALREADY,
    OPERATOR,
    Answer,
    Refused,
    System,
)
from isfc.cp.query import active_rdevs
from isfc.cp.words import BUFFERS, CHPID, NODE, Operands
from isfc.link.name import NodeName
from isfc.link.state import DeviceState


def activate_islink(operands: Operands, system: System, answer: Answer) -> None:
    """ACTIVATE ISLINK: put devices into the logical link.

    CP accepts any NODE, and finds when a device is initialised that another node is at its
    other end. Here that is known beforehand, and refused.
    """
    node = system.node
    rdevs = operands.take_rdevs(NODE, BUFFERS)
    partner: NodeName | None = None
    while operands:
        if operands.take_keyword(NODE):
            partner = operands.take_node()
        elif operands.take_keyword(BUFFERS):
            count = operands.take()
            if not count.isdecimal():
                raise Refused(INVALID_OPERAND, count)
            answer.say(BUFFERS_IGNORED())
        else:
            operands.end()
    if partner not in (None, node.partner):
        raise Refused(NOT_THE_PARTNER, partner, node.partner)
    for rdev in rdevs:
        name = format_rdev(rdev)
        if rdev not in node.link.ctcs:
            answer.refuse(NO_SUCH_DEVICE, name)
        elif node.link.ctcs[rdev].state is not DeviceState.INACTIVE:
            answer.refuse(DEVICE_IN_USE, name)
        elif rdev in node.offline_rdevs:
            answer.refuse(DEVICE_OFFLINE, name)
        else:
            node.activate(rdev, system.now_ns)
            answer.say(f"Link {name} activated.")
            answer.announce(LINK_ACTIVATED, name, OPERATOR)


def deactive_islink(operands: Operands, system: System, answer: Answer) -> None:
    """DEACTIVE ISLINK: take devices out of the logical link."""
    selection = operands.take_selection(required=True)
    for rdev in active_rdevs(system.node, selection, answer):
        system.node.deactivate(rdev, system.now_ns)
        answer.say(f"Link {format_rdev(rdev)} deactivated.")
        answer.announce(LINK_DEACTIVATED, format_rdev(rdev), OPERATOR)


def vary_on(operands: Operands, system: System, answer: Answer) -> None:
    """VARY ONLINE: let devices, or those on a chpid, be used again."""
    _vary(operands, system, answer, online=True)


def vary_off(operands: Operands, system: System, answer: Answer) -> None:
    """VARY OFFLINE: take devices, or the path of all devices on a chpid, out of use."""
    _vary(operands, system, answer, online=False)


def _vary(operands: Operands, system: System, answer: Answer, *, online: bool) -> None:
    if operands.take_keyword(CHPID):
        chpid = operands.take_chpid()
        operands.end()
        _vary_chpid(chpid, system, answer, online=online)
        return
    rdevs = operands.take_rdevs()
    done = sum(_vary_rdev(rdev, system, answer, online=online) for rdev in rdevs)
    answer.say(
        f"{len(rdevs)} device(s) specified; "
        f"{done} device(s) successfully varied {_word(online=online)}"
    )


def _vary_chpid(chpid: ChpidId, system: System, answer: Answer, *, online: bool) -> None:
    node, name = system.node, format_chpid(chpid)
    if chpid not in node.chpids.values():
        raise Refused(NO_SUCH_CHPID, name)
    if (chpid not in node.offline_chpids) is online:
        raise Refused(ONLINE_ALREADY if online else OFFLINE_ALREADY, f"CHPID {name}")
    node.vary_chpid(chpid, system.now_ns, online=online)
    answer.say(f"CHPID {name} varied {_word(online=online)}")


def _vary_rdev(rdev: Rdev, system: System, answer: Answer, *, online: bool) -> bool:
    """Whether it could be done."""
    node, name = system.node, format_rdev(rdev)
    if rdev not in node.ctcs:
        answer.refuse(NO_SUCH_DEVICE, name)
    elif (rdev not in node.offline_rdevs) is not online:
        node.vary_rdev(rdev, system.now_ns, online=online)
        answer.say(f"{name} varied {_word(online=online)}")
        return True
    elif online:
        answer.refuse(ONLINE_ALREADY, f"Device {name}")
    else:
        answer.refuse(DEVICE_OFFLINE, name)
    return False


def _word(*, online: bool) -> str:
    return "online" if online else "offline"
