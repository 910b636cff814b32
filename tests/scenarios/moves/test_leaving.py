"""Who waits and who goes, and what the two ends of a link say of it."""

from isfc.link.events import Delivered, LinkUp, Sent
from isfc.link.message import Message
from isfc.link.name import NodeName
from scenarios.moves.guest import GuestMemory, GuestPlan
from scenarios.moves.leaving import Arrivals, Departures, RelocationQueue, Targets
from scenarios.moves.relocation import COUNTS_LENGTH, MESSAGE_LENGTH

WINDOW = 3
S1, S2, S3 = map(NodeName, ("S1", "S2", "S3"))
MEMORY = GuestMemory(size=2**21, touched=10 * MESSAGE_LENGTH)


def queue(*to: NodeName, together: int) -> RelocationQueue:
    plans = [(GuestPlan(f"GUEST{number}", MEMORY), each) for number, each in enumerate(to)]
    return RelocationQueue(S1, plans, together, WINDOW, Targets({S1: [S2, S3]}, {}))


def test_guests_begin_in_their_order_and_so_many_at_the_same_time() -> None:
    waiting = queue(S2, S3, S2, together=2)
    second, third = Departures(waiting, S2), Departures(waiting, S3)
    assert third.begin_waiting(0) == []  # the first goes elsewhere
    assert len(second.begin_waiting(0)) == WINDOW
    assert second.begin_waiting(0) == []  # and so does the next
    assert len(third.begin_waiting(0)) == WINDOW
    assert second.begin_waiting(0) == []  # two are on their way
    assert [guest.plan.name for guest in waiting.going] == ["GUEST0", "GUEST1"]
    waiting.going[1].cancel(1)
    assert len(second.begin_waiting(2)) == WINDOW
    assert not waiting.over


def test_guests_of_one_link_have_conversations_of_their_own() -> None:
    waiting = queue(S2, S2, together=2)
    messages = Departures(waiting, S2).begin_waiting(0)
    conversations = [message.conversation for message in messages]
    assert sorted(conversations) == [0, 1, 2, 4, 5, 6]  # 3 and 7 are for counts


def test_window_is_never_exceeded_and_nothing_is_acknowledged() -> None:
    waiting = queue(S2, together=1)
    source, destination = Departures(waiting, S2), Arrivals(WINDOW)
    outstanding = list(source.begin_waiting(0))
    moved = 0
    for step in range(1, 11):
        assert len(outstanding) <= WINDOW
        assert len({each.conversation for each in outstanding}) == len(outstanding)
        message = outstanding.pop(step % len(outstanding))
        moved += message.length
        assert destination.receive(Delivered([message]), step) == ()
        for _, following in source.receive(Sent([message]), step):
            outstanding += following
    assert moved == MEMORY.touched
    (counts,) = outstanding  # once all is read, and not before
    assert (counts.conversation, counts.length) == (WINDOW, COUNTS_LENGTH)
    ((_, (answer,)),) = destination.receive(Delivered([counts]), 11)
    assert (answer.conversation, answer.length) == (WINDOW, COUNTS_LENGTH)


def test_what_comes_after_a_guest_was_given_up_changes_nothing() -> None:
    waiting = queue(S2, S2, together=1)
    source = Departures(waiting, S2)
    first, *_ = source.begin_waiting(0)
    waiting.going[0].cancel(5)
    assert source.receive(Sent([first]), 6) == ()
    assert source.receive(Delivered([Message(WINDOW, COUNTS_LENGTH)]), 6) == ()
    assert source.receive(LinkUp(), 6) == ()
    assert waiting.next_to == S2
