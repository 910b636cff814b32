"""The comments of a layout file, kept in the file that is made from it."""

import re
from collections.abc import Iterator
from typing import Final

_COMMENT: Final = re.compile(r"""^((?:"(?:\\.|[^"\\])*"|'[^']*'|[^"'#])*)(\#.*)$""")
"""A line with a comment: what is before it, in which a ``#`` in quotes is none, and the comment."""

_Key = tuple[str, str]
"""A table: its heading, and which of several with that heading."""


def with_comments(text: str, original: str) -> str:
    """``text``, a layout file made from ``original``, with the comments of that one.

    What is above a table or in it stands above the same table: that of the same name, the CTCs of
    the same fibre, or the same in a list. What is left, of tables that are no more, is at the end.
    """
    heading, of_tables = _comments(original)
    lines = [*heading, *[""] * bool(heading and text[:1] not in ("", "\n"))]
    written = text.splitlines()
    for line, key in zip(written, _keys(written), strict=True):
        if key is not None:
            lines += of_tables.pop(key, ())
        lines.append(line)
    left = [comment for comments in of_tables.values() for comment in comments]
    return "\n".join([*lines, *[""] * bool(left), *left]) + "\n"


def _comments(text: str) -> tuple[list[str], dict[_Key, list[str]]]:
    """The comments at the top, and those of each table."""
    heading: list[str] = []
    found: dict[_Key, list[str]] = {}
    waiting: list[str] = []
    table: _Key | None = None
    lines = text.splitlines()
    for line, key in zip(lines, _keys(lines), strict=True):
        commented = _COMMENT.match(line)
        said = [commented[2]] if commented else []
        if key is not None:
            table = key
        if commented and not commented[1].strip():
            waiting += said  # of what follows
        elif line.strip():
            into = heading if table is None else found.setdefault(table, [])
            into += [*waiting, *said]
            waiting = []
        elif table is None:
            heading += waiting
            waiting = []
    if waiting:
        (heading if table is None else found.setdefault(("", ""), [])).extend(waiting)
    return heading, found


def _keys(lines: list[str]) -> Iterator[_Key | None]:
    """For each line the table that it begins, or None."""
    counts: dict[str, int] = {}
    for number, line in enumerate(lines):
        commented = _COMMENT.match(line)
        name = re.sub(r"[\"'\s]", "", commented[1] if commented else line)
        if not (name.startswith("[") and name.endswith("]")) or "=" in name:
            yield None
            continue
        which = str(counts.setdefault(name, 0))
        counts[name] += 1
        if name == "[[ctc]]":
            which = _fibre(lines[number + 1 :]) or which
        yield name, which


def _fibre(lines: list[str]) -> str | None:
    """Of which fibre the CTCs of a table are."""
    for line in lines:
        if line.lstrip().startswith("["):
            return None
        if named := re.match(r"\s*fibre\s*=\s*[\"']([^\"']*)", line):
            return named[1]
    return None
