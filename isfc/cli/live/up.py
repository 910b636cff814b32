"""``isfc up``: all systems of a layout, each in a process of its own, on this machine.

What is asked of one that runs: lost hardware, a system started again, its end. A piece has the name
that it has everywhere (`isfc.layout.loss`), and takes what `isfc plan` says: the devices of its
CTCs are varied offline at both systems, as far as these run. Which pieces are lost stands in the
directory of the ``isfc up``, for a system that is started again loses them too.
"""

import os
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from msgspec import Struct
from rich.console import RenderableType

from ctc.address import Rdev, format_chpid, format_rdev
from isfc.cli.live.loops import loop_factory
from isfc.cli.live.measured import run_measured
from isfc.cli.live.options import LiveOptions, LogFormat, LogLevel, LogLevelOption, ObserveOptions
from isfc.cli.live.processes import LiveSystems, detach, say_ready
from isfc.cli.options import option
from isfc.cli.options.layout import LayoutFileArgument, check_lasting, open_collection
from isfc.cli.output.file import write_file
from isfc.cli.output.streams import show, show_error
from isfc.errors import ConfigurationError
from isfc.errors.in_words import find_node, listed
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.loss import check_pieces, known_pieces, one_of_several, places_of, spelt
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX
from isfc.link.state import DeviceState
from isfc.live import run_directory as run_dirs
from isfc.live.control import ControlClient
from isfc.live.operator import read_snapshot
from isfc.reports.report import Column, Table
from isfc.reports.terminal import table_of
from isfc.system.cp.commands import is_up

COME_S: Final = 10.0
"""How long CTCs that are there again may take to come up, in seconds (chosen)."""

END_S: Final = 15.0
"""How long all systems may take to end, in seconds: the ``isfc up`` kills them after ten."""

START_S: Final = 60.0
"""How long the links of a system that is started again may take to come up, in seconds (chosen)."""

LOOK_S: Final = 0.05
FILES_MAX: Final = 1_048_576

_End = tuple[NodeName, Rdev]
"""A system, and a device of it."""


def running_group(asked_by: str, names: Iterable[NodeName]) -> run_dirs.RunningGroup:
    """The ``isfc up`` of some systems. Raises `ConfigurationError` where not just one runs."""
    groups = [
        group for group in run_dirs.running_groups() if group.names and {*group.names} <= {*names}
    ]
    if len(groups) != 1:
        found = f"{len(groups)} of them run" if groups else "none of them runs"
        raise ConfigurationError(f"{asked_by}: expected one 'isfc up' of this layout; {found}")
    return groups[0]


def running_of(group: run_dirs.RunningGroup) -> set[NodeName]:
    """Its systems that run: not those that were killed."""
    return {
        NodeName(node)
        for node, paths in run_dirs.running_nodes().items()
        if run_dirs.control_path(group.directory, node) in paths
    }


def pieces_lost(group: run_dirs.RunningGroup) -> list[str]:
    """The names of the pieces that are lost."""
    path = run_dirs.lost_path(group.directory)
    return path.read_text("utf-8").splitlines() if path.exists() else []


def change_lost(
    collection: Collection, lose: Sequence[str], restore: Sequence[str]
) -> tuple[list[str], list[dict[str, str]]]:
    """Lose pieces, and restore others; what is lost then, and how many CTCs of each link are up."""
    known = known_pieces(collection.links, collection.cecs)
    check_pieces(lose, known, "--lose")
    for piece in lose:
        if (isl := one_of_several(piece, collection)) is not None:
            raise ConfigurationError(
                f"--lose {piece}: leaves every CTC, and live systems know no rate of inter-switch "
                f"links; expected path:{isl.path}"
            )
    group = running_group("--lose" if lose else "--restore", collection.systems)
    before = pieces_lost(group)
    after = dict.fromkeys([*before, *(spelt(piece, known) for piece in lose)])
    for piece in restore:
        if spelt(piece, known) not in after:
            lost = listed([*after]) if after else "nothing"
            raise ConfigurationError(f"--restore {piece[:40]}: is not lost; lost is {lost}")
        del after[spelt(piece, known)]
    write_file(run_dirs.lost_path(group.directory), "".join(f"{piece}\n" for piece in after))
    gone, back = ends_of_pieces(collection, after), ends_of_pieces(collection, before)
    back -= gone
    for node in sorted(running_of(group)):
        path = run_dirs.control_path(group.directory, node)
        vary(path, [rdev for name, rdev in gone if name == node], "OFFLINE")
        vary(path, [rdev for name, rdev in back if name == node], "ONLINE")
    wait_settled(collection, group, COME_S)
    _, up = _look(group)
    count = {link: sum(ends <= up for ends in _ctcs(link)) for link in collection.links}
    return [*after], [
        {"link": link.name, "up": f"{count[link]} of {len(link.ctcs)}"} for link in count
    ]


def ends_of_pieces(collection: Collection, pieces: Iterable[str]) -> set[_End]:
    """Both ends of every CTC that goes with some pieces."""
    gone = {place for piece in pieces for place in places_of(piece, collection)}
    return {end for link in collection.links for ends in _ctcs(link) if ends & gone for end in ends}


def vary(control: Path, rdevs: Sequence[Rdev], how: str) -> None:
    """Vary devices of a running system; those that are so already stay so."""
    with ControlClient(control) as client:
        for first in range(0, len(rdevs), CTCS_MAX):
            some = " ".join(map(format_rdev, sorted(rdevs)[first : first + CTCS_MAX]))
            client.ask("cp", f"VARY {how} {some}")


def wait_settled(collection: Collection, group: run_dirs.RunningGroup, within_s: float) -> bool:
    """Wait until every CTC is up that both its systems have online; whether that came in time.

    What an operator has varied offline, or taken out of its link, is not waited for.
    """
    ctcs = [ends for link in collection.links for ends in _ctcs(link)]

    def settled() -> bool:
        online, up = _look(group)
        return all(ends <= up for ends in ctcs if ends <= online)

    return _wait(settled, time.monotonic() + within_s)


def _wait(until: Callable[[], bool], end_s: float) -> bool:
    """Wait until something is so, or until that time; whether it is so then."""
    while not (is_so := until()) and time.monotonic() < end_s:
        time.sleep(LOOK_S)
    return is_so


def _ctcs(link: Layout) -> list[set[_End]]:
    """Both ends of each CTC of a link."""
    return [{*zip(link.nodes, ctc.rdevs, strict=True)} for ctc in link.ctcs]


def _look(group: run_dirs.RunningGroup) -> tuple[set[_End], set[_End]]:
    """The ends of CTCs that are online, and active in their link; and those of them that are up."""
    online, up = set[_End](), set[_End]()
    for node in running_of(group):
        reply: dict[str, Any] = {"links": (), "offline": ()}
        with (
            suppress(ConnectionError, FileNotFoundError),  # it has just ended
            ControlClient(run_dirs.control_path(group.directory, node)) as client,
        ):
            reply = client.ask("snapshot")
        offline = {int(rdev, 16) for rdev in reply["offline"]}
        for device in (
            each for link in reply["links"] for each in read_snapshot(link).node.devices
        ):
            if device.state is not DeviceState.INACTIVE and device.rdev not in offline:
                online.add((node, device.rdev))
            if is_up(device.state):
                up.add((node, device.rdev))
    return online, up


class AskedOptions(Struct, frozen=True):
    """What is asked of the systems that run, instead of starting them."""

    only: Annotated[
        str | None,
        option.valued(
            "NODE",
            "Start this one again, which was killed, in the 'isfc up' of the layout that "
            "runs, with its options.",
        ),
    ] = None
    lose: Annotated[
        list[str] | None,
        option.valued(
            "PIECE",
            "Take hardware from the 'isfc up' of the layout that runs, named as for 'isfc "
            "plan --without': ALPHA:40, director:1, cec:EAST. May be given again.",
        ),
    ] = None
    restore: Annotated[
        list[str] | None, option.valued("PIECE", "Give lost hardware back. May be given again.")
    ] = None
    end: Annotated[
        bool, option.flag("--end", "End all systems of the 'isfc up' of the layout that runs.")
    ] = False

    def __post_init__(self) -> None:
        if self.end and (self.only or self.lose or self.restore):
            raise ConfigurationError("--end: expected none of --only, --lose and --restore with it")
        if self.only and (self.lose or self.restore):
            raise ConfigurationError("--only: expected neither --lose nor --restore with it")

    @property
    def asked_by(self) -> str | None:
        """The option that asks for something; None if nothing is asked."""
        return next(iter(option.words_of(self)), None)

    def answer(self, collection: Collection, named: str) -> list[RenderableType]:
        """Do it, and say what came of it; ``named`` is how the command line names the layout."""
        if self.end:
            end_all(running_group("--end", collection.systems))
            return []
        if self.only:
            name = find_node("--only", self.only, collection.systems)
            start_again(name, collection)
            return [f"{name} is up again."]
        lost, counts = change_lost(collection, self.lose or (), self.restore or ())
        columns = Column("link", "link"), Column("CTCs up", "up")
        table = table_of(Table("", columns, counts))
        back = f"; 'isfc up {named} --restore {lost[-1]}' gives it back" if lost else ""
        return [f"Lost: {listed(lost) if lost else 'nothing'}{back}.", "", table]


def end_all(group: run_dirs.RunningGroup) -> None:
    """Tell its process to end, and wait until that has tidied up."""
    os.kill(group.pid, signal.SIGTERM)
    if not _wait(lambda: not group.directory.exists(), time.monotonic() + END_S):
        raise OSError(f"process {group.pid} did not end within {END_S:g} s")


def start_again(name: NodeName, collection: Collection) -> None:
    """Return when its CTCs to systems that run are up again, as far as both have them online.

    Raises `ConfigurationError` where no ``isfc up`` of these systems runs, or the system does.
    """
    group = running_group(f"--only {name}", collection.systems)
    if name in running_of(group):
        raise ConfigurationError(f"--only {name}: runs already; expected one that was killed")
    path = run_dirs.control_path(group.directory, name)
    run_dirs.again_path(group.directory, name).touch()
    gone = ends_of_pieces(collection, pieces_lost(group))
    end_s = time.monotonic() + START_S
    if _wait(lambda: name in running_of(group), end_s):
        vary(path, [rdev for node, rdev in gone if node == name], "OFFLINE")
        if wait_settled(collection, group, end_s - time.monotonic()) and name in running_of(group):
            return
    raise OSError(f"{name} has not come up within {START_S:g} s")


class SparingObserveOptions(ObserveOptions, frozen=True):
    """The same, with warnings only in the log unless more is asked for: the page says the rest."""

    log_level: LogLevelOption = LogLevel.WARNING


_DESCRIPTOR: Final = option.within(3, FILES_MAX)
"""Of the pipe on which whoever detached us is told that the links are up."""


@option.flattened
def up(
    layout: LayoutFileArgument,
    *,
    link_name: option.LinkOption = None,
    options: LiveOptions,
    journal: Annotated[
        Path | None,
        option.valued(
            "DIR",
            "Record what each node is given, in DIR/NAME.journal; of each of several links, "
            "in DIR/NAME-PARTNER.journal.",
        ),
    ] = None,
    observed: SparingObserveOptions,
    plain: Annotated[
        bool, option.flag("--plain", "A line a second, as for a log, instead of a page.")
    ] = False,
    detached: Annotated[
        bool, option.flag("--detach", "Return when every link is up; --end ends all systems.")
    ] = False,
    asked: AskedOptions,
    ready: Annotated[int | None, typer.Option(hidden=True, callback=_DESCRIPTOR)] = None,
    json: option.JsonOption = False,
) -> None:
    """Run the systems of a layout live, and watch their links work.

    Each is a process of its own; Unix sockets join them, with a connection for each CTC.
    Operate them with 'isfc cp NODE' from another terminal. Ctrl-C ends all.
    """
    if json and options.seconds is None:
        raise ConfigurationError("--json: expected --seconds, for a result to print")
    check_lasting(layout)
    links = options.open_links(layout, link_name, quiet=ready is not None)
    named = [layout] if link_name is None else [layout, "--link", link_name]
    say_up = (
        partial(_say_up, links, observed.log_format) if ready is None else partial(say_ready, ready)
    )
    systems = LiveSystems(
        *(named, [link.nodes for link in links], options, journal, observed, say_up),
        chpids=_chpids(links[0]) if len(links) == 1 else {},
    )
    if asked.asked_by:
        others = (options, observed, journal, plain, detached, json)
        if others != (LiveOptions(), SparingObserveOptions(), None, False, False, False):
            raise ConfigurationError(
                f"{asked.asked_by}: takes the options of what runs; expected no others"
            )
        collection = open_collection(layout)
        if said := asked.answer(replace(collection, links=links), " ".join(named)):
            show(*said)
        return
    observed.check_several(len(systems.names))
    loop_factory()
    if detached:
        words = [*named, *option.words_of(options), *observed.arguments(0)]
        _detach(systems, words, journal, f"'isfc up {' '.join(named)} --end'")
        return
    run = partial(systems.run, plain=plain, quiet=json or ready is not None)
    run_measured(run, options, links, layout, json=json)


def _chpids(link: Layout) -> dict[Rdev, str]:
    """The chpids of each CTC, by the first node's device numbers."""
    return {ctc.rdevs[0]: " ".join(map(format_chpid, ctc.fibre.chpids)) for ctc in link.ctcs}


def _detach(systems: LiveSystems, words: list[str], journal: Path | None, ending: str) -> None:
    """Let another process run the systems, and end with it only if they do not come up.

    ``ending`` is the command that ends them.
    """
    if systems.options.seconds is not None:
        raise ConfigurationError("--detach and --seconds: nobody would see the result")
    names = systems.names
    with run_dirs.starting(names):
        if any({*names} & {*running.names} for running in run_dirs.running_groups()):
            raise ConfigurationError(
                f"--detach: {' or '.join(names)} runs already, and no command could tell the two "
                f"apart; {ending} ends the one that runs"
            )
        log = run_dirs.run_directory() / f"{'-'.join(names)}.log"
        code = detach([*words, *(["--journal", str(journal)] if journal else [])], log)
    if code:
        raise typer.Exit(code)
    verb, them = ("is", "it") if len(names) == 2 else ("are", "them")
    show(f"{' - '.join(names)} {verb} up; {ending} ends {them}.")


def _say_up(links: Sequence[Layout], log_format: LogFormat) -> None:
    """Say that the links are up, unless every line is to be a JSON document."""
    if log_format is LogFormat.TEXT:
        for link in links:
            first, second = link.nodes
            count = len(link.ctcs)
            show_error(f"the link {first} - {second} is up: {count} CTC{'s' * (count > 1)}")
