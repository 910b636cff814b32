"""Client and server guests: who answers what, and when."""

from dataclasses import replace
from random import Random

import pytest

from isfc.events import Delivered, LinkUp
from isfc.message import Message
from scenarios.guests import START_SPREAD_NS, Clients, GuestCosts, Servers
from scenarios.workload import SUITES

STEADY = replace(
    GuestCosts(),
    server_ns=1_000,
    server_ns_per_byte_out=2.0,
    client_ns=500,
    jitter=0.0,
)
HY = SUITES["HY"]


def test_clients_fill_every_window_soon_after_the_start() -> None:
    offers = list(Clients(HY, 3, STEADY, Random(1)).start(0))
    conversations = [message.conversation for _, messages in offers for message in messages]
    assert sorted(conversations) == list(range(3 * HY.window))
    assert all(at_ns < START_SPREAD_NS + HY.window * STEADY.client_ns for at_ns, _ in offers)


def test_a_reply_releases_one_message_of_its_conversation() -> None:
    clients = Clients(HY, 3, STEADY, Random(1))
    [(at_ns, [message])] = clients.receive(Delivered([Message(4, 32_768)]), 1_000_000)
    assert (message.conversation, message.length) == (4, 32_768)
    assert at_ns == 1_000_000 + 500


def test_every_message_gets_one_reply() -> None:
    servers = Servers(HY, 3, STEADY, Random(1))
    arrived = [Message(conversation, 100) for conversation in (0, 1, 2)]
    offers = list(servers.receive(Delivered(arrived), 0))
    replies = [(at_ns, m.conversation, m.length) for at_ns, messages in offers for m in messages]
    ready_ns = 1_000 + 2 * 32_768
    assert replies == [(ready_ns, conversation, 32_768) for conversation in (0, 1, 2)]


def test_a_guest_takes_one_message_at_a_time_whatever_its_conversation() -> None:
    servers = Servers(HY, 3, STEADY, Random(1))
    arrived = [Message(1, 100), Message(4, 100)]  # both places in the window of pair 1
    (first_ns, _), (second_ns, _) = servers.receive(Delivered(arrived), 0)
    assert second_ns == 2 * first_ns


def test_nothing_else_is_answered() -> None:
    programs = (Clients(HY, 1, STEADY, Random(1)), Servers(HY, 1, STEADY, Random(1)))
    assert [list(program.receive(LinkUp(), 0)) for program in programs] == [[], []]
    assert list(programs[1].start(0)) == []


def test_small_messages_come_as_often_as_the_workload_says() -> None:
    clients = Clients(SUITES["HS"], 1, STEADY, Random(1))
    count = 5_000
    offers = clients.receive(Delivered([Message(0, 2_048)] * count), 0)
    small = sum(m.length == SUITES["HS"].min_length for _, messages in offers for m in messages)
    assert small / count == pytest.approx(0.2, abs=0.02)


def test_times_vary_around_their_mean_by_the_jitter() -> None:
    costs = replace(STEADY, jitter=0.4)
    random = Random(1)
    times = [costs.vary(1_000_000, random) for _ in range(5_000)]
    assert 600_000 <= min(times) < max(times) <= 1_400_000
    assert sum(times) / len(times) == pytest.approx(1_000_000, rel=0.01)
