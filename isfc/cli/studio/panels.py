"""What the page shows when it is asked: losses, relocations, statements, all links together."""

import json
from typing import Any, Final, Literal

import msgspec

import isfc
from isfc.cli.html.cluster import together_panel
from isfc.cli.html.losses import losses_panel
from isfc.cli.output.progress import progress_told, run_all
from isfc.cli.studio import shown
from isfc.cli.studio.command_line import Printed, by_hundredths, printed
from isfc.cli.studio.tasks import Subject
from isfc.cli.studio.work import Failed, Tell

_LAYOUT: Final = "layout"


class Panel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="show"):
    """What the page shows of its layout, without what is struck out of it."""

    text: str
    struck: list[str] = []

    def layout(self) -> isfc.Collection:
        """The links."""
        return Subject(self.text, frozenset(self.struck)).read()

    def show(self, tell: Tell) -> str | Printed | Failed:
        """The part of the page, or what a command prints where that is to be taken as it is."""
        raise NotImplementedError


class LossesPanel(Panel, frozen=True, tag="losses"):
    """What each loss leaves, by the model and by rule, or by ``rule`` alone.

    Of one ``link``, or of all if none is named. Or what is left ``without`` some pieces, such as
    ``ALPHA:40 + director:1``.
    """

    link: str = ""
    rule: bool = False
    without: str = ""

    def show(self, tell: Tell) -> str:
        """The worst loss, then each."""
        pieces = [*filter(None, map(str.strip, self.without.split("+")))]
        with progress_told(by_hundredths(tell)):
            return losses_panel(self.layout(), self.link, pieces, None if self.rule else run_all)


class CommandPanel(Panel, frozen=True):
    """What a command about the layout prints."""

    def printed(self, tell: Tell, *words: str) -> Printed | Failed:
        """The command, whose words name the layout `_LAYOUT`."""
        done = printed(tell, words, {_LAYOUT: isfc.format_collection(self.layout())})
        if isinstance(done, Failed):
            return Failed(_in_words_of_the_page(done.message))
        return done if done.out else Failed(_in_words_of_the_page(done.err))


class RelocationPanel(CommandPanel, frozen=True, tag="relocation"):
    """How long guests take over a link; sizes as the command has them, such as 16G."""

    link: str = ""
    source: str = ""
    memory: str = "16G"
    change_rate: str = "100M"
    guests: int = 1

    def show(self, tell: Tell) -> str | Failed:
        """``isfc relocate``: what became of the guests, then their passes."""
        guest = ["--memory", self.memory, "--change-rate", self.change_rate]
        many = ["--guests", str(self.guests), "--from", self.source]
        words = ["relocate", _LAYOUT, "--link", self.link, *guest, *many, "--json"]
        done = self.printed(tell, *words)
        return done if isinstance(done, Failed) else shown.relocation(json.loads(done.out))


class LinksPanel(Panel, frozen=True, tag="together"):
    """All links of a cluster, alone and together."""

    def show(self, tell: Tell) -> str:
        """Which link suffers most, then each."""
        with progress_told(by_hundredths(tell)):
            return together_panel(self.layout(), run_all)


class StatementsPanel(CommandPanel, frozen=True, tag="statements"):
    """What one system needs, as text."""

    form: Literal["activate", "iocp"] = "activate"
    system: str = ""

    def show(self, tell: Tell) -> Printed | Failed:
        """``isfc export``."""
        return self.printed(tell, "export", _LAYOUT, "--as", self.form, "--system", self.system)


PANELS: Final = LossesPanel | RelocationPanel | LinksPanel | StatementsPanel


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
}
"""What the page calls an option that an error names."""


def show_panel(tell: Tell, panel: Panel) -> Printed | dict[str, Any] | Failed:
    """What the page shows: ``html``, or what a command prints."""
    found = panel.show(tell)
    return {"html": found} if isinstance(found, str) else found


def _in_words_of_the_page(message: str) -> str:
    for option, field in _FIELDS.items():
        message = message.replace(option, field)
    return message


def compare(tell: Tell, wanted: RunPair) -> Printed | Failed:
    """``isfc compare`` of two runs."""
    files = dict(zip(wanted.names, (wanted.first, wanted.second), strict=True))
    return printed(tell, ["compare", *wanted.names], files)
