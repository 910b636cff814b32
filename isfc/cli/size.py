"""What ``isfc size`` writes beside its page."""

from pathlib import Path
from typing import Final

from isfc.answers.size import LinkSizing, layout_file
from isfc.cli.options.own_file import OwnFile
from isfc.cli.output.streams import write_file


def _write(path: Path, found: LinkSizing) -> None:
    if (text := layout_file(found)) is not None:
        write_file(path, text)


LAYOUT: Final = OwnFile(
    ("--output", "-o"), (".toml",), "FILE.toml", "Write the layout of the best to a file.", _write
)
