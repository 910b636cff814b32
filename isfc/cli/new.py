"""``isfc new``: a commented layout of a few options, or of the answers to a few questions."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

import typer

from isfc.cli.options.number import bounded
from isfc.cli.options.option import flag, valued
from isfc.cli.options.source import OutputOption, write_text
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption
from isfc.cli.output.streams import ask_user
from isfc.errors import ConfigurationError
from isfc.layout import build as make
from isfc.layout import schema as layout_schema
from isfc.layout.build import ASSUMED_FEATURE
from isfc.layout.checked_toml import within
from isfc.layout.layout import Layout
from isfc.layout.write import format_layout
from isfc.link.scan import CTCS_MAX

_T = TypeVar("_T")


FeatureOption = Annotated[
    str | None,
    valued(
        "FEATURE[,FEATURE...]",
        "The FICON feature of all chpids, or of each pair in order; "
        f"{ASSUMED_FEATURE.feature} if not said. 'Express16S@8' runs at 8 Gb/s.",
    ),
]


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
    feature: FeatureOption = None,
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
    layout = _asked_for(systems, chpids, ctcs, feature, rdevs)
    heading = [
        f"A logical link between {layout.nodes[0]} and {layout.nodes[1]}.",
        "'isfc plan FILE' judges it, 'isfc check FILE' holds it against IBM's advice.",
    ]
    write_text(format_layout(layout, heading=heading, explained=True), output, force=force)


def _asked_for(
    systems: str | None,
    chpids: str | None,
    ctcs: int | None,
    feature: str | None,
    rdevs: str | None,
) -> Layout:
    """The layout of the options, and of answers to what they do not say."""
    ask = sys.stdin is not None and sys.stdin.isatty()
    nodes = _Question("systems", "The two systems", "ATLANTA,BOSTON", make.read_nodes).answer(
        systems, ask
    )
    pairs = _Question("chpids", "Chpids that are joined", "40:50,41:51", make.read_pairs).answer(
        chpids, ask
    )
    count = ctcs or _Question(
        "ctcs", "CTCs on each chpid", "4", make.read_count, is_default=True
    ).answer(None, ask)
    profiles = _Question(
        "feature",
        "FICON feature of the chpids, or of each pair",
        ASSUMED_FEATURE.feature,
        lambda text: make.read_profiles(text, len(pairs)),
        is_default=True,
    ).answer(feature, ask)
    firsts = _Question(
        "rdevs", "First device number", "6000", make.read_firsts, is_default=True
    ).answer(rdevs, ask)
    return make.layout_of(nodes, pairs, count, profiles, firsts)


@dataclass(frozen=True, slots=True)
class _Question(Generic[_T]):
    """What an option says, or somebody at the terminal; ``example`` if it is the default."""

    option: str
    question: str
    example: str
    read: Callable[[str], _T]
    is_default: bool = False

    def answer(self, text: str | None, ask: bool) -> _T:
        """The option's value, or the answer to the question, or the default."""
        default = self.example if self.is_default else None
        if text is None and ask:
            hint = f" [{default}]" if default else f", such as {self.example}"
            answer = ask_user(f"{self.question}{hint}: ")
            if not answer:  # Ctrl-D: not even the end of a line
                raise typer.Exit(ExitCode.INTERRUPTED)
            text = answer.strip() or None
        text = default if text is None else text
        if text is None:
            raise ConfigurationError(
                f"--{self.option} is missing; expected --{self.option} {self.example}"
            )
        with within(f"--{self.option} {text[:40]!r}"):
            return self.read(text)
