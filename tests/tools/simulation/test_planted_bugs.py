"""A bug of each class is found, whether or not orders that differ in nothing are left out."""

from collections.abc import Callable

import pytest
from mypy_extensions import i64

from ctc.queues import NEVER_NS
from isfc.link.link_ctc import Deadlines, LinkCtc
from isfc.link.logical_link import LogicalLink
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.segment import Resequencer
from isfc.link.state import DeviceState
from tools.simulation.exploration import Counterexample, explore
from tools.simulation.small_world import OneFault, SmallWorld

_COLLIDING = SmallWorld(1, (1, 1), at_once=True)
_COLLIDE = LogicalLink.__dict__["_collide"]
_POLL_DUE = Deadlines.__dict__["poll_due"]


def _lose(_: Resequencer, package: Package) -> list[Message]:
    """The first package is taken, and nobody has its messages."""
    return package.messages if package.number else []


def _double(_: Resequencer, package: Package) -> list[Message]:
    """A package that comes twice is handed over twice; one that has overtaken is not held."""
    return package.messages


def _forget(link: LogicalLink, ctc: LinkCtc, package: Package, now_ns: i64) -> None:
    """After a collision nobody writes again."""
    _COLLIDE(link, ctc, package, now_ns)
    ctc.package, ctc.due_ns = None, NEVER_NS


def _neglect(*_: object) -> list[LinkCtc]:
    """A missing interrupt is noticed, and nothing is done."""
    return []


def _starve(watch: Deadlines, now_ns: i64) -> list[LinkCtc]:
    """A recovery begins again when it is over: the end that is to write first never does."""
    due = _POLL_DUE(watch, now_ns)
    for ctc in due:
        if ctc.state is DeviceState.RECOVERING:
            watch.begin(ctc, now_ns)
    return [ctc for ctc in due if ctc.state is not DeviceState.RECOVERING]


def _pass_over(_: LogicalLink, ctc: LinkCtc, __: i64) -> None:
    """What collided is given up when its turn has come."""
    ctc.package, ctc.due_ns = None, NEVER_NS


@pytest.mark.parametrize("reduced", [False, True], ids=["every order", "reduced"])
@pytest.mark.parametrize(
    ("owner", "name", "planted", "world", "reason"),
    [
        (Resequencer, "accept", _lose, SmallWorld(1, (1, 0)), "deadlock"),
        (
            Resequencer, "accept", _lose, SmallWorld(1, (2, 0)),
            "message 2 arrives at 1, not 1",
        ),
        (
            Resequencer, "accept", _double, SmallWorld(1, (1, 0), OneFault.CTC_LOST),
            "message 1 arrives at 1, not 2",
        ),
        (
            Resequencer, "accept", _double, SmallWorld(3, (2, 0), at_once=True),
            "message 2 arrives at 1, not 1",
        ),
        (LogicalLink, "_collide", _forget, _COLLIDING, "deadlock|nothing was held"),
        (Deadlines, "poll_due", _neglect, SmallWorld(1, (1, 0), OneFault.FRAME_LOST), "livelock"),
        (Deadlines, "poll_due", _starve, _COLLIDING, "livelock"),
        (LogicalLink, "_write_again", _pass_over, _COLLIDING, "deadlock|livelock"),
    ],
    ids=[
        "loss", "loss before another", "doubling", "reordering", "deadlock", "livelock",
        "starvation of one", "starvation of both",
    ],
)  # fmt: skip
def test_planted_bug_is_found(
    monkeypatch: pytest.MonkeyPatch,
    owner: type,
    name: str,
    planted: Callable[..., object],
    world: SmallWorld,
    reason: str,
    reduced: bool,
) -> None:
    monkeypatch.setattr(owner, name, planted)
    with pytest.raises(Counterexample, match=reason):
        explore(world, reduced=reduced)
