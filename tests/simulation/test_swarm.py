"""The swarm: many runs, each with its configuration and its misfortunes drawn from one seed.

``SEED=17 pytest -m "" tests/simulation`` begins with seed 17; ``make simulate SEED=17`` runs
more of them.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Final

import pytest

from ctc.address import Rdev
from ctc.frame import Frame, Signal, StatusFrame
from ctc.profiles import FEATURES
from isfc.link.message import Message, Traffic
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.link.schedule import CTCS_MAX
from isfc.link.state import DeviceState
from isfc.testing.invariants import Ledger
from isfc.testing.pair import BOTH_FAIL, FIRST_WINS, MS, SECOND_WINS, US, Pair, Setup

FIRST_SEED: Final = int(os.environ.get("SEED") or 0)
AT_LENGTH: Final = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
SEEDS: Final = range(FIRST_SEED, FIRST_SEED + (1_000 if AT_LENGTH else 25))

STEPS: Final = 60


def draw_parameters(random: Random) -> LinkParameters:
    """Costs from nothing to threefold, and limits from one message to the usual."""
    usual = LinkParameters()
    changes: dict[str, object] = {
        name: type(value)(value * random.choice([0, 0.3, 1, 1, 3]))
        for name in usual.__slots__
        if isinstance(value := getattr(usual, name), int | float)
    }
    limits = [PackageLimit(1), PackageLimit(50_000, 17_000), usual.package_limit]
    changes["package_limit"] = random.choice(limits)
    changes["mih_ns"] = random.choice([100 * MS, usual.mih_ns])
    return replace(usual, **changes)  # type: ignore[arg-type]  # each of its own type


def draw_setup(random: Random) -> Setup:
    """What the pair is made of."""
    ctc_count = random.choice([1, 1, 2, 3, 4, random.randint(5, CTCS_MAX)])
    return Setup(
        ctc_count=ctc_count,
        fibre_count=random.randint(1, min(4, ctc_count)),
        feature=random.choice(sorted(FEATURES)),
        arbitrations=random.choice([BOTH_FAIL, BOTH_FAIL, FIRST_WINS, SECOND_WINS]),
        parameters=draw_parameters(random),
        propagation_ns=random.choice([1, US, 50 * US, MS // 2]),
        roundtrip=random.random() < 0.3,
    )


class Weather:
    """Loses frames for as long as it is bad. Cables that come up are not its business."""

    def __init__(self, random: Random, share: float) -> None:
        self.bad = True
        self._random = random
        self._share = share

    def __call__(self, rdev: Rdev, frame: Frame) -> bool:  # a `Lose`
        if isinstance(frame, StatusFrame) and frame.signal in (Signal.READY, Signal.NOT_READY):
            return False
        return self.bad and self._random.random() < self._share


class Swarm:
    """One pair and everything that happens to it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        share = self.random.choice([0, 0, 0.01, 0.1])
        self.weather = Weather(Random(seed + 1), share)
        self.pair = Pair(draw_setup(self.random), lose=(self.weather, self.weather))
        self.ledger = Ledger(self.pair)
        self._plugged = [True] * self.pair.setup.ctc_count
        if self.random.random() < 0.5:
            self.pair.second.answer = lambda m: [Message(m.conversation, 1_000, m.traffic)]

    def run(self) -> None:
        """Let things happen; then let all be well, and look whether everything has arrived."""
        deeds: list[Callable[[], None]] = [self.send, self.send, self.wait, self.wait]
        deeds += self.random.choice([[], [self.pull_or_plug], [self.pull_or_plug, self.vary]])
        for _ in range(STEPS):
            self.random.choice(deeds)()
            self.ledger.check()
        self.weather.bad = False
        for index, plugged in enumerate(self._plugged):
            if not plugged:
                self.pair.plug(index)
        for side in self.pair.sides:
            for index, ctc in enumerate(side.end.link.ctcs.values()):
                if ctc.state is DeviceState.INACTIVE:
                    self.pair.activate(side, index)
        self.ledger.check_end()

    def send(self) -> None:
        random = self.random
        traffic = random.choice(list(Traffic))
        top = random.choice([1_000, 30_000, 120_000, 1_000_000])
        sizes = [random.randint(1, top) for _ in range(random.choice([1, 1, 5, 30]))]
        number = 2 * random.randrange(4) + traffic
        for side in random.choice([self.pair.sides, self.pair.sides[:1], self.pair.sides[1:]]):
            self.pair.send(side, *sizes, conversation=number, traffic=traffic)

    def wait(self) -> None:
        self.pair.run(int(10 ** self.random.uniform(2, 8)))

    def pull_or_plug(self) -> None:
        index = self.random.randrange(self.pair.setup.ctc_count)
        (self.pair.unplug if self._plugged[index] else self.pair.plug)(index)
        self._plugged[index] = not self._plugged[index]

    def vary(self) -> None:
        side = self.random.choice(self.pair.sides)
        index = self.random.randrange(self.pair.setup.ctc_count)
        state = side.end.link.ctcs[side.rdevs[index]].state
        inactive = state is DeviceState.INACTIVE
        (self.pair.activate if inactive else self.pair.deactivate)(side, index)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_whatever_happens(seed: int) -> None:
    Swarm(seed).run()


def test_seed_decides_everything() -> None:
    stories = []
    for seed in (FIRST_SEED, FIRST_SEED, FIRST_SEED + 1):
        swarm = Swarm(seed)
        swarm.run()
        stories.append([side.trace.records for side in swarm.pair.sides])
    assert stories[0] == stories[1] != stories[2]
