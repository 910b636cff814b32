"""How much the conversations of a node may take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConversationLimits:
    """What a node's conversations may take: bytes, and how many of them.

    ``window_length`` is the most that arrives before it is taken, ``send_length`` the most that
    waits to be sent. Each end may open ``conversations_max``.
    """

    window_length: int = 524_288
    send_length: int = 262_144
    conversations_max: int = 256
