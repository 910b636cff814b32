"""Things that mail, a web page, an editor or a slip does to a text, as hypothesis draws them."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from hypothesis import strategies as st

Mutation = Callable[[st.DrawFn, str], str]


def _line(draw: st.DrawFn, lines: list[str]) -> int:
    full = [n for n, line in enumerate(lines) if line.strip()]
    return draw(st.sampled_from(full))


def collapse(draw: st.DrawFn, text: str) -> str:
    """Runs of blanks become one, or a tab, in all lines or in one."""
    blank = draw(st.sampled_from([" ", "\t", "\xa0"]))
    lines = text.split("\n")
    chosen = {_line(draw, lines)} if draw(st.booleans()) else set(range(len(lines)))
    return "\n".join(
        re.sub(r"(?<=\S) +", blank, line) if n in chosen else line for n, line in enumerate(lines)
    )


def drop_blanks(draw: st.DrawFn, text: str) -> str:
    """One run of blanks is gone, or a blank of it: two words join, or a line shifts."""
    lines = text.split("\n")
    at = _line(draw, lines)
    runs = [*re.finditer(" +", lines[at])] or [*re.finditer("", lines[at])]
    run: re.Match[str] = draw(st.sampled_from(runs))
    left = draw(st.integers(0, max(len(run[0]) - 1, 0)))
    lines[at] = lines[at][: run.start()] + " " * left + lines[at][run.end() :]
    return "\n".join(lines)


def drop_cell(draw: st.DrawFn, text: str) -> str:
    """A word is gone, with or without its place."""
    lines = text.split("\n")
    at = _line(draw, lines)
    words = [*re.finditer(r"[^\s,]+", lines[at])] or [*re.finditer(r"\S+", lines[at])]
    word = draw(st.sampled_from(words))
    place = " " * len(word[0]) if draw(st.booleans()) else ""
    lines[at] = lines[at][: word.start()] + place + lines[at][word.end() :]
    return "\n".join(lines)


def drop_column(draw: st.DrawFn, text: str) -> str:
    """The same word of all lines is gone, with or without its place."""
    lines = text.split("\n")
    words = [*re.finditer(r"\S+", lines[_line(draw, lines)])]
    chosen = draw(st.sampled_from(words))
    found = []
    for line in lines:
        over = [
            w
            for w in re.finditer(r"\S+", line)
            if w.start() < chosen.end() and chosen.start() < w.end()
        ]
        begin, end = (min(w.start() for w in over), max(w.end() for w in over)) if over else (0, 0)
        found.append(line[:begin] + line[end:])
    return "\n".join(found)


def drop_line(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    del lines[_line(draw, lines)]
    return "\n".join(lines)


def cut(draw: st.DrawFn, text: str) -> str:
    """The lines end early, or the text begins late or ends early."""
    if draw(st.booleans()):
        width = draw(st.integers(20, 140))
        return "\n".join(line[:width] for line in text.split("\n"))
    at = draw(st.sampled_from([word.start() for word in re.finditer(r"\S+", text)]))
    return text[at:] if draw(st.booleans()) else text[:at]


def repeat(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    at = _line(draw, lines)
    lines.insert(draw(st.sampled_from([at, _line(draw, lines)])), lines[at])
    return "\n".join(lines)


def swap(draw: st.DrawFn, text: str) -> str:
    """Two lines that follow each other change places, or two parts of the text at a page."""
    lines = text.split("\n")
    pages = [n for n, line in enumerate(lines) if re.search(r"FCX1|C H A N|D I R E C|I / O", line)]
    if draw(st.booleans()) and pages:
        at = draw(st.sampled_from(pages))
        return "\n".join([*lines[at:], *lines[:at]])
    at = draw(st.integers(0, max(len(lines) - 2, 0)))
    lines[at : at + 2] = lines[at : at + 2][::-1]
    return "\n".join(lines)


def join_lines(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    at = _line(draw, lines)
    lines[at : at + 2] = [draw(st.sampled_from(["", " "])).join(lines[at : at + 2])]
    return "\n".join(lines)


def wrap(draw: st.DrawFn, text: str) -> str:
    """Lines are broken at a width: at a blank, or within a word."""
    width = draw(st.integers(40, 132))
    hard = draw(st.booleans())
    found = []
    for line in text.split("\n"):
        while len(line) > width:
            blank = line.rfind(" ", 1, width)
            at = width if hard or blank < 0 else blank
            found.append(line[:at])
            line = line[at:] if hard else line[at:].lstrip()
        found.append(line)
    return "\n".join(found)


def separators(draw: st.DrawFn, text: str) -> str:
    """Points become commas, or thousands get marks, in all lines or in one."""
    lines = text.split("\n")
    chosen = {_line(draw, lines)} if draw(st.booleans()) else set(range(len(lines)))
    form = draw(
        st.sampled_from(
            [
                (r"(?<=\d)\.(?=\d)", ","),
                (r"\.(?=\d)", ","),
                (r"\b(\d)(\d{3})\b", r"\1,\2"),
                (r"\b(\d)(\d{3})\b", r"\1.\2"),
            ]
        )
    )
    return "\n".join(re.sub(*form, line) if n in chosen else line for n, line in enumerate(lines))


def dates(draw: st.DrawFn, text: str) -> str:
    """Dates and times in other forms."""
    form = draw(
        st.sampled_from([r"\2/\3/\1", r"\3.\2.\1", r"\2/\3/20\1", r"\1-\2-\3", r"\3/\2/\1"])
    )
    text = re.sub(r"\b(?:20)?(\d\d)[-/](\d\d)[-/](\d\d)\b", form, text)
    if draw(st.booleans()):
        return text
    return re.sub(r"\b0(\d:\d\d:\d\d)\b", r"\1 AM", text)


def case(draw: st.DrawFn, text: str) -> str:
    return text.lower() if draw(st.booleans()) else text.upper()


def quote(draw: st.DrawFn, text: str) -> str:
    mark = draw(st.sampled_from(["> ", ">> ", "| "]))
    return "".join(f"{mark}{line}\n" for line in text.split("\n"))


MUTATIONS: Final[tuple[Mutation, ...]] = (
    collapse,
    drop_blanks,
    drop_cell,
    drop_column,
    drop_line,
    cut,
    repeat,
    swap,
    join_lines,
    wrap,
    separators,
    dates,
    case,
    quote,
)

LEFT: Final = {
    each.__name__ for each in (collapse, join_lines, wrap, separators, dates, case, quote)
}
"""Names of those that take no word away, nor put a row below another heading."""


@st.composite
def mutated(
    draw: st.DrawFn, text: str, mutations: Sequence[Mutation] = MUTATIONS
) -> tuple[str, str]:
    """A text that one thing was done to, mostly, or two; and what."""
    done: list[Mutation] = draw(
        st.lists(st.sampled_from(mutations), min_size=1, max_size=2, unique=True)
    )
    for mutation in sorted(done, key=lambda each: each is cut):
        if text.strip():
            text = mutation(draw, text)
    return text, "+".join(each.__name__ for each in done)
