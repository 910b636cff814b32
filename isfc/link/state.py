"""The states of a logical link and of its CTCs, as QUERY ISLINK shows them.

What changes them is in `isfc.link.write_side`, which knows more of a CTC than is shown.
"""

from enum import Enum


class DeviceState(Enum):
    """What one end's software is doing with one CTC."""

    INACTIVE = "Inactive"
    """Not part of the link: deactivated."""
    DOWN = "Down"
    """Not ready: no partner at the other end, or the device is lost."""
    RESETTING = "Reset in progress"
    """An interrupt went missing; the device was halted and is to become ready again."""
    IDLE = "Idle"
    BUILDING = "Busy"
    """A package is being built for it."""
    WRITING = "Write in progress"
    """A package of ours is being written, from SSCH to its end."""
    ATTENTION = "Handling link attention"
    """The partner writes; we sense that, and have not begun to read."""
    READING = "Read in progress"
    RECOVERING = "Handling collision"
    """A package of ours is to be written here again, when our turn comes."""
    YIELDING = "Waiting for partner"
    """After a collision: it is the partner's turn to write."""


class LinkState(Enum):
    """The logical link as a whole."""

    DOWN = "Down"
    DEGRADED = "Degraded"
    """Some CTCs of the link cannot be used."""
    UP = "Up"
