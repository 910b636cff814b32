"""What can be downloaded: the layout as TOML, its drawing, and the report page."""

import io
import os
import sys
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import Any, Final, Literal

import isfc
from isfc.cli.drawing.cluster import drawing_svg
from isfc.cli.studio.command_line import printed
from isfc.cli.studio.drawing import shares
from isfc.cli.studio.tasks import Shown, Subject
from isfc.cli.studio.work import Failed, Tell

_SVG: Final = "image/svg+xml"


class Download(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file is wanted; of a PNG the page gets the drawing, and paints it."""

    what: Literal["layout.toml", "layout.svg", "layout.png", "report.html"]


def download(tell: Tell, wanted: Download) -> dict[str, Any] | Failed:
    """The file for the page to save, with its name and media type."""
    if wanted.what == "report.html":
        return report(tell, wanted.subject)
    is_text = wanted.what == "layout.toml"
    content, kind = (wanted.text, "text/plain") if is_text else (drawing(wanted.subject), _SVG)
    return {"save": {"name": wanted.what, "content": content, "type": kind}}


def drawing(subject: Subject) -> str:
    """The SVG of all links, as ``isfc show`` draws them."""
    collection = subject.read()
    cluster = collection if shares(collection) else None
    return drawing_svg(*collection.links, cluster=cluster)


def report(tell: Tell, subject: Subject) -> dict[str, Any] | Failed:
    """The page that ``isfc report`` writes; tell what is run next.

    It is written into the folder of the page's processes, which goes with them.
    """
    text = isfc.format_collection(subject.read())
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    page = Path(get_temp_dir()) / f"report-{os.getpid()}.html"
    try:
        done = printed(tell, ["report", "-", "-o", str(page)], {})
        if isinstance(done, Failed):
            return done
        if done.code:
            return Failed(done.err)
        saved = {"name": "report.html", "content": page.read_text("utf-8"), "type": "text/html"}
        return {"save": saved}
    finally:
        page.unlink(missing_ok=True)
