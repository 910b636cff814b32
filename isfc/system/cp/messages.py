"""What CP says: numbered messages, the response to one command, and what nobody asked for.

Numbers and texts with ``HCP`` are published for ACTIVATE ISLINK (z/VM 7.3, CP Commands and
Utilities Reference), but for HCP2703I, HCP2705I and HCP2707I, which are unverified (general
knowledge: the counterparts of 2702I, 2704I and 2706I). CP puts the name of the module that speaks
between ``HCP`` and the number. Those names are not known, so that only HCPCMD001E, which is, has
one. Messages that CP must have as well, but whose numbers are not known, are numbered ``ISF``.
"""

from typing import Final, Protocol

from msgspec import Struct

from ctc.address import format_rdev
from isfc.link.counters import LinkEndSnapshot
from isfc.link.events import DeviceChanged, LinkDown, LinkUp, Severed
from isfc.system.link_end import ChannelSubsystem, LinkEnd
from isfc.system.system import Input

OPERATOR: Final = "OPERATOR"
"""The user id that commands are given under."""
ECHO_LENGTH_MAX: Final = 40
"""Characters of an operand that a message repeats."""


class CpMessage(Struct, frozen=True):
    """A numbered message. Its number is the return code of a command that ends with it."""

    number: int
    severity: str
    text: str
    origin: str = "HCP"

    def __call__(self, *operands: object) -> str:
        """The line that CP shows."""
        shown = (str(operand)[:ECHO_LENGTH_MAX] for operand in operands)
        return f"{self.origin}{self.number:03d}{self.severity} {self.text.format(*shown)}"


UNKNOWN_COMMAND: Final = CpMessage(1, "E", "Unknown CP command: {}", "HCPCMD")
INVALID_OPERAND: Final = CpMessage(2, "E", "Invalid operand - {}")
EXTRA_OPTION: Final = CpMessage(
    3, "E", "Invalid option - command contains extra option(s) starting with {}"
)
OPERAND_MISSING: Final = CpMessage(26, "E", "Operand missing or invalid")
NO_SUCH_DEVICE: Final = CpMessage(40, "E", "Device {} does not exist")
DEVICE_OFFLINE: Final = CpMessage(46, "E", "Device {} offline")
DEVICE_IN_USE: Final = CpMessage(49, "E", "Device {} in use")
LINK_UP: Final = CpMessage(2702, "I", "Link {} came up")
LINK_DOWN: Final = CpMessage(2703, "I", "Link {} went down")
NODE_ADDED: Final = CpMessage(2704, "I", "Node {} added to collection")
NODE_DELETED: Final = CpMessage(2705, "I", "Node {} deleted from collection")
LINK_ACTIVATED: Final = CpMessage(2706, "I", "Link {} activated by user {}")
LINK_DEACTIVATED: Final = CpMessage(2707, "I", "Link {} deactivated by user {}")
DUPLICATE: Final = CpMessage(2721, "E", "Link unit address {} is a duplicate")
BUFFERS_IGNORED: Final = CpMessage(2722, "I", "The BUFFERS option is ignored")

NOT_ACTIVE: Final = CpMessage(9001, "E", "Device {} is not active on a logical link", "ISF")
NONE_ACTIVE: Final = CpMessage(9002, "E", "No device is active on the logical link", "ISF")
NOT_THE_PARTNER: Final = CpMessage(9003, "E", "Node {} is not at the other end; {} is", "ISF")
NO_SUCH_CHPID: Final = CpMessage(9004, "E", "CHPID {} does not exist", "ISF")
ONLINE_ALREADY: Final = CpMessage(9005, "E", "{} is online already", "ISF")
OFFLINE_ALREADY: Final = CpMessage(9006, "E", "{} is offline already", "ISF")
CONVERSATIONS_SEVERED: Final = CpMessage(9007, "I", "Conversations severed: {}", "ISF")

MESSAGES: Final = tuple(message for message in globals().values() if type(message) is CpMessage)


class CommandRefused(Exception):
    """A command cannot be carried out at all: the message says why."""

    def __init__(self, message: CpMessage, *operands: object) -> None:
        super().__init__(message(*operands))
        self.return_code = message.number


class Operated(Protocol):
    """What an operator sees of a system: an `isfc.system.system.System`, or several in one."""

    @property
    def name(self) -> str:
        """That of the system."""

    @property
    def ends(self) -> tuple[LinkEnd, ...]:
        """Its link ends."""

    @property
    def channels(self) -> ChannelSubsystem:
        """Its chpids and devices, and what of them is online."""

    def apply(self, given: Input, now_ns: int) -> None:
        """Let one input happen."""


class Target(Struct):
    """What a command works on: a system, at a time.

    ``indicated`` holds the counters of the last INDICATE, by link end; INDICATE renews it.
    """

    system: Operated
    now_ns: int
    indicated: dict[LinkEnd, LinkEndSnapshot] = {}


class CpResponse(Struct):
    """What becomes of one command, line by line.

    ``return_code`` is 0, or the number of the first error. ``announcements`` go to the
    operator, whoever gave the command.
    """

    command: str
    return_code: int = 0
    lines: list[str] = []
    announcements: list[str] = []

    def say(self, line: str) -> None:
        """Respond with a line."""
        self.lines.append(line)

    def refuse(self, message: CpMessage, *operands: object) -> None:
        """Respond that a part of the command cannot be carried out; others may be."""
        self.lines.append(message(*operands))
        self.return_code = self.return_code or message.number

    def announce(self, message: CpMessage, *operands: object) -> None:
        """Tell the operator."""
        self.announcements.append(message(*operands))


def announcement(event: object, partner: str) -> str | None:
    """What the operator is told when something happens to the link; None for all else.

    That CP names the device in 2702I and 2703I, one message for each, is unverified: a link
    had one device when these messages were made.
    """
    if isinstance(event, DeviceChanged):
        message = LINK_UP if event.usable else LINK_DOWN
        return message(format_rdev(event.rdev))
    if isinstance(event, LinkUp):
        return NODE_ADDED(partner)
    if isinstance(event, LinkDown):
        return NODE_DELETED(partner)
    if isinstance(event, Severed):
        return CONVERSATIONS_SEVERED(event.reason)
    return None
