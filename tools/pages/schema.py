"""The JSON schema of layout files, which editors use: ``docs/layout.schema.json``.

``python -m tools.pages.schema`` renews it.
"""

import json
import sys
from pathlib import Path
from typing import Final

from isfc.layout.schema import layout_schema

FILE: Final = Path(__file__).resolve().parents[2] / "docs" / "layout.schema.json"


def text() -> str:
    """What the file should hold."""
    return json.dumps(layout_schema(), indent=2) + "\n"


def main() -> int:
    """Renew the file; return the exit status."""
    FILE.write_text(text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
