"""Client and server guests: who answers what, and when."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter
from random import Random

import pytest
from msgspec import structs

from isfc.link.events import Delivered, LinkUp, Offer, Program, Severed
from isfc.link.message import Message, Traffic
from scenarios.runs.guests import CLIENT_PROCESSORS, START_SPREAD_NS, Clients, GuestCosts, Servers
from scenarios.runs.workload import (
    ACKNOWLEDGEMENT_LENGTH,
    SUITES,
    Workload,
    find_workload,
    free_workload,
)

STEADY = replace(
    GuestCosts(), server_ns=1_000, client_ns=500, client_ns_per_byte=0.0, client_latency_ns=0
)
HM, HY = SUITES["HM"], SUITES["HY"]
WIDE = free_workload("100:100:0", 20_000, 5)
"""Five messages outstanding, but room for three replies only."""
TINY = free_workload(f"{ACKNOWLEDGEMENT_LENGTH}:{ACKNOWLEDGEMENT_LENGTH}:0", 65_535)
"""Messages as short as acknowledgements."""


def said(offers: Iterable[Offer]) -> list[tuple[int, int, int]]:
    """When, in which conversation and how long each message is."""
    return [(at_ns, m.conversation, m.length) for at_ns, messages in offers for m in messages]


def serve(servers: Servers, now_ns: int, *conversations: int) -> list[tuple[int, int]]:
    """What the servers answer, and when, to messages that arrive together."""
    arrived = [Message(conversation, 100) for conversation in conversations]
    replies = said(servers.receive(Delivered(arrived), now_ns))
    assert all(length > ACKNOWLEDGEMENT_LENGTH for _, _, length in replies)
    return [(at_ns, conversation) for at_ns, conversation, _ in replies]


def test_clients_fill_every_window_soon_after_the_start() -> None:
    offers = list(Clients(HY, 3, STEADY, Random(1)).start(0))
    conversations = [message.conversation for _, messages in offers for message in messages]
    assert sorted(conversations) == list(range(3 * HY.window))
    assert all(at_ns < START_SPREAD_NS + HY.window * STEADY.client_ns for at_ns, _ in offers)


def test_a_reply_releases_one_message_of_its_conversation() -> None:
    clients = Clients(structs.replace(HM, min_percent=0), 3, STEADY, Random(1))
    offers = clients.receive(Delivered([Message(4, 4_096)]), 1_000_000)
    assert said(offers) == [(1_000_000 + 500, 4, 32_768)]


@pytest.mark.parametrize("suite", ["HM", "CDU:1"])
def test_as_many_transport_clients_work_at_a_time_as_their_system_has_processors(
    suite: str,
) -> None:
    pairs = 2 * CLIENT_PROCESSORS + 1
    costs = replace(STEADY, appc_client_ns=STEADY.client_ns)
    clients = Clients(find_workload(suite), pairs, costs, Random(1))
    replies = [Message(pair, 100) for pair in range(pairs)]
    ready = [at_ns for at_ns, _, _ in said(clients.receive(Delivered(replies), 10**6))]
    if suite == "HM":
        assert Counter(ready) == {
            10**6 + 500: CLIENT_PROCESSORS,
            10**6 + 1_000: CLIENT_PROCESSORS,
            10**6 + 1_500: 1,
        }
    else:  # programs of APPC/VM wait for none
        assert Counter(ready) == {10**6 + 500: pairs}


def test_servers_wait_for_no_processor() -> None:
    pairs = 2 * CLIENT_PROCESSORS + 1
    replies = serve(Servers(HM, pairs, STEADY), 0, *range(pairs))
    assert replies == [(1_000, pair) for pair in range(pairs)]


def test_every_message_gets_one_reply() -> None:
    servers = Servers(HY, 3, STEADY)
    arrived = [Message(conversation, 100) for conversation in (0, 1, 2)]
    replies = said(servers.receive(Delivered(arrived), 0))
    assert replies == [(1_000, conversation, 32_768) for conversation in (0, 1, 2)]


def test_a_guest_takes_one_message_at_a_time_whatever_its_conversation() -> None:
    servers = Servers(HM, 3, STEADY)
    # both places in the window of pair 1
    assert serve(servers, 0, 1, 4) == [(2_000, 1), (2_000, 4)]


@pytest.mark.parametrize("workload", [HY, TINY, WIDE])
def test_every_reply_is_acknowledged_at_once_where_room_is_short(workload: Workload) -> None:
    clients = Clients(workload, 3, STEADY, Random(1))
    conversations = {m.conversation for _, messages in clients.start(0) for m in messages}
    replies = [Message(1, 100), Message(4, 100), Message(2, 100)]
    offers = sorted(said(clients.receive(Delivered(replies), 10**6)), key=itemgetter(0))
    ours = [offer for offer in offers if offer[0] == 10**6]
    assert [length for _, _, length in ours] == [ACKNOWLEDGEMENT_LENGTH] * 3
    assert [conversation % 3 for _, conversation, _ in ours] == [1, 1, 2]
    assert conversations.isdisjoint(conversation for _, conversation, _ in ours)
    released = [conversation for at_ns, conversation, _ in offers if at_ns > 10**6]
    assert released == [1, 2, 4]  # the guest of 1 and 4 takes them one after the other


@pytest.mark.parametrize("name", ["HS", "HM", "HL", "CDU:1000000"])
def test_nothing_is_acknowledged_where_there_is_room_for_all(name: str) -> None:
    workload = find_workload(name)
    clients = Clients(workload, 3, STEADY, Random(1))
    offers = said(clients.receive(Delivered([Message(1, workload.reply_length)]), 0))
    assert [conversation for _, conversation, _ in offers] == [1]
    servers = Servers(workload, 3, STEADY)
    assert len(serve(servers, 0, 1, 1, 1, 1)) == 4


@pytest.mark.parametrize(("workload", "room"), [(HY, 1), (TINY, 1), (WIDE, 3)])
def test_server_keeps_replies_back_until_the_client_has_room(workload: Workload, room: int) -> None:
    pairs = 3
    servers = Servers(workload, pairs, STEADY)
    acknowledgement = workload.window * pairs + 1
    asked = [1 + pairs * place for place in range(workload.window)]
    arrived = [Message(conversation, workload.min_length) for conversation in asked]
    answered = [c for _, c, _ in said(servers.receive(Delivered(arrived), 0))]
    assert answered == asked[:room]
    assert len(serve(servers, 0, 2)) == 1  # other clients have room of their own
    for at_ns in range(10**6, 10**6 + workload.window - room):
        replies = serve(servers, at_ns, acknowledgement)
        assert [now_ns for now_ns, _ in replies] == [at_ns]  # it was ready long ago
        answered += [conversation for _, conversation in replies]
    assert answered == asked  # in order
    for _ in range(room):
        assert serve(servers, 2 * 10**6, acknowledgement) == []
    assert len(serve(servers, 3 * 10**6, *asked)) == room  # the room is as large as it was


def test_reply_kept_back_does_not_leave_before_it_is_ready() -> None:
    servers = Servers(HY, 1, STEADY)
    assert serve(servers, 0, 0, 1) == [(1_000, 0)]
    assert serve(servers, 1_500, 2) == [(2_000, 1)]


def test_acknowledgements_and_messages_may_come_together() -> None:
    servers = Servers(HY, 1, STEADY)
    assert serve(servers, 0, 0, 1, 2, 0) == [(2_000, 0), (2_000, 1)]
    assert serve(servers, 5_000, 2) == [(5_000, 0)]


def test_severed_servers_have_all_their_room_again_and_keep_nothing() -> None:
    servers = Servers(WIDE, 1, STEADY)
    assert len(serve(servers, 0, 0, 1, 2, 3, 4)) == 3
    assert list(servers.receive(Severed("lost"), 10_000)) == []
    assert [c for _, c in serve(servers, 20_000, 4, 3, 2, 1, 0)] == [4, 3, 2]
    assert [c for _, c in serve(servers, 90_000, 5)] == [1]


@pytest.mark.parametrize("workload", [HY, TINY, WIDE, structs.replace(WIDE, reply_length=10**6)])
def test_exchanges_go_on_in_every_conversation_however_short_the_room(workload: Workload) -> None:
    pairs = 2
    clients = Clients(workload, pairs, STEADY, Random(1))
    programs: tuple[Program, ...] = (clients, Servers(workload, pairs, STEADY))
    pending = [(at_ns, 1, m) for at_ns, ms in clients.start(0) for m in ms]
    counts: Counter[int] = Counter()
    on_their_way: Counter[int] = Counter()
    for _ in range(1_000):
        pending.sort(key=itemgetter(0))
        now_ns, there, message = pending.pop(0)
        if there == 0:
            counts[message.conversation] += 1
            on_their_way[message.conversation % pairs] -= 1
        offers = programs[there].receive(Delivered([message]), now_ns)
        replies = [(at_ns, 1 - there, m) for at_ns, ms in offers for m in ms]
        if there == 1:
            on_their_way.update(m.conversation % pairs for _, _, m in replies)
            assert max(on_their_way.values(), default=0) <= workload.replies_max
        pending += replies
    for pair in range(pairs):
        shares = [counts[pair + pairs * place] for place in range(workload.window)]
        assert min(shares) > 10
        assert max(shares) - min(shares) <= 1


def test_nothing_else_is_answered() -> None:
    programs = (Clients(HY, 1, STEADY, Random(1)), Servers(HY, 1, STEADY))
    assert [list(program.receive(LinkUp(), 0)) for program in programs] == [[], []]
    assert list(programs[1].start(0)) == []


def test_small_messages_come_as_often_as_the_workload_says() -> None:
    clients = Clients(SUITES["HS"], 1, STEADY, Random(1))
    count = 5_000
    offers = clients.receive(Delivered([Message(0, 2_048)] * count), 0)
    small = sum(m.length == SUITES["HS"].min_length for _, messages in offers for m in messages)
    assert small / count == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize("workload", [HM, HY])
def test_replies_that_a_package_leads_to_are_offered_together_and_requests_one_by_one(
    workload: Workload,
) -> None:
    arrived = Delivered([Message(conversation, 100) for conversation in (2, 0, 1, 5)])
    (together,) = Servers(workload, 3, STEADY).receive(arrived, 10**6)
    at_ns, replies = together
    kept = workload.replies_max < workload.window
    assert at_ns == 10**6 + (1_000 if kept else 2_000)  # when the last of them is ready
    assert [m.conversation for m in replies] == ([2, 0, 1] if kept else [2, 0, 1, 5])
    for _, messages in Clients(workload, 3, STEADY, Random(1)).receive(arrived, 10**6):
        assert len(messages) == 1


def test_appc_replies_are_offered_one_by_one() -> None:
    arrived = Delivered([Message(pair, 100, Traffic.LEGACY) for pair in range(3)])
    offers = list(Servers(find_workload("CDU:1"), 3, STEADY).receive(arrived, 10**6))
    assert [len(messages) for _, messages in offers] == [1, 1, 1]


def test_a_client_waits_to_be_dispatched_and_holds_no_processor_meanwhile() -> None:
    costs = replace(STEADY, client_ns_per_byte=0.5, client_latency_ns=7_000)
    clients = Clients(structs.replace(HM, min_percent=0), 1, costs, Random(1))
    offers = said(clients.receive(Delivered([Message(0, 100), Message(1, 100)]), 10**6))
    own_ns = 500 + 32_768 // 2
    assert [at_ns for at_ns, _, _ in offers] == [10**6 + n * own_ns + 7_000 for n in (1, 2)]
