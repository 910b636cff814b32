"""Small worlds of conversations: two switchboards, their programs, and a link that may do anything.

The link delivers each conversation's messages in order and those of different ones in any, and
says of each message that it was sent some time after it has arrived. A program goes on whenever it
likes, but only once it was told that something has happened.
"""

import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from random import Random

from isfc.link.events import Delivered, Sent, Severed
from isfc.link.message import Message, Traffic
from isfc.programs.conversation import ConversationEnd
from isfc.programs.protocol import ConversationLimits, ConversationState, SeverCode
from isfc.programs.switchboard import Switchboard

LIMITS = ConversationLimits(window_length=1, send_length=1, conversations_max=3, link_length=1)
"""A window of one byte, and a link of one message."""


class Do(Enum):
    """What a program does next, and waits for before it does."""

    ACCEPT = "accept"
    SEND = "send a byte"
    RECEIVE = "receive a byte at least, or the end"
    READ = "receive up to the end"
    FINISH = "finish"
    CLOSE = "sever once the end is sent"
    SEVER = "sever"
    WAIT = "wait until it is over"


Step = tuple[str, int, int]
"""What happens, at which side, and to which of several there."""

Opening = tuple[str, tuple[Do, ...], Traffic]
"""A conversation to be opened: the service, and what the program does that asks for it."""

CLOSING = (Do.FINISH, Do.CLOSE, Do.WAIT)
SENT_LENGTH = 1

SERVICES = {
    "ANSWER": (Do.ACCEPT, Do.RECEIVE, Do.SEND, *CLOSING),
    "READ": (Do.ACCEPT, Do.READ, *CLOSING),
    "REFUSE": (Do.SEVER, Do.WAIT),
    "HANGUP": (Do.ACCEPT, Do.SEVER, Do.WAIT),
}
"""What the program of each service does."""


@dataclass
class Program:
    """One program that has a conversation: what it has still to do."""

    end: ConversationEnd
    script: list[Do]
    left_length: int = SENT_LENGTH
    told: bool = True
    """Whether something has happened since it began to wait."""

    @property
    def failed(self) -> bool:
        """Whether its next verb raises."""
        reason = self.end.reason
        ended = reason is not None and reason.code is not SeverCode.ENDED
        return ended and self.script[0] is not Do.WAIT

    @property
    def can_go_on(self) -> bool:
        """Whether what it waits for has happened."""
        end, do = self.end, self.script[0]
        if do is Do.SEND:
            ready = end.room_length > 0
        elif do in (Do.RECEIVE, Do.READ):
            ready = end.arrived_length > 0 or end.partner_finished
        elif do is Do.CLOSE:
            ready = end.finish_sent or end.severed
        else:
            ready = do is not Do.WAIT or end.over
        return ready or self.failed

    def step(self) -> None:
        """Do what is next."""
        end, do = self.end, self.script[0]
        done = True
        if self.failed:
            end.sever()
            self.script = [Do.WAIT]
            return
        if do is Do.ACCEPT:
            end.accept()
        elif do is Do.SEND:
            self.left_length -= end.send(bytes(self.left_length))
            done = not self.left_length
        elif do is Do.RECEIVE:
            end.poll_data(SENT_LENGTH)
        elif do is Do.READ:
            end.poll_data(SENT_LENGTH)
            done = end.partner_finished and not end.arrived_length
        elif do is Do.FINISH:
            end.finish()
        elif do in (Do.CLOSE, Do.SEVER):
            end.sever()
        if done:
            del self.script[0]


@dataclass
class Side:
    """One node: its switchboard, and the programs that have not ended."""

    board: Switchboard
    programs: list[Program] = field(default_factory=list)
    to_open: list[Opening] = field(default_factory=list)
    under_way: list[Message] = field(default_factory=list)
    """What the link has and has not delivered."""
    unconfirmed: list[Message] = field(default_factory=list)
    """What has arrived, and is not yet said to be sent."""

    def carry(self) -> None:
        """Hand over what there is to the link, and tell programs what has happened."""
        for messages in self.board.messages():
            self.under_way += messages
        self.tell()

    def tell(self) -> None:
        """As a node does: wake who waits, and begin what is asked for."""
        while (end := self.board.poll_changed()) is not None:
            for program in self.programs:
                if program.end is end:
                    program.told = True
                    break
            else:
                if end.state is ConversationState.REQUESTED:
                    self.programs.append(Program(end, list(SERVICES[end.service])))


class World:
    """Two sides, and every step that is possible from here."""

    def __init__(
        self,
        opens: tuple[Sequence[Opening], Sequence[Opening]],
        limits: ConversationLimits = LIMITS,
        *,
        partner_limits: ConversationLimits | None = None,
        loses: bool = False,
        eager: tuple[bool, bool] = (False, False),
    ) -> None:
        both = (limits, partner_limits or limits)
        self.sides = [
            Side(Switchboard(lesser=here == 0, limits=both[here]), to_open=list(opens[here]))
            for here in (0, 1)
        ]
        self.may_lose = loses
        self.eager = eager
        """Of each side, whether its programs go on immediately rather than whenever they like."""

    def frozen(self) -> bytes:
        """The world as bytes: equal for worlds that are alike."""
        for side in self.sides:  # in one of the orders that make no difference
            side.programs.sort(key=lambda program: (program.end.number, len(program.script)))
            side.under_way.sort(key=lambda message: message.conversation)
            side.unconfirmed.sort(key=lambda message: (message.conversation, message.data))
        return pickle.dumps(self, pickle.HIGHEST_PROTOCOL)

    def steps(self) -> list[Step]:
        """What can happen now."""
        found: list[Step] = []
        for here, side in enumerate(self.sides):
            register = side.board._register  # noqa: SLF001  # it alone knows
            going_on = [("program", here, n) for n, p in enumerate(side.programs) if p.told]
            if going_on and self.eager[here]:
                return going_on[:1]
            found += going_on
            if side.to_open and register.opened_count < register.limits.conversations_max:
                found.append(("open", here, 0))
            numbers = [message.conversation for message in side.under_way]
            found += [("deliver", here, n) for n, of in enumerate(numbers) if of not in numbers[:n]]
            found += [("confirm", here, n) for n in range(len(side.unconfirmed))]
        return [*found, ("lose", 0, 0)] if found and self.may_lose else found

    def take(self, step: Step) -> None:
        """Let one of `steps` happen."""
        kind, here, number = step
        side, mate = self.sides[here], self.sides[1 - here]
        if kind == "open":
            service, script, traffic = side.to_open.pop(0)
            side.programs.append(Program(side.board.connect(service, traffic), list(script)))
        elif kind == "program":
            program = side.programs[number]
            program.step()
            if not program.script:
                side.programs.remove(program)
        elif kind == "deliver":
            message = side.under_way.pop(number)
            side.unconfirmed.append(message)
            arrived = Message(message.conversation, message.length, message.traffic, message.data)
            for _, messages in mate.board.receive(Delivered([arrived]), 0):
                mate.under_way += messages
            mate.carry()
        elif kind == "confirm":
            for _, messages in side.board.receive(Sent([side.unconfirmed.pop(number)]), 0):
                side.under_way += messages
        else:
            self.may_lose = False
            for each in self.sides:
                each.under_way.clear()
                each.unconfirmed.clear()
                each.board.receive(Severed("the link is lost"), 0)
                each.carry()
        side.carry()
        for each in self.sides:
            for program in each.programs:
                program.told = program.told and program.can_go_on  # else it waits to be told

    def expect_ended(self) -> None:
        """When nothing can happen any more, every program has ended and every number is free."""
        for side in self.sides:
            assert side.programs == [], "a program waits for ever"
            assert side.to_open == [], "a program was never begun"
            board = side.board
            assert board.conversations == {}
            assert board.in_link_length == 0
            register = board._register  # noqa: SLF001
            free = [n for numbers in register._free.values() for n in numbers]  # noqa: SLF001
            opened = range(register._first_number, register._next_number, 2)  # noqa: SLF001
            assert sorted(free) == list(opened), "each number is free exactly once"
            assert (register.opened_count, register.requested_count) == (0, 0)


def thaw(frozen: bytes) -> World:
    """The world again, one of its own."""
    world = pickle.loads(frozen)  # our own
    assert isinstance(world, World)
    return world


def explore(world: World) -> int:
    """Take every order of steps to its end; how many different worlds that were."""
    first = world.frozen()
    seen = {_digest(first)}
    waiting = [first]
    while waiting:
        frozen = waiting.pop()
        steps = thaw(frozen).steps()
        if not steps:
            thaw(frozen).expect_ended()
        for step in steps:
            world = thaw(frozen)
            world.take(step)
            following = world.frozen()
            if (digest := _digest(following)) not in seen:
                seen.add(digest)
                waiting.append(following)
    return len(seen)


def walk(world: World, random: Random) -> int:
    """Take one order of steps to its end; how many steps that were."""
    count = 0
    while steps := world.steps():
        world.take(random.choice(steps))
        count += 1
    world.expect_ended()
    return count


def _digest(frozen: bytes) -> bytes:
    return hashlib.blake2b(frozen, digest_size=16).digest()
