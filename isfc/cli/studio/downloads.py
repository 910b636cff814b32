"""What can be downloaded beside the text: the drawing as a file, and the report page."""

import io
import sys
from typing import Any

import isfc
from isfc.cli.drawing.link import drawing_svg
from isfc.cli.report import report_of
from isfc.cli.studio.drawing import shares
from isfc.cli.studio.tasks import Subject
from isfc.cli.studio.work import Tell


def drawing(subject: Subject) -> str:
    """The SVG of all links, as ``isfc show`` draws them."""
    collection = subject.read()
    cluster = collection if shares(collection) else None
    return drawing_svg(*collection.links, cluster=cluster)


def report(tell: Tell, subject: Subject) -> dict[str, Any]:
    """The page that ``isfc report`` writes; tell what is run next."""
    text = isfc.format_collection(subject.read())
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    return {"page": report_of("-", lambda what, of: tell({"doing": what + of}))}
