"""Public records, each made in a process that has done nothing but ``import isfc``.

``python -m tests.isfc.records_made FOLDER`` makes them, tries copies, and leaves each pickled in a
folder; with ``read`` behind it, it reads them there. Both print what is wrong, and nothing if all
is well. No module of isfc is loaded here: that is what is tried.
"""

import copy
import dataclasses
import json
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

import isfc
from isfc.reports.text import encoded

HERE: Final = Path(__file__).parents[2]
DISKS: Final = HERE / "docs" / "io" / "two-channels.toml"
BOTH: Final = HERE / "docs" / "io" / "shared.toml"
LINKS: Final = HERE / "isfc" / "layout" / "shipped" / "two-cecs.toml"
PAGES: Final = HERE / "tests" / "data" / "measured" / "two-pages.txt"
WEEK: Final = HERE / "docs" / "measured" / "week.csv"
ONE: Final = "published-1"
SHORT: Final[Any] = {"seconds": 0.01, "warmup": 0.01}
"""Keyword arguments of a short run."""


def guest() -> isfc.GuestPlan:
    """A small one."""
    memory = isfc.GuestMemory(size=2**20, touched=2**20)
    return isfc.GuestPlan("LINUX1", memory, isfc.Limits(max_total=10.0))


def imported() -> isfc.Imported:
    """What was exported."""
    layout = isfc.load_layout("atlanta-boston")
    texts = isfc.export(layout, "iocp").texts
    return isfc.import_iocp([*texts.values()], partitions=",".join(layout.nodes))


def measured() -> isfc.measured.Measurements:
    """What a site's page says."""
    return isfc.measured.read([PAGES], ran=["HL:50"])


def edits() -> list[isfc.Edit]:
    """One of each kind."""
    return [
        isfc.AddCtc("1"),
        isfc.MoveCtc("A-B", "6001", "2"),
        isfc.SwapRdevs("A-B", "6000", "6001"),
        isfc.RenumberCtc("A-B", "6000", ("6100", "7100")),
        isfc.SetFibre("1", "FICON Express4", km=1.0),
        isfc.AddFibre("A-B", ("60", "61"), "FICON Express4"),
        isfc.RemoveCtc("A-B", "6002"),
        isfc.TakeAdvice("A-B", "chpid-crowded"),
    ]


def swept() -> isfc.Sweep:
    """A grid of one run."""
    grid = {"layout": [ONE], "workload": ["HS"], "pairs": [1]}
    return isfc.sweep({"seconds": 0.01, "warmup": 0, "grid": grid}, jobs=1)


def compared() -> isfc.ComparedResults:
    """Two runs with other seeds."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("a.json", "b.json")]
        for seed, file in enumerate(files, start=1):
            ran = isfc.simulate(ONE, "HS", pairs=1, seed=seed, **SHORT).answer
            file.write_text(json.dumps(encoded(ran)))
        return isfc.compare_results(*files)


def shown() -> list[isfc.JournalInput]:
    """A journal's first inputs."""
    from tests.isfc.engine.test_journal import recorded  # it loads isfc's modules

    with tempfile.NamedTemporaryFile() as file:
        file.write(recorded()[1].data)
        file.flush()
        return [*islice(isfc.journal_show(file.name), 3)]


def replayed() -> isfc.JournalReplay:
    """A journal."""
    from tests.isfc.engine.test_journal import recorded  # it loads isfc's modules

    with tempfile.NamedTemporaryFile() as file:
        file.write(recorded()[1].data)
        file.flush()
        return isfc.journal_replay(file.name)


MADE: Final[Mapping[str, Callable[[], Any]]] = {
    "layout": lambda: isfc.load_layout("atlanta-boston"),
    "collection": lambda: isfc.parse_links(LINKS.read_text("utf-8")),
    "memory": lambda: isfc.Memory(isfc.NodeName("ALPHA"), 64.0),
    "edits": edits,
    "names": lambda: [
        isfc.NodeName("ALPHA"),
        isfc.SeverCode.BUSY,
        isfc.Traffic.LEGACY,
        isfc.file_kind(b"IODEVICE")[0],
    ],
    "errors": lambda: [
        isfc.ConfigurationError("x"),
        isfc.Backpressure("x", 1, 2),
        isfc.ConversationSevered(isfc.SeverCode.BUSY, "x"),
    ],
    "workload": lambda: isfc.Workload.own("own", {100: 100}, 1),
    "conversations": lambda: isfc.ConversationLimits(window_length=5),
    "judge": lambda: isfc.judge("atlanta-boston"),
    "plan": lambda: [isfc.plan(ONE), isfc.plan("two-cecs", rule=True)],
    "export": lambda: isfc.export("atlanta-boston", "iocp"),
    "imported": imported,
    "connections": lambda: isfc.connections("two-cecs"),
    "change": lambda: isfc.change("published-4", ONE, rates=False),
    "check": lambda: isfc.check("two-cecs"),
    "losses": lambda: isfc.losses("two-cecs", rule=True),
    "collide": lambda: isfc.collide(ONE, offer_out=1, offer_in=1, steps=1, seconds=0.001, seeds=1),
    "replay": lambda: isfc.replay("stop_short"),
    "run": lambda: isfc.run(ONE, "HS", pairs=1, **SHORT),
    "run, viewed": lambda: isfc.run(ONE, "HS", pairs=1, look=isfc.Look(report="link"), **SHORT),
    "run, with faults": lambda: isfc.run(
        ONE, "HS", pairs=1, meanwhile=isfc.Meanwhile(fault_seed=1), **SHORT
    ),
    "run, as asked": lambda: [isfc.Look(), isfc.Meanwhile()],
    "simulate": lambda: isfc.simulate(ONE, "HS", pairs=1, interval=0.005, **SHORT),
    "timeline": lambda: isfc.simulate(ONE, "HS", pairs=1, trace=True, **SHORT).timeline,
    "simulate_links": lambda: isfc.simulate_links("two-cecs", ["ALPHA-BETA:HS:1"], **SHORT),
    "carried": lambda: isfc.carried(ONE, pairs=1),
    "figures": lambda: [
        isfc.carried(ONE, pairs=1)[0].stated,
        isfc.relocate(ONE, guest()).seconds,
    ],
    "plan_notes": lambda: isfc.plan_notes(ONE, isfc.carried(ONE, pairs=1)),
    "others_busy": lambda: isfc.others_busy(ONE),
    "relocate": lambda: isfc.relocate(ONE, guest()),
    "tenant": lambda: isfc.Tenant(guest(), to=isfc.NodeName("SERVER")),
    "evacuate": lambda: isfc.evacuate(
        ONE, "CLIENT", [isfc.Tenant(guest(), to=isfc.NodeName("SERVER"))]
    ),
    "rolling": lambda: isfc.rolling_maintenance(
        ONE, [isfc.Tenant(guest(), source=isfc.NodeName("CLIENT"))]
    ),
    "compare": lambda: isfc.compare([ONE, "published-4"], "HL", pairs=1),
    "optimise": lambda: isfc.optimise(ONE, pairs=1, seconds=0.01, runs=1, seeds=1),
    "size": lambda: isfc.size(mb_per_s=50, lost="none", feature=["FICON Express4"]),
    "io_plan": lambda: isfc.io_plan(DISKS),
    "io_run": lambda: isfc.io_run(DISKS, **SHORT),
    "io_beside": lambda: isfc.io_beside(BOTH, "HS", pairs=1, **SHORT),
    "io_size": lambda: isfc.io_size(DISKS),
    "journal_replay": replayed,
    "journal_show": shown,
    "sweep": swept,
    "compare_results": compared,
    "decks": lambda: isfc.Decks(["deck.iocp"], "A,B"),
    "measured.about": lambda: isfc.measured.AboutFiles(),
    "runs": lambda: [
        isfc.simulate(ONE, "HS", pairs=1, **SHORT).answer,
        isfc.simulate_links("two-cecs", ["ALPHA-BETA:HS:1"], **SHORT).answer,
    ],
    "io_chart": lambda: isfc.io_chart("mtu"),
    "measured.read": measured,
    "measured.compare": lambda: isfc.measured.compare("atlanta-boston", measured()),
    "measured.loads": lambda: isfc.measured.loads("atlanta-boston", [WEEK], lost="none"),
    "measured.fit": lambda: isfc.measured.fit("atlanta-boston", []),
}
"""By the function that makes it, or what it is."""


def faults(record: object, kinds: set[str]) -> Iterator[str]:
    """What copies of a record are not, and of each record in it; ``kinds`` gets their classes."""
    kinds.add(f"{type(record).__module__}.{type(record).__qualname__}")
    for how in (copy.copy, copy.deepcopy, _sent, *_replace(record)):
        try:
            if not equal(how(record), record):
                yield f"{type(record).__name__}: {how.__name__} is not equal"
        except Exception as error:  # whatever Python says
            yield f"{type(record).__name__}: {how.__name__}: {type(error).__name__}: {error}"
    for part in _parts(record):
        yield from faults(part, kinds)


def equal(one: object, other: object) -> bool:
    """Whether they are; exceptions are if they say the same."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, BaseException):
        return type(one) is type(other) and vars(one) == vars(other) and str(one) == str(other)
    return one == other


def _sent(record: object) -> object:
    return pickle.loads(pickle.dumps(record))


def _replace(record: object) -> list[Callable[[Any], object]]:
    return [dataclasses.replace] if dataclasses.is_dataclass(record) else []


def _parts(record: Any) -> Iterator[object]:
    if isinstance(record, str | bytes):
        return
    if isinstance(record, Mapping):
        yield from (each for pair in record.items() for each in pair)
    elif isinstance(record, list | tuple | frozenset | set):
        yield from record
    else:
        fields = getattr(record, "__dataclass_fields__", ())
        for name in fields or getattr(record, "__struct_fields__", ()):
            yield getattr(record, name)


def say(fault: str) -> None:
    """Print it."""
    sys.stdout.write(f"{fault}\n")


def make(folder: Path, name: str) -> None:
    """Try copies of one, and leave it there with what it shows, and the classes within it."""
    record = MADE[name]()
    kinds: set[str] = set()
    for fault in dict.fromkeys(faults(record, kinds)):
        say(f"{name}: {fault}")
    found = pickle.dumps((repr(record), kinds)) + pickle.dumps(record)
    (folder / name).write_bytes(found)


def read(folder: Path, name: str) -> None:
    """Say if it is another one here."""
    with (folder / name).open("rb") as file:
        shown, _ = pickle.load(file)
        record = pickle.load(file)
    if repr(record) != shown:
        say(f"{name}: is {record!r} here, and was {shown}")


def main(folder: Path, act: Callable[[Path, str], None]) -> None:
    """Do it for each record, in a process of its own that has imported isfc alone."""
    for name in MADE:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            try:
                act(folder, name)
            except Exception as error:  # whatever Python says
                say(f"{name}: {type(error).__name__}: {error}")
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), read if "read" in sys.argv[2:] else make)
