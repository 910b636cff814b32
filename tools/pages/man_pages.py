"""A man page for every command, from the text that ``isfc COMMAND --help`` prints.

``python -m tools.pages.man_pages FOLDER`` writes them; `setup.py` runs it for a wheel, which has
them in ``share/man/man1``. Options and arguments stay as the help has them, column by column:
click-man, which would set them, knows click's commands and not typer's.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from isfc import __version__
from tools.pages.written_help import texts, write_made


def pages() -> dict[str, str]:
    """Every man page, by the name of its file."""
    found = {file.removesuffix(".txt"): text for file, text in texts().items()}
    return {
        f"{name}.1": "\n".join(_page(name, text, [*found])) + "\n" for name, text in found.items()
    }


def _page(name: str, text: str, names: list[str]) -> Iterator[str]:
    usage, *paragraphs = text.rstrip().split("\n\n")
    described = [each for each in paragraphs if not _heading(each)]
    yield f'.TH {name.upper()} 1 "" "isfc {__version__}" "isfc"'
    yield from (
        ".SH NAME",
        f"{name} \\- {_escaped(_line(described[0]).partition('. ')[0].rstrip('.'))}",
    )
    yield from (".SH SYNOPSIS", _escaped(_line(usage.removeprefix("Usage:"))), ".SH DESCRIPTION")
    for paragraph in paragraphs:
        if heading := _heading(paragraph):
            lines = map(_escaped, paragraph.splitlines()[1:])
            yield from (f".SH {heading.upper()}", ".nf", *lines, ".fi")
        else:
            yield from (".PP", _escaped(_line(paragraph)))
    others = [each for each in names if each.rpartition("-")[0] == name]
    parent = name.rpartition("-")[0]
    if others or parent:
        yield ".SH SEE ALSO"
        yield ", ".join(f"\\fB{_escaped(each)}\\fR(1)" for each in others or [parent])


def _heading(paragraph: str) -> str:
    """``Options`` of a paragraph that lists them."""
    first = paragraph.splitlines()[0]
    return first[:-1] if first.endswith(":") and not first.startswith(" ") else ""


def _line(paragraph: str) -> str:
    return " ".join(paragraph.split())


def _escaped(line: str) -> str:
    r"""A line of text as roff takes it: ``-`` is a minus sign, and no line is a request."""
    text = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text


if __name__ == "__main__":
    write_made(Path(sys.argv[1]), "*.1", pages())
