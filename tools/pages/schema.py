"""The JSON schema of layout files, which editors use: ``docs/layout.schema.json``."""

import json
from pathlib import Path
from typing import Final

from isfc.layout.schema import layout_schema

FILE: Final = Path(__file__).resolve().parents[2] / "docs" / "layout.schema.json"


def files() -> dict[Path, str]:
    """The file as it should be."""
    return {FILE: json.dumps(layout_schema(), indent=2) + "\n"}
