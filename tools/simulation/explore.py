"""``make explore``: visit every state of pairs as large as a few minutes allow.

``python -m tools.simulation.explore [quick]`` prints a line for each and ends with 1 when one of
them has a counterexample, which is shown. With ``quick`` only those of a few seconds are visited.
"""

import sys
import time
from collections.abc import Iterator
from typing import Final

from isfc.link.message import Traffic
from isfc.testing.explore import Counterexample, explore
from isfc.testing.pair import BOTH_FAIL, FIRST_WINS, SECOND_WINS
from isfc.testing.small_world import Fault, SmallWorld

FAULTS: Final = (Fault.CTC_LOST, Fault.FRAME_LOST, Fault.FRAME_DOUBLED, Fault.RESTARTED)


def quick_worlds() -> Iterator[SmallWorld]:
    """Worlds of some thousand states each."""
    for rules in (FIRST_WINS, SECOND_WINS):
        yield SmallWorld(1, (1, 1), arbitrations=rules)
        yield SmallWorld(1, (1, 1), Fault.FRAME_LOST, rules, at_once=True)
    yield SmallWorld(1, (2, 1))
    yield SmallWorld(1, (1, 2), traffic=Traffic.LEGACY)
    yield SmallWorld(1, (0, 4), at_once=True)
    for fault in (Fault.FRAME_LOST, Fault.FRAME_DOUBLED):
        yield SmallWorld(1, (1, 1), fault)
    for fault in (Fault.CTC_LOST, Fault.RESTARTED):
        yield SmallWorld(1, (1, 1), fault, at_once=True)
    for ctc_count in (2, 3):
        yield SmallWorld(ctc_count, (1, 1))
        yield SmallWorld(ctc_count, (1, 1), Fault.FRAME_LOST, at_once=True)


def long_worlds() -> Iterator[SmallWorld]:
    """Worlds of up to a million states each."""
    yield SmallWorld(1, (2, 2))
    for rules in (FIRST_WINS, SECOND_WINS):
        yield SmallWorld(1, (2, 2), arbitrations=rules, at_once=True)
    for messages in ((4, 1), (1, 4), (3, 2), (2, 3), (4, 2)):
        yield SmallWorld(1, messages, at_once=True)
    for fault in FAULTS:
        yield SmallWorld(1, (2, 1), fault, at_once=True)
    for ctc_count in (2, 3):
        yield SmallWorld(ctc_count, (2, 1), at_once=True)
        yield SmallWorld(ctc_count, (4, 0), at_once=True)
        for fault in (Fault.FRAME_LOST, Fault.FRAME_DOUBLED):
            yield SmallWorld(ctc_count, (1, 1), fault)
    yield SmallWorld(2, (1, 1), Fault.CTC_LOST, at_once=True)
    yield SmallWorld(2, (1, 0), Fault.RESTARTED)
    yield SmallWorld(3, (1, 0), Fault.CTC_LOST)


def describe(world: SmallWorld) -> str:
    """One line that tells a world from others."""
    rules = "" if world.arbitrations == BOTH_FAIL else f" {world.arbitrations[0].name}"
    return (
        f"{world.ctc_count} CTC {world.messages[0]}+{world.messages[1]} messages "
        f"{'at the start' if world.at_once else 'any time'} {world.traffic.name} "
        f"{world.fault.name}{rules}"
    )


def main(arguments: list[str]) -> int:
    """Explore; return the exit status."""
    worlds = list(quick_worlds())
    if "quick" not in arguments:
        worlds += long_worlds()
    states = transitions = 0
    began = time.perf_counter()
    for world in worlds:
        try:
            found = explore(world)
        except Counterexample as error:
            print(f"{describe(world)}: {error}")
            return 1
        states += found.state_count
        transitions += found.transition_count
        print(
            f"{found.state_count:9,} states {found.transition_count:9,} transitions "
            f"{found.depth:3} deep: {describe(world)}",
            flush=True,
        )
    seconds = time.perf_counter() - began
    print(f"{len(worlds)} worlds, {states:,} states, {transitions:,} transitions, {seconds:.0f} s:")
    print("nothing was lost, doubled or out of turn; from every state a way leads to the end.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
