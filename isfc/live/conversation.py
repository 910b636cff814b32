"""A conversation as programs have it: its verbs wait (asyncio)."""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Final

from isfc.link.message import Traffic
from isfc.programs.conversation import ConversationEnd
from isfc.programs.protocol import ConversationSevered, ConversationState, SeverCode

RECEIVE_LENGTH_MAX: Final = 262_144
"""Most bytes that one `Conversation.receive` of ISFC Transport returns."""

RECORD_LENGTH_MAX: Final = 16 * 2**20
"""Most bytes of an APPC/VM request or reply, which is received in one piece."""


# An enumeration's members are slow to reach, and these are needed for every message.
_REQUESTED: Final = ConversationState.REQUESTED
_TRANSPORT: Final = Traffic.TRANSPORT


class Conversation:
    """One conversation with a program on the partner.

    ``send`` and ``receive`` may wait at the same time, each in one task. As a context manager
    it is closed at the end of the block, and severed when the block raises.
    """

    def __init__(
        self,
        end: ConversationEnd,
        carry: Callable[[], None],
        carry_soon: Callable[[], None] | None = None,
        partner: str = "",
    ) -> None:
        self.end = end
        """Its state, to look at."""
        self.partner = partner
        """The system at the other end."""
        self.carry = carry
        """Let what was done with its ``end`` be done; not needed within a `watch`."""
        self.carry_soon = carry_soon or carry
        """As `carry`, but with what others have to send in the same turn of the loop."""
        self._waiting: list[asyncio.Future[None]] = []
        """Of those who wait until something happens to it. An `asyncio.Event` costs more."""
        self._look: Callable[[], None] | None = None
        self._record: list[bytes] = []
        """What has been taken of a record that is not whole yet (APPC/VM)."""
        self._record_length = 0
        self._loop = asyncio.get_running_loop()  # asked once, for each time is a system call

    @property
    def service(self) -> str:
        """The name of the service that was connected to."""
        return self.end.service

    @property
    def kind(self) -> Traffic:
        """ISFC Transport, or APPC/VM (LEGACY)."""
        return self.end.traffic

    @property
    def at_end(self) -> bool:
        """Whether the partner has finished and all it sent has been received."""
        return self.end.partner_finished and not self.end.arrived_length

    def accept(self) -> None:
        """Take up a conversation that the partner asks for; its first use does so, too."""
        if self.end.state is _REQUESTED:
            self.end.accept()
            self.carry()

    def refuse(self, text: str) -> None:
        """Do not take it up; the partner's connect raises `ConversationSevered` with ``text``."""
        self.end.sever(SeverCode.REFUSED, text)
        self.carry()

    async def send(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes, however many; wait while there is no room for them.

        Raises `ConversationSevered` when it is over, and `LocalProtocolError` after `finish`
        or, in APPC/VM, when it is the partner's turn.
        """
        end = self.end
        if end.state is _REQUESTED:
            self.accept()
        if not isinstance(data, bytes):
            data = memoryview(data).cast("B")
        was_due = end.is_due
        length = end.send(data)
        if end.is_due and not was_due:  # else somebody has seen to it
            self.carry_soon()
        if length == len(data):
            return
        view = memoryview(data)[length:]
        while view:
            await self._until(lambda: end.room_length > 0)
            view = view[end.send(view) :]
            self.carry()

    async def receive(self) -> bytes:
        """The next bytes from the partner; none (``b""``) when it has finished.

        In APPC/VM these are all that the partner sends in its turn, its request or its reply;
        if the turn is ours, it passes to the partner. Raises `ConversationSevered` when it is
        over before that.
        """
        self.accept()
        end = self.end
        if end.traffic is Traffic.LEGACY:
            return await self._receive_record()
        if not end.arrived_length:
            await self._until(lambda: end.arrived_length > 0 or end.partner_finished)
        return self._take(RECEIVE_LENGTH_MAX)

    async def request(self, data: bytes | bytearray | memoryview) -> bytes:
        """Send a request and receive its reply (APPC/VM)."""
        await self.send(data)
        return await self.receive()

    def finish(self) -> None:
        """Send no more. The partner receives what was sent, and then ``b""``; it may go on."""
        self.accept()
        self.end.finish()
        self.carry()

    def sever(self, text: str = "", code: SeverCode = SeverCode.CLOSED) -> None:
        """End it immediately, both ways; bytes that have not been sent are dropped."""
        self.end.sever(code, text)
        self.carry()

    async def close(self) -> None:
        """Finish, and wait until all that was sent is at the partner. Then nothing is received.

        Raises `ConversationSevered` if it is not, because the partner, or the link, has ended
        the conversation before.
        """
        end = self.end
        self.finish()
        await self._until(lambda: end.finish_sent or end.reason is not None)
        end.sever(SeverCode.CLOSED)
        self.carry()
        await self.wait_over()
        reason = end.reason
        assert reason is not None, "over without a reason"
        if end.undelivered_length or reason.code not in (SeverCode.ENDED, SeverCode.CLOSED):
            raise ConversationSevered(reason.code, reason.text)

    async def wait_accepted(self) -> None:
        """Wait until the partner has accepted. Raises `ConversationSevered` if it does not."""
        await self._until(lambda: self.end.accepted)

    async def wait_over(self) -> None:
        """Wait until both ends have sent SEVER, for whatever reason."""
        await self._until(lambda: self.end.over, whatever=True)

    def wake(self) -> None:
        """Something has happened to it."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            for each in waiting:
                if not each.done():
                    each.set_result(None)
        if self._look is not None:
            self._look()

    def watch(self, look: Callable[[], None] | None) -> None:
        """Call ``look`` whenever something has happened to it, None to call nobody; see `carry`."""
        self._look = look

    async def __aenter__(self) -> "Conversation":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            try:
                await self.close()
            except asyncio.CancelledError:  # nobody is left who could close it
                self.sever("cancelled")
                raise
        elif issubclass(kind, asyncio.CancelledError):
            self.sever("cancelled")
        else:
            self.sever(kind.__name__, SeverCode.FAILED)

    def __aiter__(self) -> "Conversation":
        return self

    async def __anext__(self) -> bytes:
        if self.end.arrived_length and self.end.traffic is _TRANSPORT:  # as `receive`, in one call
            return self._take(RECEIVE_LENGTH_MAX)
        data = await self.receive()
        if not data and self.at_end:
            raise StopAsyncIteration
        return data

    async def _until(self, condition: Callable[[], bool], *, whatever: bool = False) -> None:
        """Wait until a condition holds; unless ``whatever``, severing is an error."""
        while not condition():
            reason = self.end.reason
            if reason is not None and not whatever and reason.code is not SeverCode.ENDED:
                raise ConversationSevered(reason.code, reason.text)
            waiting = self._loop.create_future()
            self._waiting.append(waiting)
            try:
                await waiting
            except asyncio.CancelledError:
                if waiting in self._waiting:
                    self._waiting.remove(waiting)
                raise

    async def _receive_record(self) -> bytes:
        end = self.end
        if end.holds_conversation and not end.record_whole and not end.finished and not self.at_end:
            end.pass_turn()
            self.carry()
        parts = self._record  # it stays if this is cancelled: the next `receive` goes on with it
        while True:
            await self._until(lambda: end.arrived_length > 0 or end.record_whole or self.at_end)
            data = self._take(RECEIVE_LENGTH_MAX)
            parts.append(data)
            self._record_length += len(data)
            if self._record_length > RECORD_LENGTH_MAX:
                self.sever(f"more than {RECORD_LENGTH_MAX} bytes in one turn", SeverCode.PROTOCOL)
                raise ConversationSevered(SeverCode.PROTOCOL, "the partner sent too much at a time")
            if not end.arrived_length and (end.record_whole or self.at_end):
                end.record_whole = False
                self._record, self._record_length = [], 0
                return b"".join(parts)

    def _take(self, length_max: int) -> bytes:
        data = self.end.poll_data(length_max)
        if self.end.is_due:
            self.carry_soon()
        return data


class Connecting(Coroutine[Any, Any, Conversation]):
    """A conversation to be: ``async with`` it, or ``await`` it or let a task do so."""

    def __init__(self, connecting: Coroutine[Any, Any, Conversation]) -> None:
        self._connecting = connecting

    def send(self, value: Any) -> Any:
        """Go on, as a task lets every coroutine do."""
        return self._connecting.send(value)

    def throw(self, *raised: Any) -> Any:
        """Go on with what is raised, such as that the task is cancelled."""
        return self._connecting.throw(*raised)

    def close(self) -> None:
        """Give up."""
        self._connecting.close()

    def __await__(self) -> Generator[Any, None, Conversation]:
        return self._connecting.__await__()

    async def __aenter__(self) -> Conversation:
        self._conversation = await self._connecting
        return self._conversation

    async def __aexit__(self, *raised: Any) -> None:
        await self._conversation.__aexit__(*raised)
