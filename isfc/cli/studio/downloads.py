"""What can be downloaded: the layout as TOML, its drawing, and the report page."""

from typing import Any, Literal

import isfc
from isfc.cli.output.progress import runs_told
from isfc.cli.output.streams import RUNNING
from isfc.cli.studio.command_line import by_hundredths
from isfc.cli.studio.tasks import Shown, Subject
from isfc.cli.studio.work import Tell


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

    def say(what: str) -> None:
        tell({"said": f"{RUNNING}{what}"})

    with runs_told(by_hundredths(tell)):
        page = isfc.report(subject.read(), progress=say)
    return {"save": {"name": "report.html", "content": page, "type": "text/html"}}
