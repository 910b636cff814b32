"""The APPC/VM layer of one end: it handles one message at a time, whichever way it goes."""

from collections import deque
from typing import Final, final

from isfc.message import Message
from isfc.parameters import LinkParameters

INBOUND_LENGTH_MAX: Final = 64 * 2**20
"""Bytes of arrived messages, with what each of them costs, from which on the layer is full."""

MESSAGE_COST_LENGTH: Final = 256
"""Bytes that a message costs in memory besides its data."""


@final
class AppcStep:
    """One message on its way through the layer: to the link, or from it to its guest."""

    __slots__ = ("message", "outbound")

    def __init__(self, message: Message, outbound: bool) -> None:
        self.message = message
        self.outbound = outbound


class AppcLayer:
    """A queue with one server. ISFC Transport does not pass through it; APPC/VM does.

    While it is ``full``, no more should be read from a partner who sends more than it can handle.
    """

    def __init__(self, parameters: LinkParameters) -> None:
        self.busy_ns = 0
        """Total time the layer worked."""
        self.outbound_length = 0
        """Bytes that are on their way to the link: they will join its backlog."""
        self.full = False
        """Whether as much has arrived as may wait."""
        self._inbound_length = 0
        self._parameters = parameters
        self._waiting: deque[AppcStep] = deque()
        self._done_ns: int | None = None

    def want(self, message: Message, *, outbound: bool, now_ns: int) -> None:
        """Queue a message that leaves (``outbound``) or that has arrived."""
        self._waiting.append(AppcStep(message, outbound))
        if outbound:
            self.outbound_length += message.length
        else:
            self._count_inbound(message.length + MESSAGE_COST_LENGTH)
        if self._done_ns is None:
            self._begin(now_ns)

    def next_deadline(self) -> int | None:
        """When the message in work is done, in ns; None when the layer is idle."""
        return self._done_ns

    def poll_done(self, now_ns: int) -> AppcStep | None:
        """The message that is done by ``now_ns``; the next one begins."""
        if self._done_ns is None or self._done_ns > now_ns:
            return None
        step = self._waiting.popleft()
        if step.outbound:
            self.outbound_length -= step.message.length
        else:
            self._count_inbound(-step.message.length - MESSAGE_COST_LENGTH)
        self._done_ns = None
        if self._waiting:
            self._begin(now_ns)
        return step

    def _count_inbound(self, length: int) -> None:
        self._inbound_length += length
        self.full = self._inbound_length > INBOUND_LENGTH_MAX

    def _begin(self, now_ns: int) -> None:
        parameters = self._parameters
        length = self._waiting[0].message.length
        service_ns = parameters.appc_message_ns + int(parameters.appc_ns_per_byte * length)
        self.busy_ns += service_ns
        self._done_ns = now_ns + service_ns
