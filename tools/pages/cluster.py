"""The picture of the guide on clusters: ``python -m tools.pages.cluster`` draws it again."""

import sys
from pathlib import Path
from typing import Final

from isfc.cli.render.drawing import drawing_svg
from isfc.layout.catalogue import load_collection

FILE: Final = Path(__file__).resolve().parents[2] / "docs" / "layout-two-cecs.svg"


def text() -> str:
    """What the file should hold."""
    return drawing_svg(cluster=load_collection("two-cecs"))


def main() -> int:
    """Renew the file; return the exit status."""
    FILE.write_text(text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
