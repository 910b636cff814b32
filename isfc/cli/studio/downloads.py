"""What can be downloaded beside the text: the drawing as a file, and the report page."""

import io
import os
import sys
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import Any

import isfc
from isfc.cli.drawing.cluster import drawing_svg
from isfc.cli.studio.command_line import printed
from isfc.cli.studio.drawing import shares
from isfc.cli.studio.tasks import Subject
from isfc.cli.studio.work import Failed, Tell


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
        return Failed(done.err) if done.code else {"page": page.read_text("utf-8")}
    finally:
        page.unlink(missing_ok=True)
