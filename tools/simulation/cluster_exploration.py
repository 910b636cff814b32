"""Every interleaving of a small cluster: some systems with a link of one CTC between each two.

As `tools.simulation.exploration` does it for a pair: any frame may arrive next, and of the timers
of a system any may run out next, whichever link it is of. All CTCs of a system are on one chpid.
Every order is tried, none is left out as alike: that links of one system leave each other alone is
what is to be seen. Traffic is ISFC Transport; the lock of APPC/VM's messages is not in it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, NamedTuple

from ctc.address import ChpidId, Rdev
from isfc.errors import RemoteProtocolError
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from isfc.link.schedule import LinkDevice
from isfc.system.definition import LinkEndDefinition
from isfc.system.system import System
from tools.simulation.small_world import SmallWorld
from tools.simulation.state_graph import STATES_MAX, Explored, StateGraph, check_source
from tools.simulation.states import Frames, Input, Nodes, changed

Link = tuple[int, int]
"""The numbers of two systems."""


@dataclass(frozen=True, slots=True)
class SmallCluster:
    """So many systems, and links of one CTC, each with as many messages from the one and the other.

    Without ``links`` there is one between each two. A system may send at any moment, or, if all
    messages are sent ``at_once``, before anything else happens. Message n of a link has n bytes.
    """

    system_count: int = 3
    messages: tuple[int, int] = (1, 1)
    links: tuple[Link, ...] = ()
    at_once: bool = False

    @property
    def joined(self) -> tuple[Link, ...]:
        """Its links, the lesser system of each first."""
        return self.links or tuple(combinations(range(self.system_count), 2))

    def links_of(self, here: int) -> list[Link]:
        """The links of a system, in the order of its link ends."""
        return [link for link in self.joined if here in link]

    def definitions(self, here: int) -> list[LinkEndDefinition]:
        """All link ends of a system."""
        return [self._definition(link, link.index(here)) for link in self.links_of(here)]

    def _definition(self, link: Link, end: int) -> LinkEndDefinition:
        (ctc,) = (definition := SmallWorld().definition(end)).ctcs
        here, there = link[end], link[1 - end]
        device = LinkDevice(_rdev(here, there), _rdev(there, here))
        return replace(
            definition,
            name=NodeName(f"S{here}"),
            partner=NodeName(f"S{there}"),
            ctcs=(replace(ctc, device=device, chpid=ChpidId(0x40 + here)),),
        )


def _rdev(here: int, there: int) -> Rdev:
    return Rdev(0x6000 + 0x100 * here + there)


class Member(NamedTuple):
    """One system: the state of its node, what is on its way there, what was sent and has arrived.

    All but the first two are by link.
    """

    here: int
    node: int
    fibres: tuple[tuple[int, ...], ...]
    sent: tuple[int, ...]
    arrived: tuple[int, ...]


class Successor(NamedTuple):
    """What a system can do next: the state it is in then, and the frames that go to each partner.

    The frames are those of (partner, the number of their link there).
    """

    given: Input
    member: int
    frames: tuple[tuple[int, Frames], ...]
    collisions: int


class Members:
    """All states of all systems, by number."""

    def __init__(self, world: SmallCluster) -> None:
        self.nodes: Final = Nodes()
        self._world = world
        self._links = [world.links_of(here) for here in range(world.system_count)]
        self._members: list[Member] = []
        self._numbers: dict[Member, int] = {}
        self._successors: dict[int, list[Successor]] = {}
        self._received: dict[tuple[int, Frames], int] = {}
        self.done: list[bool] = []
        """Whether the system has sent and received everything, and waits for nothing."""

    def __getitem__(self, number: int) -> Member:
        return self._members[number]

    def __len__(self) -> int:
        return len(self._members)

    def begin(self, here: int) -> int:
        """A system before anything has happened."""
        links = self._links[here]
        node = self.nodes.add(here, System(self._world.definitions(here)), 0)
        nothing = (0,) * len(links)
        return self._add(Member(here, node, ((),) * len(links), nothing, nothing))

    def feed(self, number: int, given: Input) -> Successor:
        """What a system does with an input; raises `AssertionError` for a message out of turn."""
        here, node, fibres, sent, arrived = self._members[number]
        match given:
            case ("frame", index, _):
                fibres = changed(fibres, index, fibres[index][1:])
            case ("send", _, _, index):
                sent = changed(sent, index, sent[index] + 1)
        did = self.nodes.feed(here, node, given)
        for index, length in did.arrived:
            link = self._links[here][index]
            arrived = changed(arrived, index, arrived[index] + 1)
            assert length == arrived[index], f"message {length} arrives at {here}, not in its turn"
            most = self._world.messages[1 - link.index(here)]
            assert length <= most, f"message {length} was not sent to {here}"
        member = self._add(Member(here, did.state, fibres, sent, arrived))
        return Successor(given, member, tuple(self._sorted(here, did.frames)), did.collisions)

    def _sorted(self, here: int, frames: Frames) -> Iterator[tuple[int, Frames]]:
        """Frames by the system that they go to, with the number of their link there."""
        for number, link in enumerate(self._links[here]):
            partner = link[1 - link.index(here)]
            there = self._links[partner].index(link)
            some = tuple([(there, frame) for index, frame in frames if index == number])
            if some:
                yield partner, some

    def receive(self, number: int, frames: Frames) -> int:
        """The system with further frames on their way to it."""
        key = number, frames
        found = self._received.get(key)
        if found is None:
            member = self._members[number]
            fibres = member.fibres
            for index, frame in frames:
                fibres = changed(fibres, index, (*fibres[index], frame))
            found = self._received[key] = self._add(member._replace(fibres=fibres))
        return found

    def successors(self, number: int) -> list[Successor]:
        """Everything a system can do by itself; but for missing interrupts, see `late`."""
        following = self._successors.get(number)
        if following is None:
            member = self._members[number]
            given: list[Input] = [("timer", timer) for timer in self.nodes.soon[member.node]]
            for index, link in enumerate(self._links[member.here]):
                if member.sent[index] < self._world.messages[link.index(member.here)]:
                    length = member.sent[index] + 1
                    given.append(("send", length, Traffic.TRANSPORT, index))
                if member.fibres[index]:
                    given.append(("frame", index, member.fibres[index][0]))
            following = self._successors[number] = [self.feed(number, each) for each in given]
        return following

    def late(self, number: int) -> list[Successor]:
        """The missing interrupts that the system waits for."""
        late = self.nodes.late[self._members[number].node]
        return [self.feed(number, ("timer", timer)) for timer in late]

    def say(self, number: int, given: Input) -> str:
        """What happens when a system is given an input, in words."""
        here = self._members[number].here
        match given:
            case ("timer", timer):
                return f"{timer.kind.value} at {here}, {timer.place}"
            case ("frame", index, frame):
                return f"{self.nodes.frames[frame]!r} arrives at {here} on link {index}"
        return f"{here} sends on link {given[-1]}"

    def _add(self, member: Member) -> int:
        number = self._numbers.get(member)
        if number is None:
            number = self._numbers[member] = len(self._members)
            if number > _MEMBER_MASK:
                raise OverflowError(f"more than {_MEMBER_MASK + 1:,} states of the systems")
            self._members.append(member)
            self.done.append(self._is_done(member))
        return number

    def _is_done(self, member: Member) -> bool:
        nodes, messages = self.nodes, self._world.messages
        return (
            all(
                member.sent[index] == messages[link.index(member.here)]
                and member.arrived[index] == messages[1 - link.index(member.here)]
                for index, link in enumerate(self._links[member.here])
            )
            and not any(member.fibres)
            and nodes.settled[member.node]
            and not nodes.soon[member.node]
            and not nodes.late[member.node]
        )


class ClusterExploration(StateGraph):
    """A state of the cluster is one number, made of those of its systems."""

    def __init__(self, world: SmallCluster, states_max: int) -> None:
        self.members = Members(world)
        super().__init__(self.members.nodes, states_max)
        self._world = world
        self._shifts = [_MEMBER_BITS * here for here in range(world.system_count)]

    def _begin(self) -> int:
        """All systems, ready, with nothing to send yet, or with all of it."""
        world, members = self._world, self.members
        now = [members.begin(here) for here in range(world.system_count)]
        for here in range(world.system_count):
            for index in range(len(world.links_of(here))):
                self._give(now, here, ("connect", index))
        while waiting := [here for here, each in enumerate(now) if any(members[each].fibres)]:
            # they become ready one after the other: that is no race yet
            here = waiting[0]
            fibres = members[now[here]].fibres
            index = next(index for index, frames in enumerate(fibres) if frames)
            self._give(now, here, ("frame", index, fibres[index][0]))
        if world.at_once:
            for here in range(world.system_count):
                for index, link in enumerate(world.links_of(here)):
                    for length in range(1, world.messages[link.index(here)] + 1):
                        self._give(now, here, ("send", length, Traffic.TRANSPORT, index))
        return sum(number << shift for number, shift in zip(now, self._shifts, strict=True))

    def _give(self, now: list[int], here: int, given: Input) -> None:
        step = self.members.feed(now[here], given)
        now[here] = step.member
        for partner, frames in step.frames:
            now[partner] = self.members.receive(now[partner], frames)

    def _follow(self, state: int, number: int) -> list[int]:
        members = self.members
        try:
            found = self._take(state, members.successors, number)
            return found or self._take(state, members.late, number)
        except (AssertionError, RemoteProtocolError) as error:
            self._fail(str(error) or repr(error), number)

    def _take(
        self, state: int, following: Callable[[int], list[Successor]], number: int
    ) -> list[int]:
        found = []
        for shift in self._shifts:
            member = state >> shift & _MEMBER_MASK
            for step in following(member):
                self._collision_count += step.collisions
                found.append(self._note(self._after(state, shift, member, step), number))
        return found

    def _after(self, state: int, shift: int, member: int, step: Successor) -> int:
        """The state after what one system does, whose frames are on their way to the others."""
        state += (step.member - member) << shift
        for partner, frames in step.frames:
            place = _MEMBER_BITS * partner
            before = state >> place & _MEMBER_MASK
            state += (self.members.receive(before, frames) - before) << place
        return state

    def _is_end(self, state: int) -> bool:
        done = self.members.done
        return all(done[state >> shift & _MEMBER_MASK] for shift in self._shifts)

    def _check(self, state: int) -> None:
        if self._world.at_once:
            return  # everything has been sent
        members, world = self.members, self._world
        now = [members[state >> shift & _MEMBER_MASK] for shift in self._shifts]
        for first, second in world.joined:
            ends = [
                (now[here], world.links_of(here).index((first, second))) for here in (first, second)
            ]
            for (one, here), (other, there) in (ends, ends[::-1]):
                assert one.arrived[here] <= other.sent[there], "a message was not sent"

    def _say(self, before: int, after: int) -> str:
        state = self.states[before]
        for shift in self._shifts:
            member = state >> shift & _MEMBER_MASK
            for step in (*self.members.successors(member), *self.members.late(member)):
                if self._after(state, shift, member, step) == self.states[after]:
                    return self.members.say(member, step.given)
        raise AssertionError("nothing leads there")


_MEMBER_BITS: Final = 20
_MEMBER_MASK: Final = (1 << _MEMBER_BITS) - 1


def explore_cluster(world: SmallCluster, states_max: int = STATES_MAX) -> Explored:
    """Visit every state of a small cluster. Raises as `tools.simulation.exploration.explore`."""
    check_source()
    return ClusterExploration(world, states_max).run()
