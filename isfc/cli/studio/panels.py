"""What the page shows when it is asked: losses, relocations, statements, all links together."""

import json
from typing import Annotated, Final, Literal

import msgspec

import isfc
from isfc.answers.guest import guest_memory
from isfc.answers.moves import relocate_report
from isfc.cli.html.cluster import together_panel
from isfc.cli.output.progress import runs_told
from isfc.cli.studio.command_line import by_hundredths, printed
from isfc.cli.studio.tasks import Shown, node_of
from isfc.cli.studio.work import Failed, Tell
from isfc.errors.arguments import option_of, spelling
from isfc.reports.html import macro, section
from isfc.reports.reported import report_of

_FORMS: Final = "cli/studio/page/forms.html"


class Panel(Shown, frozen=True, forbid_unknown_fields=True, tag_field="show"):
    """What the page shows of its layout, without what is struck out of it."""


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
        with spelling(_field), runs_told(by_hundredths(tell)):
            of, link = self.subject.read(), self.link or None
            return section(report_of(isfc.losses(of, link=link, without=pieces, rule=self.rule)))


class RelocationPanel(Panel, frozen=True, tag="relocation"):
    """How long guests take over a link, one ``way``; sizes as the command has them, such as 16G."""

    way: str = ""
    memory: str = "16G"
    change_rate: str = "100M"
    guests: Annotated[int, msgspec.Meta(ge=1, le=16)] = 1

    def show(self, tell: Tell) -> str:
        """What became of the guests, as ``isfc relocate`` has it."""
        links = self.subject.read()
        link, source = node_of(links, self.way)
        numbers = range(1, self.guests + 1) if self.guests > 1 else ("",)
        with spelling(_field):
            memory = guest_memory({"memory": self.memory, "change_rate": self.change_rate})
            found = isfc.relocate(
                links,
                [isfc.GuestPlan(f"GUEST{number}", memory) for number in numbers],
                link=link.name,
                from_=source,
                progress=by_hundredths(tell),
            )
            return section(relocate_report(found))


class LinksPanel(Panel, frozen=True, tag="together"):
    """All links of a cluster, alone and together."""

    def show(self, tell: Tell) -> str:
        """Which link suffers most, then each."""
        with runs_told(by_hundredths(tell)):
            return together_panel(self.subject.read())


class StatementsPanel(Panel, frozen=True, tag="statements"):
    """What one system needs, as text."""

    form: Literal["activate", "iocp"] = "activate"
    system: str = ""

    def show(self, tell: Tell) -> str:
        """``isfc export``, to be read and to be downloaded."""
        found = isfc.export(self.subject.read(), self.form, system=self.system)
        file = f"{self.system}.{'iocp' if self.form == 'iocp' else 'config'}"
        return macro(_FORMS, "printed", "Statements", "".join(found.texts.values()), file)


class ComparePanel(Panel, frozen=True, tag="compare"):
    """Two runs side by side, each as JSON; nothing as long as there are not two."""

    runs: tuple[str, ...] = ()

    def show(self, tell: Tell) -> str | Failed:
        """``isfc compare``, the earlier run first."""
        if len(self.runs) != 2:
            return ""
        both = sorted(map(json.loads, self.runs), key=lambda made: made["number"])
        files = {f"run-{made['number']}": json.dumps(made["record"]) for made in both}
        done = printed(tell, ["compare", *files], files)
        if isinstance(done, Failed):
            return done
        return macro(_FORMS, "printed", "Two runs side by side", done.out + done.err)


AnyPanel = LossesPanel | RelocationPanel | LinksPanel | StatementsPanel | ComparePanel


def show_panel(tell: Tell, panel: AnyPanel) -> dict[str, str] | Failed:
    """What the page shows, as ``html``."""
    found = panel.show(tell)
    return {"html": found} if isinstance(found, str) else found


_FIELDS: Final = {
    "from_": "From",
    "without": "Without",
    "memory": "Memory",
    "change_rate": "Changes a second",
}


def _field(name: str) -> str:
    """What the page calls an argument; one that it has not, as an option."""
    return _FIELDS.get(name) or option_of(name)
