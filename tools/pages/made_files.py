"""Files that are made, all those of a folder: what is written, and what is gone."""

from collections.abc import Mapping
from pathlib import Path


def write_made(folder: Path, pattern: str, made: Mapping[str, str]) -> None:
    """Write the files by their names; remove what else in ``folder`` fits ``pattern``."""
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob(pattern):
        if stale.name not in made:
            stale.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")
