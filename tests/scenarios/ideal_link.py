"""A link that carries so many bytes a second and nothing else: what relocations come to there."""

from collections import deque

from isfc.link.message import Message
from scenarios.guest_memory import GuestMemory
from scenarios.relocated_guest import Guest, GuestPlan, Moved
from scenarios.vmrelocate import Limits

DEFAULTS = Limits()


def move_ideally(
    memory: GuestMemory, bytes_per_s: float, limits: Limits = DEFAULTS, window: int = 10
) -> Moved:
    """Move a guest over it."""
    guest = Guest(GuestPlan("GUEST", memory, limits), window)
    waiting: deque[Message] = deque(guest.begin(0))
    now = 0.0
    while not guest.end:
        message = waiting.popleft()
        assert len(waiting) < window
        now += int(message.length) / bytes_per_s * 1e9
        late_ns = guest.deadline_ns
        if now >= late_ns:
            guest.expire(late_ns)
        elif message.conversation == window:
            waiting += guest.counted(round(now))
        else:
            waiting += guest.sent(message, round(now))
    return guest.moved
