"""``isfc up``: all systems of a layout, each in a process of its own, on this machine."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ctc.address import Rdev, format_chpid
from isfc.cli.live.loops import loop_factory
from isfc.cli.live.lose import AskedOptions
from isfc.cli.live.measured import run_measured
from isfc.cli.live.options import LiveOptions, LogFormat, LogLevel, LogLevelOption, ObserveOptions
from isfc.cli.live.processes import LiveSystems
from isfc.cli.options.layout import LayoutFileArgument, check_lasting, open_collection
from isfc.cli.options.option import (
    JsonOption,
    LinkOption,
    flag,
    flattened,
    valued,
    within,
    words_of,
)
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.streams import show, show_error, show_log
from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.live.run_directory import run_directory, running_groups, starting

FILES_MAX = 1_048_576


class SparingObserveOptions(ObserveOptions, frozen=True):
    """The same, with warnings only in the log unless more is asked for: the page says the rest."""

    log_level: LogLevelOption = LogLevel.WARNING


@flattened
def up(
    layout: LayoutFileArgument,
    *,
    link_name: LinkOption = None,
    options: LiveOptions,
    journal: Annotated[
        Path | None,
        valued(
            "DIR",
            "Record what each node is given, in DIR/NAME.journal; of each of several links, "
            "in DIR/NAME-PARTNER.journal.",
        ),
    ] = None,
    observed: SparingObserveOptions,
    plain: Annotated[
        bool, flag("--plain", "A line a second, as for a log, instead of a page.")
    ] = False,
    detached: Annotated[
        bool, flag("--detach", "Return when every link is up; --end ends all systems.")
    ] = False,
    asked: AskedOptions,
    ready: Annotated[int | None, typer.Option(hidden=True, callback=within(3, FILES_MAX))] = None,
    json: JsonOption = False,
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
    if asked.option:
        others = (options, observed, journal, plain, detached, json)
        if others != (LiveOptions(), SparingObserveOptions(), None, False, False, False):
            raise ConfigurationError(
                f"{asked.option}: takes the options of what runs; expected no others"
            )
        collection = open_collection(layout).collection
        if said := asked.answer(replace(collection, links=links), " ".join(named)):
            show(*said)
        return
    observed.check_several(len(systems.names))
    loop_factory()
    if detached:
        words = [*named, *words_of(options), *observed.arguments(0)]
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
    with starting(names):
        if any({*names} & {*running.names} for running in running_groups()):
            raise ConfigurationError(
                f"--detach: {' or '.join(names)} runs already, and no command could tell the two "
                f"apart; {ending} ends the one that runs"
            )
        log = run_directory() / f"{'-'.join(names)}.log"
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


def detach(words: Sequence[str], log: Path) -> int:
    """Run ``isfc up`` with these words until it says that its link is up; 0, or how it ended.

    What it says goes to ``log``, and is shown if it ended. Ctrl-C ends it as long as we wait.
    """
    ours, theirs = os.pipe()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "isfc", "up", *words, "--ready", str(theirs)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(theirs,),
            start_new_session=True,
            env=os.environ | {"PYTHONSAFEPATH": "1"},
        )
    os.close(theirs)
    try:
        with os.fdopen(ours, "rb") as pipe:
            if pipe.read(1):
                return ExitCode.GOOD
    except BaseException:
        process.terminate()
        process.wait()
        raise
    code = process.wait()
    for line in log.read_text("utf-8", "replace").splitlines():
        show_log(line)
    return code or ExitCode.FAILED


def say_ready(descriptor: int) -> None:
    """Tell whoever detached us that the link is up.

    If it was killed while it waited, nobody knows of us: then all ends, as with Ctrl-C.
    """
    try:
        os.write(descriptor, b"up")
    except BrokenPipeError:
        os.kill(os.getpid(), signal.SIGTERM)
    os.close(descriptor)
