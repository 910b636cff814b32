"""Upkeep: what the people who carry this project on run from the checkout."""

from pathlib import Path
from typing import Final

PROJECT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = PROJECT / "docs"
