"""Conversations in small worlds, in every order: every waiter ends, each number is free once."""

from random import Random

import pytest

from isfc.link.message import Traffic
from isfc.programs.protocol import ConversationLimits
from tests.lengthy import few_in_every_run
from tests.properties.conversations import CLOSING, SERVICES, Do, Opening, World, explore, walk

GIVE_UP = (Do.SEVER, Do.WAIT)
ASK = (Do.SEND, Do.RECEIVE, *CLOSING)
SCRIPTS = (GIVE_UP, CLOSING, ASK, (Do.SEND, *CLOSING))


def limits(conversations_max: int, link_length: int = 1) -> ConversationLimits:
    """A window of one byte; a link of one message, or of a few."""
    return ConversationLimits(
        window_length=1, send_length=1, conversations_max=conversations_max, link_length=link_length
    )


def opening(service: str, script: tuple[Do, ...], traffic: Traffic = Traffic.TRANSPORT) -> Opening:
    return service, script, traffic


@pytest.mark.parametrize(
    "world",
    few_in_every_run(
        [
            World(([opening("ANSWER", ASK)], ()), limits(3), loses=True),
            World(([opening("HANGUP", GIVE_UP)] * 3, ()), limits(3), eager=(True, True)),
            World(([opening("ANSWER", ASK)], ()), limits(3)),
            World(([opening("READ", GIVE_UP)] * 3, ()), limits(3), eager=(True, True)),
            World(([opening("REFUSE", CLOSING)] * 3, ()), limits(3), eager=(True, True)),
            World(([opening("ANSWER", ASK)] * 3, ()), limits(1), eager=(True, True)),
        ]
    ),
)
def test_every_order_of_a_small_world_ends_with_every_number_free_once(world: World) -> None:
    assert explore(world) > 500


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "world",
    [
        World(([opening("READ", CLOSING)] * 3, ()), limits(2), eager=(True, True)),
        World(([opening("READ", GIVE_UP)] * 3, ()), limits(1), eager=(False, True)),
    ],
)
def test_every_order_of_a_larger_world_ends_with_every_number_free_once(world: World) -> None:
    assert explore(world) > 1_000


@pytest.mark.parametrize(
    "seeds", [range(150), pytest.param(range(150, 2_000), marks=pytest.mark.exhaustive)]
)
def test_any_order_of_three_conversations_ends_with_every_number_free_once(seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        opens: tuple[list[Opening], list[Opening]] = ([], [])
        for _ in range(3):
            service = random.choice([*SERVICES])
            fitting = [s for s in SCRIPTS if service != "READ" or s is not ASK]
            script = random.choice(fitting)  # to READ, nothing is answered
            random.choice(opens).append(opening(service, script))
        both = [limits(random.randint(1, 3), random.choice((1, 300, 600))) for _ in range(2)]
        world = World(opens, both[0], partner_limits=both[1], loses=random.random() < 0.2)
        try:
            walk(world, random)
        except BaseException as error:
            error.add_note(f"seed {seed}: {opens}, {both}")
            raise
