"""No partner can break a node, whatever it sends."""

import gc
import tracemalloc
from dataclasses import replace
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from ctc.device import Arbitration
from ctc.frame import CommandFrame, Frame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.engine.wire import NUMBER_MAX
from isfc.link.message import Message, Traffic
from isfc.link.parameters import LinkParameters
from isfc.testing.pair import BOTH_FAIL, FIRST_WINS, MS, SECOND_WINS, S, Setup
from isfc.testing.strategies import UINT32_MAX, frames
from tests.lengthy import few_in_every_run
from tests.properties.hostile import Hostile, data, message

indexes = st.integers(0, 15)
small = st.integers(0, 6)
numbers = st.one_of(small, small, st.sampled_from([2**40, NUMBER_MAX]))
COMMANDS = [Command.WRITE, Command.READ, *Command]

segments = st.builds(
    message,
    st.one_of(small, st.integers(0, 9_999)),
    numbers,
    st.sampled_from([0, 1, 100, 100_000]),
    more=st.booleans(),
    acknowledges=st.booleans(),
    traffic=st.sampled_from(Traffic),
)


class HostilePartner(RuleBasedStateMachine):
    """Frames of any kind in any order, with the right serials and with wrong ones."""

    def __init__(self) -> None:
        super().__init__()
        self.hostile = Hostile(Setup(ctc_count=1))

    @initialize(
        ctc_count=st.integers(1, 3), rules=st.sampled_from([BOTH_FAIL, FIRST_WINS, SECOND_WINS])
    )
    def begin(self, ctc_count: int, rules: tuple[Arbitration, Arbitration]) -> None:
        self.hostile = Hostile(Setup(ctc_count=ctc_count, arbitrations=rules))
        for rdev in self.hostile.rdevs:
            self.hostile.frame(rdev, StatusFrame(Signal.READY, 0))

    def send_frame(self, index: int, frame: Frame) -> None:
        self.hostile.frame(self.hostile.rdevs[index % len(self.hostile.rdevs)], frame)

    @rule(index=indexes, frame=frames)
    def anything(self, index: int, frame: Frame) -> None:
        self.send_frame(index, frame)

    @rule(
        index=indexes,
        command=st.sampled_from(COMMANDS),
        serial=numbers,
        length=st.integers(0, UINT32_MAX),
    )
    def command(self, index: int, command: Command, serial: int, length: int) -> None:
        self.send_frame(index, CommandFrame(command, serial, length, length % 7))

    @rule(index=indexes, signal=st.sampled_from(Signal), serial=numbers)
    def signal(self, index: int, signal: Signal, serial: int) -> None:
        self.send_frame(index, StatusFrame(signal, serial))

    @rule(index=indexes)
    def received(self, index: int) -> None:
        rdev = self.hostile.rdevs[index % len(self.hostile.rdevs)]
        self.send_frame(index, StatusFrame(Signal.RECEIVED, self.hostile.serials[rdev]))

    @rule(
        index=indexes,
        serial=numbers,
        number=numbers,
        inside=st.lists(segments, min_size=1, max_size=4),
    )
    def package(self, index: int, serial: int, number: int, inside: list[Message]) -> None:
        self.send_frame(index, data(serial, number, *inside))

    @rule(duration_ns=st.one_of(st.integers(1, MS), st.sampled_from([10 * MS, 20 * S])))
    def run_on(self, duration_ns: int) -> None:
        self.hostile.run(duration_ns)

    @rule(
        sizes=st.lists(st.sampled_from([10, 50_000, 300_000]), min_size=1, max_size=3),
        traffic=st.sampled_from(Traffic),
    )
    def send(self, sizes: list[int], traffic: Traffic) -> None:
        self.hostile.send(*sizes, conversation=traffic, traffic=traffic)

    @rule(index=indexes)
    def operate(self, index: int) -> None:
        self.hostile.operate(index)

    @rule(index=indexes, again=st.booleans())
    def reconnect(self, index: int, again: bool) -> None:
        rdev = self.hostile.rdevs[index % len(self.hostile.rdevs)]
        self.hostile.disconnect(rdev)
        if again:
            self.hostile.connect(rdev)

    def teardown(self) -> None:
        self.hostile.expect_to_work_with_a_good_partner()


TestHostilePartner = pytest.mark.at_length(pytest.mark.slow(HostilePartner.TestCase))
TestHostilePartner.settings = settings(stateful_step_count=40)


def draw_frame(random: Random, hostile: Hostile, index: int, theirs: list[int]) -> Frame:
    """A frame that fits more often than chance would have it."""
    if random.random() < 0.3:
        theirs[index] += 1
    serial = random.choice([theirs[index], theirs[index], 1, random.randrange(50), NUMBER_MAX])
    match random.randrange(8):
        case 0 | 1 | 2:
            if serial == NUMBER_MAX and random.random() < 0.9:
                serial = theirs[index]
            return CommandFrame(random.choice(COMMANDS), serial, random.randrange(10**6), 3)
        case 3 | 4:
            inside = [
                message(
                    random.randrange(20),
                    random.choice([0, 1, 2, random.randrange(1_000), NUMBER_MAX]),
                    random.choice([0, 10, 1_000, 200_000]),
                    more=random.random() < 0.3,
                    acknowledges=random.random() < 0.2,
                    traffic=random.choice(list(Traffic)),
                )
                for _ in range(random.randint(1, 5))
            ]
            return data(serial, random.choice([random.randrange(9_999), 2**50]), *inside)
        case 5:
            rdev = hostile.rdevs[index]
            return StatusFrame(Signal.RECEIVED, hostile.serials[rdev])
        case _:
            signal = random.choice([Signal.READY, Signal.READY, *Signal])
            return StatusFrame(signal, random.choice([0, theirs[index], serial]))


def torment(seed: int, steps: int) -> None:
    random = Random(seed)
    setup = Setup(
        ctc_count=random.randint(1, 4),
        fibre_count=1,
        arbitrations=random.choice([BOTH_FAIL, FIRST_WINS, SECOND_WINS]),
    )
    hostile = Hostile(setup)
    theirs = [0] * setup.ctc_count
    for _ in range(steps):
        index = random.randrange(setup.ctc_count)
        match random.randrange(12):
            case 0:
                hostile.run(random.choice([MS, 10 * MS, 20 * S]))
            case 1 | 2 | 3:
                hostile.run(random.randrange(200_000))
            case 4:
                traffic = random.choice(list(Traffic))
                hostile.send(
                    random.choice([10, 100_000, 400_000]), conversation=traffic, traffic=traffic
                )
            case 5 if random.random() < 0.2:
                hostile.operate(random.randrange(100))
            case _:
                hostile.frame(hostile.rdevs[index], draw_frame(random, hostile, index, theirs))
    hostile.expect_to_work_with_a_good_partner()


@pytest.mark.parametrize("seed", range(20))
def test_node_survives_any_frames_and_works_with_a_good_partner_again(seed: int) -> None:
    torment(seed, 150)


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 105))
def test_node_survives_a_long_torment(seed: int) -> None:
    torment(seed, 3_000)


@pytest.mark.at_length
@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(105, 120))
def test_node_survives_many_long_torments(seed: int) -> None:
    torment(seed, 3_000)


def flood(hostile: Hostile, kind: str, number: int) -> None:
    """One round of something that a partner may go on and on with, faster than time passes."""
    rdev = hostile.rdevs[number % len(hostile.rdevs)]
    match kind:
        case "resets":
            hostile.frame(rdev, StatusFrame(Signal.RESET, number))
        case "attentions":
            hostile.frame(rdev, CommandFrame(Command.WRITE, number + 1, 100, 1))
            hostile.frame(rdev, StatusFrame(Signal.NOT_READY, number + 1))
            hostile.frame(rdev, StatusFrame(Signal.READY, number + 1))
        case "commands":
            hostile.frame(rdev, CommandFrame(COMMANDS[number % len(COMMANDS)], number, 100, 1))
        case "data":
            hostile.frame(rdev, data(number % 7, number, message(number, 0)))
        case "connections":
            hostile.disconnect(rdev)
            hostile.connect(rdev)
            hostile.frame(rdev, StatusFrame(Signal.READY, 0))
    hostile.carried.clear()


def held_after(hostile: Hostile, kind: str, rounds: range) -> int:
    """Bytes that Python holds after so many rounds."""
    for number in rounds:
        flood(hostile, kind, number)
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.at_length
@pytest.mark.parametrize("sends", [pytest.param(False, marks=pytest.mark.exhaustive), True])
@pytest.mark.parametrize("rounds", [1_000, pytest.param(3_500, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    "kind", few_in_every_run(["data", "connections", "resets", "attentions", "commands"], 2)
)
def test_flood_takes_no_memory_and_leaves_no_queue(kind: str, rounds: int, sends: bool) -> None:
    hostile = Hostile(Setup(ctc_count=3))
    for rdev in hostile.rdevs:
        hostile.frame(rdev, StatusFrame(Signal.READY, 0))
    if sends:
        hostile.send(*[100_000] * 20)
        hostile.send(*[100_000] * 20, conversation=1, traffic=Traffic.LEGACY)
    tracemalloc.start()
    try:
        before = held_after(hostile, kind, range(1, 500))
        after = held_after(hostile, kind, range(500, 500 + rounds))
    finally:
        tracemalloc.stop()
    assert after - before < 15 * rounds, "something is kept of each"
    for rdev in hostile.rdevs:
        hostile.disconnect(rdev)
    hostile.run(20 * MS)  # all that was begun is done soon
    due_ns = hostile.system.next_deadline()
    assert due_ns is None or due_ns > hostile.now_ns + 10 * S
    hostile.expect_to_work_with_a_good_partner()


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "traffic", "errors"),
    [
        # 65,536 messages are let in, then every package is refused
        ("gaps", Traffic.TRANSPORT, 35),
        ("gaps", Traffic.LEGACY, 35),
        ("conversations", Traffic.TRANSPORT, 35),
        ("conversations", Traffic.LEGACY, 35),
        # what does not end is given up, and all begins again
        ("segments", Traffic.TRANSPORT, 1),
    ],
)
def test_packages_that_never_make_sense_take_bounded_memory(
    kind: str, traffic: Traffic, errors: int
) -> None:
    """A partner who writes as the hardware wants it, and fills packages with what must be kept."""
    parameters = replace(LinkParameters(), dispatch_ns=0)
    hostile = Hostile(Setup(ctc_count=1, parameters=parameters))
    (rdev,) = hostile.rdevs
    hostile.frame(rdev, StatusFrame(Signal.READY, 0))
    made = {
        "gaps": lambda n: message(0, n + 1, 0, traffic=traffic),
        "segments": lambda n: message(0, n, 0, more=True, traffic=traffic),
        "conversations": lambda n: message(n, 0, 0, traffic=traffic),
    }[kind]
    serial = 0
    for number in range(100):
        serial += 1
        hostile.frame(rdev, CommandFrame(Command.WRITE, serial, 1_000, 1))
        hostile.run(MS)
        serial += 1
        numbers = range(1_000 * number, 1_000 * (number + 1))
        hostile.frame(rdev, data(serial - 1, number, *map(made, numbers)))
        hostile.run(MS)
        hostile.carried.clear()
    assert hostile.error_count == errors
    if kind != "conversations":  # no new one can be begun then, until the link restarts
        hostile.expect_to_work_with_a_good_partner()
