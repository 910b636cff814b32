"""``isfc new``: a commented layout of a few options, or of the answers to a few questions."""

import json
import sys
from typing import Annotated, Final

import typer

from isfc.cli.options.option import bounded, flag, valued
from isfc.cli.options.source import OutputOption, write_text
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption
from isfc.cli.output.streams import ask_user
from isfc.errors import ConfigurationError
from isfc.errors.arguments import as_options
from isfc.layout import schema as layout_schema
from isfc.layout.build import ASSUMED_FEATURE, said_layout
from isfc.layout.write import format_layout
from isfc.link.scan import CTCS_MAX


def new(
    systems: Annotated[str | None, valued("NAME,NAME", "The two systems.")] = None,
    chpids: Annotated[
        str | None,
        valued(
            "40:50,41:51,...", "The chpids that are joined: the first system's, then the second's."
        ),
    ] = None,
    ctcs: Annotated[
        int | None, bounded("N", 1, CTCS_MAX, "CTCs on each chpid; 4 if not said.")
    ] = None,
    feature: Annotated[
        str | None,
        valued(
            "FEATURE[,FEATURE...]",
            "The FICON feature of all chpids, or of each pair in order; "
            f"{ASSUMED_FEATURE.feature} if not said. 'Express16S@8' runs at 8 Gb/s.",
        ),
    ] = None,
    rdevs: Annotated[
        str | None,
        valued(
            "RDEV[,RDEV]", "The first device number of both systems, or of each; 6000 if not said."
        ),
    ] = None,
    *,
    schema: Annotated[
        bool, flag("--schema", "The JSON schema of layout files instead, for an editor.")
    ] = False,
    output: OutputOption = None,
    force: ForceOption = False,
) -> None:
    """Write a commented layout of a few options or answers.

    At a terminal, what no option says is asked for, on stderr. Device numbers of the first chpid
    begin as told, and those of each further one 16 higher.
    """
    if schema:
        if any((systems, chpids, ctcs, feature, rdevs)):
            raise ConfigurationError("--schema: expected no option with it that is of a layout")
        write_text(json.dumps(layout_schema.schema(), indent=2) + "\n", output, force=force)
        return
    given = {"systems": systems, "chpids": chpids, "ctcs": None if ctcs is None else str(ctcs)}
    given |= {"feature": feature, "rdevs": rdevs}
    with as_options():
        layout = said_layout(lambda option: _answer(option, given[option]))
    heading = [
        f"A logical link between {layout.nodes[0]} and {layout.nodes[1]}.",
        "'isfc plan FILE' judges it, 'isfc check FILE' holds it against IBM's advice.",
    ]
    write_text(format_layout(layout, heading=heading, explained=True), output, force=force)


_QUESTIONS: Final = {
    "systems": ("The two systems", "ATLANTA,BOSTON"),
    "chpids": ("Chpids that are joined", "40:50,41:51"),
    "ctcs": ("CTCs on each chpid", "4"),
    "feature": ("FICON feature of the chpids, or of each pair", ASSUMED_FEATURE.feature),
    "rdevs": ("First device number", "6000"),
}
"""What is asked for at a terminal, each with an example, or with what it is if nobody says it."""


def _answer(option: str, text: str | None) -> str:
    """The option's value, or the answer to its question, or what it is if nobody says it."""
    question, example = _QUESTIONS[option]
    is_required = option in ("systems", "chpids")
    if text is None and sys.stdin is not None and sys.stdin.isatty():
        hint = f", such as {example}" if is_required else f" [{example}]"
        answer = ask_user(f"{question}{hint}: ")
        if not answer:  # Ctrl-D: not even the end of a line
            raise typer.Exit(ExitCode.INTERRUPTED)
        text = answer.strip() or None
    if text is None and is_required:
        raise ConfigurationError(f"--{option} is missing; expected --{option} {example}")
    return example if text is None else text
