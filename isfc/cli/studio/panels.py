"""What the page shows when it is asked, in processes of its own: panels, files and runs.

Panels have losses, relocations, statements, all links together; files are the layout as TOML, its
drawing, and the report page; a run has its figures, its record as ``isfc run --json``, its course.
"""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

import msgspec
from markupsafe import Markup
from msgspec import Meta

import isfc
from isfc.answers.guest import guest_memory
from isfc.answers.limit import SEARCHED_SECONDS_MIN, limit_of_run, short_limit
from isfc.answers.moves_report import relocate_report
from isfc.answers.page.document import together_panel
from isfc.answers.simulation import run_cells
from isfc.cli.options.experiment import WARMUP
from isfc.cli.output.progress import runs_told
from isfc.cli.studio.command_line import by_hundredths, printed, what_runs
from isfc.cli.studio.tasks import Shown, Subject, node_of
from isfc.cli.studio.work import Failed, Tell
from isfc.errors.arguments import option_of, spelling
from isfc.reports.html import chart_of, greatest, macro, ranged, section
from isfc.reports.report import report_of
from isfc.reports.text import encoded
from isfc.reports.units import shown

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
        files = {f"run-{made['number']}": json.dumps(made["record"]).encode() for made in both}
        done = printed(tell, ["compare", *files], files)
        if isinstance(done, Failed):
            return done
        return macro(_FORMS, "printed", "Two runs side by side", done.out + done.err)


AnyPanel = LossesPanel | RelocationPanel | LinksPanel | StatementsPanel | ComparePanel


def show_panel(tell: Tell, panel: AnyPanel) -> dict[str, str] | Failed:
    """What the page shows, as ``html``."""
    return {"html": found} if isinstance(found := panel.show(tell), str) else found


_FIELDS: Final = {
    "from_": "From",
    "without": "Without",
    "memory": "Memory",
    "change_rate": "Changes a second",
}


def _field(name: str) -> str:
    """What the page calls an argument; one that it has not, as an option."""
    return _FIELDS.get(name) or option_of(name)


class Download(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file is wanted; of a PNG the page gets the drawing, and paints it."""

    what: Literal["layout.toml", "layout.svg", "layout.png", "report.html"]


def download(tell: Tell, wanted: Download) -> dict[str, Any]:
    """The file for the page to save, with its name and media type."""
    if wanted.what == "report.html":
        return report(tell, wanted.subject)
    content, kind = wanted.text, "text/plain"
    if wanted.what != "layout.toml":
        content, kind = isfc.drawing(wanted.subject.read()), "image/svg+xml"
    return {"save": {"name": wanted.what, "content": content, "type": kind}}


def report(tell: Tell, subject: Subject) -> dict[str, Any]:
    """The page that ``isfc report`` writes; tell what is run next."""
    with runs_told(by_hundredths(tell)):
        page = isfc.report(subject.read(), progress=what_runs(tell))
    return {"save": {"name": "report.html", "content": page, "type": "text/html"}}


INTERVALS: Final = 24
"""Intervals of its course."""


class Run(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be run, clients on one end of a link; ``seconds`` of virtual time are measured.

    It is the page's run of that ``number``, after some ``changes`` of the layout.
    """

    way: str
    workload: str
    pairs: Annotated[int, Meta(ge=1, le=10_000)]
    seconds: Annotated[float, Meta(gt=0, le=600)]
    number: int = 1
    changes: int = 0


def run(tell: Tell, wanted: Run) -> dict[str, Any]:
    """Run it; tell what share is done."""
    link, client = node_of(wanted.subject.read(), wanted.way)
    title = f"{wanted.number}: {wanted.workload} {wanted.pairs} pairs, {wanted.seconds:g} s"
    advance = by_hundredths(lambda told: tell({"title": title, **told}))
    done = isfc.simulate(
        link,
        wanted.workload,
        pairs=wanted.pairs,
        seconds=wanted.seconds,
        warmup=WARMUP,
        interval=wanted.seconds / INTERVALS,
        client=client or None,
        progress=lambda done: advance(done / (wanted.seconds + WARMUP)),
    )
    answer = done.answer
    report = report_of(done)
    limit = limit_of_run(done.experiment, None)
    limited = f"sought from {SEARCHED_SECONDS_MIN:g} s on" if limit is None else short_limit(limit)
    note = " ".join([*report.remarks, *report.notes])
    row = wanted, client, [*_figures(done)], limited, note, encoded(answer)
    return {
        "said": f"Run {wanted.number}: {report.answer[0][1]}.",
        "cells": macro("cli/studio/page/forms.html", "run", *row),
        "sections": {"course": Markup().join(map(chart_of, report.charts))},
    }


def _figures(done: isfc.Simulation) -> Iterator[str]:
    """The cells of the table as HTML, with ranges as bars; MB/s both ways have one scale."""
    within = run_cells(done)
    most = greatest(within[:2])
    for each, scale in zip(within, (most, most, 0.0, 0.0), strict=True):
        yield ranged(shown(each.value, each.unit), each, scale or greatest([each]))
    yield shown(done.result.collisions_per_s, isfc.Unit.PER_S)
