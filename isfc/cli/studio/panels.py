"""What the page has from a command: losses, relocations, statements, all links together.

Each record makes the words of one command, whose LAYOUT is the page's, and shows what comes of it.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

import isfc
from isfc.cli.studio import shown
from isfc.cli.studio.command_line import Printed, printed
from isfc.cli.studio.tasks import Subject
from isfc.cli.studio.work import Failed, Tell

_LAYOUT: Final = "layout"


class Panel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="show"):
    """A command about the layout that the page shows."""

    text: str
    struck: list[str] = []

    def words(self) -> Sequence[str]:
        """The command, without its name."""
        raise NotImplementedError

    def show(self, record: Any) -> str:
        """The part of the page that shows what the command prints as ``--json``."""
        raise NotImplementedError


def _lost(without: str) -> list[str]:
    """The options for pieces that are gone together, or for each in turn if none is named."""
    pieces = filter(None, map(str.strip, without.split("+")))
    return [f"--without={piece}" for piece in pieces] or ["--lose"]


class LossesPanel(Panel, frozen=True, tag="losses"):
    """What each lost chpid and CTC leaves, by the model and by rule, or by ``rule`` alone.

    Or what is left ``without`` some pieces, such as ``ALPHA:40 + director:1``.
    """

    link: str = ""
    rule: bool = False
    without: str = ""

    def words(self) -> Sequence[str]:
        """``isfc plan --lose``, or ``--without``."""
        by_rule = ["--rule"] if self.rule else []
        return ["plan", _LAYOUT, "--link", self.link, *_lost(self.without), *by_rule]

    def show(self, record: Any) -> str:
        """The worst loss, then each."""
        return shown.losses(record)


class RelocationPanel(Panel, frozen=True, tag="relocation"):
    """How long guests take over a link; sizes as the command has them, such as 16G."""

    link: str = ""
    source: str = ""
    memory: str = "16G"
    change_rate: str = "100M"
    guests: int = 1

    def words(self) -> Sequence[str]:
        """``isfc relocate``."""
        guest = ["--memory", self.memory, "--change-rate", self.change_rate]
        many = ["--guests", str(self.guests), "--from", self.source]
        return ["relocate", _LAYOUT, "--link", self.link, *guest, *many]

    def show(self, record: Any) -> str:
        """What became of the guests, then their passes."""
        return shown.relocation(record)


class LinksPanel(Panel, frozen=True, tag="together"):
    """All links of a cluster, alone and together."""

    def words(self) -> Sequence[str]:
        """``isfc plan`` of all links."""
        return ["plan", _LAYOUT]

    def show(self, record: Any) -> str:
        """Which link suffers most, then each."""
        return shown.together(record)


class ClusterLossesPanel(Panel, frozen=True, tag="cluster-losses"):
    """What a lost channel, director or CEC leaves of all links; or all those that are named."""

    without: str = ""

    def words(self) -> Sequence[str]:
        """``isfc plan --lose`` of all links, or ``--without``."""
        return ["plan", _LAYOUT, *_lost(self.without)]

    def show(self, record: Any) -> str:
        """The worst loss, then each."""
        return shown.cluster_losses(record)


class StatementsPanel(Panel, frozen=True, tag="statements"):
    """What one system needs, as text."""

    form: Literal["activate", "iocp"] = "activate"
    system: str = ""

    def words(self) -> Sequence[str]:
        """``isfc export``."""
        return ["export", _LAYOUT, "--as", self.form, "--system", self.system]


PANELS: Final = LossesPanel | RelocationPanel | LinksPanel | ClusterLossesPanel | StatementsPanel


class RunPair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two runs side by side: their records, as JSON."""

    first: str
    second: str
    names: tuple[str, str]


_FIELDS: Final = {
    "--change-rate": "Changes a second",
    "--from": "From",
    "--guests": "Guests",
    "--link": "Link",
    "--memory": "Memory",
    "--without": "Without",
}
"""What the page calls an option that an error names."""


def show_panel(tell: Tell, panel: Panel) -> Printed | dict[str, Any] | Failed:
    """What the command makes of the layout, without what is struck out of it.

    ``html`` of it, or what it prints where that is to be taken as it is.
    """
    layout = Subject(panel.text, frozenset(panel.struck)).read()
    is_text = isinstance(panel, StatementsPanel)
    words = [*panel.words(), *([] if is_text else ["--json"])]
    done = printed(tell, words, {_LAYOUT: isfc.format_collection(layout)})
    if isinstance(done, Failed):
        return Failed(_in_words_of_the_page(done.message))
    if not done.out:
        return Failed(_in_words_of_the_page(done.err))
    return done if is_text else {"html": panel.show(json.loads(done.out))}


def _in_words_of_the_page(message: str) -> str:
    for option, field in _FIELDS.items():
        message = message.replace(option, field)
    return message


def compare(tell: Tell, wanted: RunPair) -> Printed | Failed:
    """``isfc compare`` of two runs."""
    files = dict(zip(wanted.names, (wanted.first, wanted.second), strict=True))
    return printed(tell, ["compare", *wanted.names], files)
