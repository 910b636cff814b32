"""Two nodes have one form if they will behave alike, and two if not."""

from isfc.link.message import Message
from isfc.system.inputs import Send
from isfc.system.system import System
from isfc.testing.pair import MS, Pair, S, Setup
from tools.simulation.canonical import canonical

SETUP = Setup(ctc_count=2)


def settled(now_ns: int) -> Pair:
    pair = Pair(SETUP)
    pair.run(now_ns)
    return pair


def form(pair: Pair) -> object:
    return canonical(pair.first.system, pair.engine.now_ns)


def test_same_node_at_another_time_has_the_same_form() -> None:
    assert form(settled(MS)) == form(settled(S))


def test_counters_do_not_count() -> None:
    quiet, busy = settled(S), settled(0)
    busy.first.end.link.ctcs[busy.first.rdevs[0]].counters.collision_count = 9
    assert form(quiet) == form(busy)


def test_what_waits_counts_and_so_does_how_long() -> None:
    forms = set()
    for length, later_ns in ((1, 0), (2, 0), (2, 10)):
        node = System([SETUP.definition(0)])
        node.apply(Send([Message(0, length)]), 0)
        forms.add(canonical(node, later_ns))
    assert len(forms) == 2  # without a CTC nothing has begun, so time changes nothing
    pairs = [settled(0), settled(0)]
    for pair in pairs:
        pair.send(pair.first, 5)
    pairs[1].run(10)
    assert form(pairs[0]) != form(pairs[1])


def test_transfer_under_way_counts_by_what_is_left_of_it() -> None:
    early, late = settled(0), settled(7 * MS)
    for pair in (early, late):
        pair.send(pair.first, 100_000)
        pair.run(400_000)
        assert len(pair.first.verbs("WRITE")) > len(pair.first.verbs("Ended"))
    assert form(early) == form(late)
    late.run(1)
    assert form(early) != form(late)
