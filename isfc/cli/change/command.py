"""``isfc change``: the steps from one layout to another, and back."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from isfc.cli.change.decks import DeckChange, deck_changes
from isfc.cli.change.given import read_both
from isfc.cli.change.json import change_json
from isfc.cli.change.orders import Trial, trial_of
from isfc.cli.change.page import Change, change_lines
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption, LinkOption, complete_layout
from isfc.cli.options.option import flag, valued
from isfc.cli.output.file import ForceOption, check_file
from isfc.cli.output.progress import run_all
from isfc.cli.output.streams import show_json, show_lines, show_log, write_file
from isfc.errors import ConfigurationError
from isfc.layout.change import change_steps, changed_fibres
from isfc.layout.collection import Collection
from isfc.layout.sharing import in_use
from isfc.layout.write import format_collection
from scenarios.figures.rates import carried_alone

GivenArgument = Annotated[
    str,
    typer.Argument(
        metavar="LAYOUT",
        help="A layout file or a shipped layout; or IOCP decks or console logs, with commas "
        "between, which are imported.",
        autocompletion=complete_layout,
    ),
]


_LAYOUT, _SCRIPT = "change.toml", "change.cp"
"""What `--try` writes."""


class GivenOptions(Struct, frozen=True):
    """The two sides, and what has to be known of decks among them."""

    before: GivenArgument
    after: GivenArgument
    partitions: Annotated[
        str | None,
        valued(
            "NAME,NAME",
            "Of decks: the partitions to join, as for 'isfc import iocp'; the systems of the "
            "other layout if not said.",
        ),
    ] = None
    ports: Annotated[
        list[str] | None, valued("NODE:50=C1,...", "Of decks: the director port of a chpid.")
    ] = None

    def read(self) -> tuple[Collection, Collection]:
        """The links on both sides."""
        return read_both(self.before, self.after, self.partitions, self.ports or ())


@flattened
def change(
    given: GivenOptions,
    *,
    link: LinkOption = None,
    rates: Annotated[
        bool, flag("--rates/--no-rates", "What the link carries after each step.")
    ] = True,
    reset: Annotated[
        str | None,
        valued("NODE-NODE", "Take each CTC of a link out and in again, as if it is stuck."),
    ] = None,
    trial: Annotated[
        Path | None,
        valued(
            "FOLDER",
            "Write change.toml and change.cp there, with which 'isfc run' does the steps.",
            "--try",
        ),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Say step by step how one layout becomes another.

    What is new is added before what is gone leaves, so that no link is without a CTC unless there
    is no other way. Each step has its commands for each system and what the link carries then.
    The page is Markdown. docs/changing.md says what is known of the commands.
    """
    for name in (_LAYOUT, _SCRIPT):
        check_file("--try", trial and trial / name, (), force=force)
    old, new = given.read()
    stuck = None if reset is None else new.link(reset, "--reset").nodes
    steps = change_steps(old, new, stuck)
    each = [
        *(link for link in old.links if any(step.nodes == link.nodes for step in steps)),
        *(step.left for step in steps if step.left is not None),
    ]
    found = Change(
        old,
        new,
        (given.before, given.after),
        steps,
        change_steps(new, old),
        tuple(changed_fibres(old, new)),
        _decks(old, new),
        carried_alone(each, run_all) if rates else {},
    )
    if trial is not None:
        _write_trial(trial, trial_of(old, steps, link), old, new)
    elif link is not None:
        raise ConfigurationError("--link: of --try; expected --try FOLDER with it")
    if json:
        show_json(change_json(found))
    else:
        show_lines(change_lines(found))


def _write_trial(folder: Path, trial: Trial, old: Collection, new: Collection) -> None:
    """Write what a run does the steps with, and say how on stderr."""
    known = {end for channel in old.shared_channels for end in channel}
    homes = {system for cec in old.cecs for system in cec.systems}
    both = replace(
        Collection.of(trial.layout),
        shared_channels=(
            *old.shared_channels,
            *(channel for channel in new.shared_channels if not known & {*channel}),
        ),
        cecs=(*old.cecs, *(cec for cec in new.cecs if not homes & {*cec.systems})),
    )
    write_file(folder / _LAYOUT, format_collection(in_use(both)))
    write_file(folder / _SCRIPT, trial.script)
    show_log(
        f"isfc: to try it: isfc run {folder / _LAYOUT} --cp {folder / _SCRIPT} --warmup 0 "
        f"--seconds {trial.seconds:g}"
    )


def _decks(old: Collection, new: Collection) -> tuple[DeckChange, ...] | str | None:
    """What changes in the decks, or why they cannot have it."""
    try:
        return deck_changes(old, new)
    except ConfigurationError as error:
        return str(error)
