"""The page: its document, its script and its styles."""

from collections.abc import Mapping
from typing import Any, Final

from isfc.cli.drawing.cluster import SOLID_STYLE
from isfc.cli.drawing.link import STYLE
from isfc.cli.options.experiment import complete_workload
from isfc.reports import picture
from isfc.reports.html import render, resource

_ASSETS: Final = {
    "studio.js": ("cli/studio/page/studio.js", "text/javascript"),
    "scroll.js": ("cli/html/scroll.js", "text/javascript"),
    "studio.css": ("cli/studio/page/studio.css", "text/css"),
}


def page(start: Mapping[str, Any]) -> str:
    """The document, which has what it begins with inside."""
    workloads = complete_workload("")
    return render("cli/studio/page/studio.html", start=start, workloads=workloads)


def asset(name: str) -> tuple[str, str]:
    """What else the page loads, and its media type. Raises `KeyError` for another name."""
    file, kind = _ASSETS[name]
    styles = STYLE + SOLID_STYLE + picture.STYLE if name == "studio.css" else ""
    return resource(file) + styles, kind
