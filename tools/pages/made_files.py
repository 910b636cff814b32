"""Files that are made, all those of a folder: what is written, and what is gone."""

from collections.abc import Mapping
from pathlib import Path


def write_made(folder: Path, pattern: str, made: Mapping[Path, str]) -> None:
    """Write the files; of those in ``folder`` that fit ``pattern``, remove all others."""
    for stale in set(folder.glob(pattern)) - set(made):
        stale.unlink()
    for file, text in made.items():
        file.write_text(text, "utf-8")
