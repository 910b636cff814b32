"""One conversation over a logical link: bytes both ways, until either end ends it.

A program connects to a named service on the partner, which accepts or refuses. Each end sends
only what the other has granted it room for, so that every buffer is bounded.
`ConversationEnd.finish` ends one direction and leaves the other; `ConversationEnd.sever` ends both
immediately, with a reason.

A conversation is of one kind for good. ISFC Transport carries bytes both ways at any time.
APPC/VM takes turns, beginning with the end that connected: it sends and passes the turn, then the
other one does, so that a request has its reply.

The last message of each end is a SEVER, also when both have finished: once both have sent it,
nothing of the conversation can be under way any more. `isfc.programs.protocol` has the messages.

A conversation is registered once and struck out once, by itself: the moment it is over. A number
is free from then on, for a conversation of the same kind: the link delivers each number's
messages in order, but those of the two kinds may overtake each other.
"""

from typing import Final, final

from isfc.errors import LocalProtocolError, RemoteProtocolError
from isfc.link.message import Message, Traffic
from isfc.programs import protocol as verbs
from isfc.programs.byte_queue import ByteQueue
from isfc.programs.protocol import (
    GATHERED_LENGTH,
    ROOM_LENGTH_MAX,
    ConversationSevered,
    ConversationState,
    ConversationStep,
    SeverCode,
    Verb,
    after_step,
    after_verb,
)
from isfc.programs.register import LITTLE_LENGTH, TOLD_LENGTH, TURN_LENGTH, Register

UNDER_WAY_MAX: Final = 2
"""Small pieces of a conversation that are under way before others wait for each other: a partner
may confirm the first late, but then confirms both when the second has come."""

_TRANSPORT: Final = Traffic.TRANSPORT
_DATA: Final = int(Verb.DATA)
_SAID: Final = {verb: bytes((verb,)) for verb in Verb}


@final
class ConversationEnd:
    """One end of a conversation. Its verbs (`send`, `finish` and so on) do not wait.

    It enters itself in the register of its node, and strikes itself out when it is over. There it
    is ``due`` when `poll_message` may have something to send, and ``changed`` when its program
    should look at it again.
    """

    def __init__(
        self,
        number: int,
        service: str,
        traffic: Traffic,
        state: ConversationState,
        register: "Register[ConversationEnd]",
    ) -> None:
        self.number = number
        self.service = service
        self.traffic = traffic
        self.state = state
        self.reason: ConversationSevered | None = None
        """Why it is over, once it is."""
        self.accepted = False
        """Whether the end that was asked took it up."""
        self.finished = False
        """Whether we will send no more."""
        self.partner_finished = False
        """Whether nothing more will arrive."""
        asking = state is ConversationState.ASKING
        self.holds_conversation = traffic is Traffic.TRANSPORT or asking
        """Whether we may send. In APPC/VM only one end may."""
        self.record_whole = False
        """Whether all that the partner sent in its turn is there and not taken (APPC/VM)."""
        self._register = register
        self.undelivered_length = 0
        """Bytes of ours that the partner had not received at the end, once it has said so."""
        self._sent_length = 0
        self._taken_length = 0
        self.is_due = False
        """Whether `poll_message` may have something to send."""
        self.turn_length = TURN_LENGTH
        """Bytes that are left of its turn (`isfc.programs.register.Turns`)."""
        self._is_changed = False
        self._unsent = ByteQueue()
        self._passing = False
        self._accept_due = False
        self._finish_due = False
        self._bulk_limit = 0
        """What the partner is still to be told that bulk may have in the link."""
        self._usual_length = 2 * LITTLE_LENGTH
        """Bytes of each message that comes, about: the last one counts half. One short one may be
        the beginning of bulk, but two are not."""
        self.in_link_count = 0
        """Messages that the link holds."""
        self.credit_length = 0
        """Bytes that the partner still has room for."""
        self._arrived = ByteQueue()
        register.enter(self)
        self.target_length = register.windows.open(len(register.conversations))
        """The window, in bytes, that the partner has once we have taken everything."""
        self._window_length = self.target_length if asking else 0
        """Bytes that the partner may still send."""
        if asking:
            self._queue_send()

    def __repr__(self) -> str:
        return f"ConversationEnd({self.number} {self.service} {self.state.value})"

    @property
    def room_length(self) -> int:
        """How many bytes `send` would take now."""
        return self._register.send_share - self._unsent.length

    @property
    def piece_length(self) -> int:
        """Most bytes of one message now: less beside those who send little."""
        return self._register.piece_length

    @property
    def unsent_length(self) -> int:
        """Bytes that wait to be sent."""
        return self._unsent.length

    @property
    def arrived_length(self) -> int:
        """Bytes that have arrived and wait to be taken."""
        return self._arrived.length

    @property
    def finish_sent(self) -> bool:
        """Whether the partner will hear that we have finished, after all that we sent."""
        return self.finished and not self._finish_due

    @property
    def severed(self) -> bool:
        """Whether it has ended, for its program at least."""
        return self.reason is not None

    @property
    def over(self) -> bool:
        """Whether both ends have sent their SEVER, or the link is lost."""
        return self.state is ConversationState.OVER

    def accept(self) -> None:
        """Take up a conversation that the partner has asked for."""
        self._step(ConversationStep.ACCEPT)
        if self.state is ConversationState.OPEN:
            self.accepted = True
            self._window_length = self.target_length
            self._accept_due = True
            self._queue_send()

    def send(self, data: bytes | bytearray | memoryview, *, stays: bool = False) -> int:
        """Send bytes, as many as there is room for; return how many that are.

        With ``stays`` they stay as they are until the partner has them, and are not copied.
        Raises `ConversationSevered`, or `LocalProtocolError` where sending is not allowed.
        """
        self._check_may_send()
        length = min(len(data), max(0, self.room_length))
        if length:
            if stays:
                self._unsent.add(memoryview(data)[:length])
            else:
                self._unsent.add_beginning(data, length)
            self._sent_length += length
            if self.in_link_count < UNDER_WAY_MAX or self._unsent.length >= GATHERED_LENGTH:
                self._queue_send()  # else `note_sent` will see to it
        return length

    def pass_turn(self) -> None:
        """Let the partner send (APPC/VM): our request, or reply, is complete."""
        if self.traffic is Traffic.TRANSPORT:
            raise LocalProtocolError("ISFC Transport takes no turns")
        self._check_may_send()
        self.holds_conversation = self.partner_finished  # who has finished takes no turn
        self._passing = True
        self._queue_send()

    def finish(self) -> None:
        """Send no more: the partner's end comes after what was sent so far."""
        self._step(ConversationStep.FINISH)
        if not (self.finished or self.severed):
            self.finished = True
            self._finish_due = True
            self._queue_send()

    def sever(self, code: SeverCode = SeverCode.CLOSED, text: str = "") -> None:
        """End both directions immediately; what was not sent or taken yet is dropped."""
        if not self.severed:
            self._arrived.clear()
            self._end(ConversationSevered(code, text))
        self._step(ConversationStep.SEVER)

    def lose(self, reason: str) -> None:
        """The link is gone, and what was under way with it.

        Unless the partner's SEVER has come, nobody knows how much of ours has arrived. So even
        what had ended at this end ends with `SeverCode.LINK`.
        """
        if self.state is not ConversationState.SEVER_RECEIVED:
            self._end(ConversationSevered(SeverCode.LINK, reason))
        self._step(ConversationStep.LOSE)

    def poll_data(self, length_max: int) -> bytes:
        """Take bytes that have arrived, at most so many; none if there are none."""
        data = self._arrived.take(length_max)
        self._taken_length += len(data)
        if data and self._credit_due:
            self._queue_send()
        return data

    def poll_message(self) -> Message | None:
        """The next message for the partner; None when there is none, or no room for it."""
        self.is_due = False
        message = self._next_message()
        if message is not None:
            self.in_link_count += 1
            self._queue_send()
        return message

    def note_sent(self) -> None:
        """The partner's system has a message of ours."""
        self.in_link_count -= 1
        if self.in_link_count < UNDER_WAY_MAX and self._unsent.length:
            self._queue_send()

    def receive(self, message: bytes | memoryview) -> None:
        """Receive a message of the partner's.

        Raises `RemoteProtocolError` for what it must not send; then sever.
        """
        if not len(message):
            raise RemoteProtocolError("a message without a verb")
        verb, body = message[0], message[1:]
        if verb == _DATA and self.state is ConversationState.OPEN:  # nearly always, so first
            self._receive_data(verb, body)
            return
        following = after_verb(self.state, verb)
        if verb == Verb.SEVER:
            self._receive_sever(body, following)
        elif self.severed:
            return  # sent before the partner heard of it
        elif verb == Verb.ACCEPT:
            self._receive_accept(body, following)
        elif verb == Verb.CREDIT:
            self._receive_credit(body)
        elif verb == Verb.FINISH:
            self._receive_finish(body)
        elif verb == Verb.LIMIT:
            self._register.told_limit = verbs.parse_room(body)
            self._register.told_length = TOLD_LENGTH
        else:
            self._receive_data(verb, body)

    def note_looked_at(self) -> None:
        """The program looks at it now."""
        self._is_changed = False

    def _check_may_send(self) -> None:
        if self.reason is not None:
            raise ConversationSevered(self.reason.code, self.reason.text)
        if self.state is not ConversationState.OPEN:
            self._step(ConversationStep.SEND)
        if self.finished:
            raise LocalProtocolError(f"{self!r} has been finished")
        if not self.holds_conversation:
            raise LocalProtocolError(f"{self!r}: it is the partner's turn")

    def _said(self, data: bytes | memoryview, head: bytes = b"") -> Message:
        length = len(head) + len(data)
        return Message(self.number, length, self.traffic, data, self, head)

    def _next_message(self) -> Message | None:
        state = self.state
        if state is ConversationState.OPEN:
            if self._accept_due:
                self._accept_due = False
                return self._said(verbs.accept(self._window_length))
            if self._bulk_limit:
                limit, self._bulk_limit = self._bulk_limit, 0
                return self._said(verbs.limit(limit))
            if self._credit_due:
                held_length, register = self._window_length + self._arrived.length, self._register
                self.target_length = register.windows.arrange(
                    self.target_length, held_length, len(register.conversations)
                )
                self._window_length += (room_length := self._owed_length)
                return self._said(verbs.credit(room_length))
            return self._next_data()
        if state is ConversationState.ASKING:
            self._step(ConversationStep.CONNECT_SENT)
            opening = next(self._register.openings)
            return self._said(verbs.connect(self._window_length, self.service, opening))
        if state is ConversationState.SEVERING or state is ConversationState.SEVER_RECEIVED:
            assert self.reason is not None
            self._step(ConversationStep.SEVER_SENT)
            return self._said(verbs.sever(self.reason, self._taken_length + self._arrived.length))
        return None

    @property
    def _credit_due(self) -> bool:
        """Whether the partner is to hear that there is room again: at half a window."""
        return 2 * self._owed_length >= self.target_length and not self.partner_finished

    @property
    def _owed_length(self) -> int:
        """Room that the partner can be given."""
        return self.target_length - self._window_length - self._arrived.length

    def _next_data(self) -> Message | None:
        """Bytes, if there is room for them at the partner; then what follows the last of them."""
        unsent = self._unsent
        length = min(unsent.length, self.credit_length, self._register.piece_length)
        passes = self._passing and length == unsent.length
        gathers = (
            length < GATHERED_LENGTH and self.in_link_count >= UNDER_WAY_MAX and not self.finished
        )
        if passes or (length and not gathers):
            verb = Verb.LAST if passes else Verb.DATA
            was_full = self.room_length <= 0
            if length < GATHERED_LENGTH or self.traffic is not _TRANSPORT:
                message = self._said(unsent.take_behind(_SAID[verb], length))
            else:
                data = unsent.take_uncopied(length)
                length = len(data)
                message = self._said(data, _SAID[verb])
            self.credit_length -= length
            self._passing = self._passing and not passes
            if was_full or not unsent.length:
                self.notify()
            return message
        if self._finish_due and not unsent.length:
            self._finish_due = False
            self._end_if_finished()
            self.notify()
            return self._said(bytes((Verb.FINISH,)))
        return None

    def _receive_accept(self, body: bytes | memoryview, following: ConversationState) -> None:
        self.credit_length = verbs.parse_room(body)
        self._become(following)
        self.accepted = True
        self._queue_send()
        self.notify()

    def _receive_credit(self, body: bytes | memoryview) -> None:
        self.credit_length += verbs.parse_room(body)
        if self.credit_length > ROOM_LENGTH_MAX:
            raise RemoteProtocolError("more room than there can be")
        self._queue_send()

    def _receive_finish(self, body: bytes | memoryview) -> None:
        if self.partner_finished or len(body):
            raise RemoteProtocolError("an end that it must not send")
        self.partner_finished = self.record_whole = self.holds_conversation = True
        self._end_if_finished()
        self.notify()

    def _receive_data(self, verb: int, body: bytes | memoryview) -> None:
        length = len(body)
        if self.partner_finished:
            raise RemoteProtocolError("data after its end")
        if verb == Verb.DATA and not length:
            raise RemoteProtocolError("no data")
        if self.traffic is Traffic.TRANSPORT:
            if verb == Verb.LAST:
                raise RemoteProtocolError("a turn, which ISFC Transport does not have")
        elif not self.finished and (self.holds_conversation or self._passing):
            raise RemoteProtocolError("data out of its turn")
        if length > self._window_length:
            raise RemoteProtocolError("more data than it was given room for")
        self._window_length -= length
        self._usual_length = (self._usual_length + length) // 2
        register = self._register
        if limit := register.incoming.note(register, length, self._usual_length):
            self._bulk_limit = limit
            self._queue_send()
        # a view may be of a large buffer, so that long data are copied, but once
        self._arrived.add(body.tobytes() if isinstance(body, memoryview) else body)
        if verb == Verb.LAST:
            self.record_whole = self.holds_conversation = True
        self.notify()

    def _receive_sever(self, body: bytes | memoryview, following: ConversationState) -> None:
        reason, received_length = verbs.parse_sever(body)
        self.undelivered_length = max(0, self._sent_length - received_length)
        if not self.severed:
            if reason.code is SeverCode.ENDED:
                reason = ConversationSevered(SeverCode.PROTOCOL, "ended before its end")
            self._end(reason)
        self._become(following)
        self.notify()

    def _end_if_finished(self) -> None:
        if self.finish_sent and self.partner_finished:
            self._end(ConversationSevered(SeverCode.ENDED, ""))
            self._step(ConversationStep.END)

    def _end(self, reason: ConversationSevered) -> None:
        """Nothing is sent any more but our SEVER; the caller sees to the state."""
        self.reason = reason
        self._unsent.clear()
        self._accept_due = self._passing = False
        self._queue_send()
        self.notify()

    def _step(self, step: ConversationStep) -> None:
        self._become(after_step(self.state, step))

    def _become(self, state: ConversationState) -> None:
        """Change the state. The one place where a conversation is over."""
        if state is self.state:
            return
        self.state = state
        if state is ConversationState.OVER:
            self._register.strike_out(self)
            self.notify()

    def _queue_send(self) -> None:
        """There may be something to send."""
        if not self.is_due:
            self.is_due = True
            self._register.due.add(self)

    def notify(self) -> None:
        """The program should look at it."""
        if not self._is_changed:
            self._is_changed = True
            self._register.changed.append(self)
