"""``make explore``: visit every state of pairs as large as an hour of a processor allows.

Then of three systems with a link of one CTC between each two.

``python -m tools.simulation.explore [quick]`` prints a line for each and ends with 1 when one of
them has a counterexample, which is shown. With ``quick`` only those of a few seconds are visited.
"""

import multiprocessing
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from isfc.link.message import Traffic
from isfc.testing.pair import FIRST_WINS, SECOND_WINS
from tools.simulation.exploration import Counterexample, Explored, explore
from tools.simulation.small_world import OneFault, SmallWorld

CTC_COUNTS: Final = (1, 2, 3)
FAULTS: Final[tuple[OneFault, ...]] = tuple(
    fault for fault in OneFault if fault is not OneFault.NONE
)
MESSAGES: Final = {1: (4, 4), 2: (4, 4), 3: (2, 2)}
"""How many messages each way are feasible, by the number of CTCs."""
FAULT_MESSAGES: Final = (1, 1)
"""How many messages each way are feasible with a fault."""
AT_ONCE_MESSAGES: Final = ((4, 1), (3, 2), (3, 3), (4, 4))
"""How many messages each way are feasible on most CTCs if all are sent at the start."""
AT_ONCE_FAULT_MESSAGES: Final = {
    OneFault.FRAME_LOST: ((1, (2, 2)), (1, (4, 4)), (2, (2, 2)), (2, (4, 4)), (3, (2, 2))),
    OneFault.FRAME_DOUBLED: ((1, (2, 2)), (1, (4, 4)), (2, (2, 2)), (2, (4, 4)), (3, (2, 2))),
    OneFault.CTC_LOST: ((1, (2, 2)), (1, (4, 4)), (2, (2, 2)), (3, (2, 1)), (3, (2, 2))),
    OneFault.RESTARTED: ((1, (2, 2)), (1, (4, 4)), (2, (2, 2)), (3, (2, 2))),
}
"""The same with a fault, and the number of CTCs."""
STATES_MAX: Final = 20_000_000
"""What two processes have memory for: the largest pair here has 6.6 million, in 6.8 GB, the three
systems 11.2 million, in more than 2 GB."""


def quick_worlds() -> Iterator[SmallWorld]:
    """Worlds of some thousand states each."""
    for rules in (FIRST_WINS, SECOND_WINS):
        yield SmallWorld(1, (1, 1), arbitrations=rules)
        yield SmallWorld(1, (1, 1), OneFault.FRAME_LOST, rules, at_once=True)
    yield SmallWorld(1, (2, 1))
    yield SmallWorld(1, (1, 2), traffic=Traffic.LEGACY)
    yield SmallWorld(1, (0, 4), at_once=True)
    for fault in (OneFault.FRAME_LOST, OneFault.FRAME_DOUBLED):
        yield SmallWorld(1, (1, 1), fault)
    for fault in (OneFault.CTC_LOST, OneFault.RESTARTED):
        yield SmallWorld(1, (1, 1), fault, at_once=True)
    for ctc_count in (2, 3):
        yield SmallWorld(ctc_count, (1, 1))
        yield SmallWorld(ctc_count, (1, 1), OneFault.FRAME_LOST, at_once=True)


def long_worlds() -> Iterator[SmallWorld]:
    """Pairs of 1 to 3 CTCs with up to `MESSAGES` each way; with a fault, up to `FAULT_MESSAGES`.

    If all are sent at the start, there may be more of them, for there are fewer orders.
    That nothing sticks has to be seen in each: in a larger one, a later message could free it.
    """
    for ctc_count in CTC_COUNTS:
        for messages in _up_to(MESSAGES[ctc_count]):
            yield SmallWorld(ctc_count, messages)
        for fault in FAULTS:
            for messages in _up_to(FAULT_MESSAGES):
                yield SmallWorld(ctc_count, messages, fault)
    for rules in (FIRST_WINS, SECOND_WINS):
        yield SmallWorld(1, (4, 4), arbitrations=rules)
    yield SmallWorld(1, (4, 4), traffic=Traffic.LEGACY)
    for fault, feasible in AT_ONCE_FAULT_MESSAGES.items():
        for ctc_count, messages in feasible:
            yield SmallWorld(ctc_count, messages, fault, at_once=True)
    for messages in AT_ONCE_MESSAGES:
        yield SmallWorld(max(CTC_COUNTS), messages, at_once=True)


def clusters() -> Iterator[SmallWorld]:
    """Three systems: a message each way over each link, which makes 11 million states."""
    yield SmallWorld(1, (1, 0), system_count=3)
    yield SmallWorld(1, (1, 1), at_once=True, system_count=3, links=((0, 1), (1, 2)))
    yield SmallWorld(1, (1, 1), at_once=True, system_count=3)
    copying = SmallWorld(1, (1, 1), traffic=Traffic.LEGACY, at_once=True)
    yield replace(copying, system_count=3, links=((0, 1), (1, 2)))


def _up_to(most: tuple[int, int]) -> list[tuple[int, int]]:
    """So many messages each way, or fewer, but some."""
    first, second = most
    return [both for both in product(range(first + 1), range(second + 1)) if any(both)]


def visit(world: SmallWorld) -> tuple[SmallWorld, Explored | str, float]:
    """What was found in a world, or the counterexample, and the processor time in s."""
    began = time.process_time()
    found: Explored | str
    try:
        found = explore(world, STATES_MAX, reduced=True)
    except Counterexample as error:
        found = str(error)
    return world, found, time.process_time() - began


def main(arguments: list[str]) -> int:
    """Explore, as many worlds at a time as there are processors; return the exit status."""
    worlds: list[SmallWorld] = [*quick_worlds()]
    if "quick" in arguments:
        worlds += [*clusters()][:1]
    else:
        worlds += [*long_worlds(), *clusters()]
    every: list[Explored] = []
    processor_seconds = 0.0
    began = time.perf_counter()
    with multiprocessing.Pool(maxtasksperchild=1) as pool:
        for world, found, seconds in pool.imap_unordered(visit, reversed(worlds)):
            if isinstance(found, str):
                print(f"{world}: {found}")
                return 1
            every.append(found)
            processor_seconds += seconds
            print(
                f"{seconds:5.0f} s {found.state_count:9,} states {found.transition_count:10,} "
                f"transitions {found.depth:3} deep: {world}",
                flush=True,
            )
    states, transitions, endless = (
        sum(getattr(found, name) for found in every)
        for name in ("state_count", "transition_count", "endless_count")
    )
    print(f"{len(worlds)} worlds, {states:,} states, {transitions:,} transitions,")
    print(f"{time.perf_counter() - began:.0f} s, {processor_seconds:.0f} s of processors:")
    print("nothing was lost, doubled or out of turn; from every state a way leads to the end;")
    print(f"{endless:,} states from which a schedule that neglects something could go on for ever.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
