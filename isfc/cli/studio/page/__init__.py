"""The page: its document, its script and its styles."""

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from isfc.cli.drawing.cluster import SOLID_STYLE
from isfc.cli.drawing.link import STYLE
from isfc.cli.html.parts import scroll_script

_ASSETS: Final = {
    "studio.js": "text/javascript",
    "scroll.js": "text/javascript",
    "studio.css": "text/css",
}


def page(start: Mapping[str, Any]) -> str:
    """The document, which has what it begins with inside."""
    data = json.dumps(start).replace("<", "\\u003c")
    return _read("studio.html").replace("{{start}}", data)


def asset(name: str) -> tuple[str, str]:
    """What else the page loads, and its media type. Raises `KeyError` for another name."""
    kind = _ASSETS[name]
    if name == "scroll.js":
        return scroll_script(), kind
    return _read(name) + (STYLE + SOLID_STYLE if name == "studio.css" else ""), kind


def _read(name: str) -> str:
    return (resources.files(__name__) / name).read_text("utf-8")
