"""Looking at a live system, and telling another process what was seen."""

import json
import time
from types import SimpleNamespace
from typing import cast

from isfc.live.connection import LiveCounters
from isfc.live.engine import LiveEngine
from isfc.live.operator import LiveSnapshot, look, read_snapshot, snapshot_record
from isfc.live.pace import Lag
from isfc.testing.pair import Pair
from tests.isfc.live.snapshots import sight


def seen(*, paced: bool = True) -> LiveSnapshot:
    """A look at a node of a pair, as if its engine were live."""
    pair = Pair()
    pair.send(pair.first, *[500_000] * 3)
    pair.send(pair.second, *[500_000] * 3)
    pair.run(20_000_000)
    lag = Lag()
    lag.note(0, 5, 8)
    engine = SimpleNamespace(
        end=pair.first.end,
        now_ns=lambda: pair.engine.now_ns,
        counters=LiveCounters(4, 3, 2, 1),
        lag=lag,
    )
    return look(cast(LiveEngine, engine), paced=paced)


def test_a_look_has_what_node_and_engine_count() -> None:
    snapshot = seen()
    assert snapshot.node.name == "ATLANTA"
    assert snapshot.node.write_package_count > 0
    assert (snapshot.attached_count, snapshot.detached_count) == (4, 3)
    assert (snapshot.refused_count, snapshot.severed_count) == (2, 1)
    assert (snapshot.late_ns, snapshot.late_ns_max, snapshot.waited_ns) == (3, 3, 8)


def test_nothing_is_late_where_the_models_times_are_ignored() -> None:
    snapshot = seen(paced=False)
    assert (snapshot.late_ns, snapshot.late_ns_max, snapshot.waited_ns) == (0, 0, 0)


def test_where_the_models_times_are_ignored_processor_time_is_the_process_s() -> None:
    before_ns = time.process_time_ns()
    snapshot = seen(paced=False)
    assert before_ns < snapshot.node.cpu_ns <= time.process_time_ns()
    assert seen().node.cpu_ns != snapshot.node.cpu_ns


def test_what_another_process_reads_is_what_was_seen() -> None:
    for snapshot in (seen(), sight()):
        text = json.dumps(snapshot_record(snapshot), allow_nan=False)
        assert read_snapshot(json.loads(text)) == snapshot
