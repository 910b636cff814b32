"""What is asked of a site beside its files: what may be said, and what has to be known."""

from collections.abc import Callable, Sequence
from typing import Annotated, Final

from msgspec import Struct

from isfc.errors.arguments import Argument
from isfc.site.file_kind import FileKind

ASKED_OF: Final = {
    "partitions": {FileKind.DECK},
    "ports": {FileKind.DECK},
    "feature": {FileKind.DECK, FileKind.CONSOLE_LOG},
    "cec": {FileKind.CONSOLE_LOG},
    "ran": {FileKind.MEASURED},
}
"""What is said beside files, and of which kinds."""


class SiteAsked(Struct, frozen=True):
    """What is said of a site's files beside them, and what is to be decided."""

    partitions: Annotated[
        str | None, Argument("NAME,NAME", "Of decks: the partitions to join, if they are not two.")
    ] = None
    ports: Annotated[
        Sequence[str], Argument("NODE:50=C1,...", "Of decks: the director port of a chpid.")
    ] = ()
    feature: Annotated[
        Sequence[str],
        Argument("[NODE:][CHPID=]FEATURE", "The FICON feature of all chpids, or of one."),
    ] = ()
    cec: Annotated[Sequence[str], Argument("NAME=NODE,...", "Of logs: a CEC and its systems.")] = ()
    ran: Annotated[
        Sequence[str],
        Argument("[FILE=]NAME:PAIRS", "What ran while pages were measured, as HL:50."),
    ] = ()
    decide: Annotated[
        str | None, Argument("RATE", "What a link is to carry: '1000 MB/s with a chpid lost'.")
    ] = None
    window: Annotated[
        str | None, Argument("WHEN", "When guests may move: SUN, 02:00-06:00, 'SUN 02:00-06:00'.")
    ] = None
    leave: Annotated[
        Sequence[str], Argument("SYSTEM", "The system that the guests leave; may be repeated.")
    ] = ()


class SiteQuestion(Struct, frozen=True):
    """What has to be known and no file says."""

    option: str
    """that says it, without its hyphens"""
    text: str
    choices: tuple[str, ...]
    least: int = 1
    """of the choices, which several go with commas between them"""

    @property
    def options(self) -> tuple[str, ...]:
        """That say it, each as one may be added."""
        choices = ("NAME,NAME",) if self.least > 1 else self.choices
        return tuple(f"--{self.option} {choice}" for choice in choices)


Ask = Callable[[SiteQuestion], str | None]
"""Asks a question; answers None if nobody is there."""
