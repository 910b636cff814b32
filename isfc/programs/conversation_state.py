"""The states of a conversation."""

from enum import Enum


class ConversationState(Enum):
    """The state of a conversation, as one end knows it."""

    REQUESTED = "requested"
    """The partner asks for a service: `ConversationEnd.accept` or `ConversationEnd.sever`."""
    CONNECTING = "connecting"
    """We have asked; bytes may be sent and wait for the answer."""
    OPEN = "open"
    SEVERED = "severed"
    """Over. What arrived before can still be taken."""
