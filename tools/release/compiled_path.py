"""Let ``.venv/bin/isfc`` run what ``make replay`` has compiled.

Run as ``python -m tools.release.compiled_path``. It writes a ``.pth`` file before that of the
editable install. Python reads it whenever it starts: the compiled modules come first while no
source is newer than they are, so that changed sources are never passed over. ``make .venv``, with
which development begins, deletes the file again.
"""

import sysconfig
from pathlib import Path

from tools import PROJECT

NAME = "00-isfc-compiled.pth"
"""It sorts before ``__editable__``: Python takes the files in the order of their names."""

LINE = (
    "import os, sys; sys.path.extend([{compiled!r}] * (os.path.isfile({made!r}) and max("
    "(os.path.getmtime(os.path.join(folder, file)) for source in {sources!r} "
    "for folder, _, files in os.walk(source) for file in files if file.endswith('.py')), default=0)"
    " <= os.path.getmtime({made!r})))\n"
)


def path_line(project: Path) -> str:
    """The line that Python runs when it starts."""
    compiled = project / "build" / "compiled"
    sources = tuple(str(project / name) for name in ("ctc", "isfc", "scenarios"))
    return LINE.format(compiled=str(compiled), made=str(compiled / "made"), sources=sources)


def main() -> None:
    """Write the file into the environment that runs this."""
    (Path(sysconfig.get_path("purelib")) / NAME).write_text(path_line(PROJECT), "utf-8")


if __name__ == "__main__":
    main()
