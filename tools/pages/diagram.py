"""Pictures of the state tables of a CTC, hardware and software, drawn from the tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from ctc.state import TRANSITIONS, CommandClass, CommandOutcome, State
from isfc.link.state import DeviceState
from isfc.link.write_side import SHOWN, WRITE_SIDE

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"

COLOURS: Final = {
    CommandOutcome.END: "#eeeeee",
    CommandOutcome.MATCH: "#cfe8cf",
    CommandOutcome.MATCH_WAIT: "#e3efc6",
    CommandOutcome.WAIT: "#fff3c4",
    CommandOutcome.ATTEND: "#ffe0a3",
    CommandOutcome.TRANSFER: "#8fd19e",
    CommandOutcome.BUSY: "#f2a9a0",
    CommandOutcome.CHECK: "#d5ccdf",
}

_DARK: Final = {
    "white": "#14181d",
    "#eeeeee": "#2a2f36",
    "#f4f4f4": "#22272e",
    "#cfe8cf": "#2c4a33",
    "#e3efc6": "#3f4a28",
    "#fff3c4": "#524615",
    "#ffe0a3": "#5f4410",
    "#8fd19e": "#1f6b38",
    "#f2a9a0": "#7a2f28",
    "#d5ccdf": "#4a3d5c",
}
"""What each colour is on devices that are set to dark; text is light there."""

_STYLE: Final = "".join(
    [
        "<style>@media (prefers-color-scheme: dark) {text {fill: #e6edf3} ",
        "rect[stroke] {stroke: #14181d} ",
        *(f'rect[fill="{light}"] {{fill: {dark}}} ' for light, dark in _DARK.items()),
        "}</style>",
    ]
)

_CELL_WIDTH: Final = 92
_CELL_HEIGHT: Final = 28
_LEFT: Final = 160
_TOP: Final = 68
_LEGEND_LINE: Final = 22


def draw() -> str:
    """The picture of the hardware's states, as SVG."""
    rows = {
        each.value: [(COLOURS[outcome], _words(outcome.name)) for outcome in TRANSITIONS[each]]
        for each in CommandClass
    }
    said = (
        "What becomes of a command (rows), given what the other end",
        "of the CTC has outstanding (columns). Drawn from ctc/state.py.",
    )
    return _picture("What becomes of a CTC command", said, [*State], rows, _LEFT, [*CommandOutcome])


def draw_link() -> str:
    """The picture of the software's states, as SVG: what leads from which to which."""
    said = (
        "What happens to a CTC of a link (rows): in which states it may (pale),",
        "and the state after it (dark). Drawn from isfc/link/write_side.py.",
    )
    rows = {given.cause: [*_changes(given.changes)] for given in WRITE_SIDE}
    return _picture("The states of a CTC of a logical link", said, [*DeviceState], rows, 230)


def _changes(changes: Mapping[int, int]) -> Iterator[tuple[str, str]]:
    found = {SHOWN[each] for each in changes}
    left = {SHOWN[each] for each in changes.values()}
    for state in DeviceState:
        before, after = state in found, state in left
        words = "stays" if before and after else "to here" if after else "from here"
        colour = "#8fd19e" if after else "#e3efc6" if before else "#f4f4f4"
        yield colour, words if before or after else ""


def _picture(
    title: str,
    said: Iterable[str],
    columns: Sequence[Enum],
    rows: Mapping[str, Sequence[tuple[str, str]]],
    left: int,
    legend: Sequence[CommandOutcome] = (),
) -> str:
    """A table, of whose cells each has a colour and words, and a legend below it."""
    width = left + _CELL_WIDTH * len(columns) + 10
    bottom = _TOP + _CELL_HEIGHT * len(rows)
    height = bottom + (24 + _LEGEND_LINE * len(legend) if legend else 10)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">',
        f"<title>{title}</title>",
        _STYLE,
        f'<rect width="{width}" height="{height}" fill="white"/>',
        '<g font-family="sans-serif" font-size="12">',
        *(_text(10, 20 + 16 * place, line) for place, line in enumerate(said)),
    ]
    for place, column in enumerate(columns):
        lines.append(_text(left + _CELL_WIDTH * place + 6, _TOP - 8, _words(column.name)))
    for row, (name, cells) in enumerate(rows.items()):
        top = _TOP + _CELL_HEIGHT * row
        lines.append(_text(10, top + 19, name))
        for place, (colour, words) in enumerate(cells):
            x = left + _CELL_WIDTH * place
            lines.append(_filled(x, top, _CELL_WIDTH, _CELL_HEIGHT, colour))
            if words:
                lines.append(_text(x + 6, top + 19, words))
    return "\n".join([*lines, *_legend(legend, bottom + 24), "</g></svg>"]) + "\n"


def _legend(legend: Sequence[CommandOutcome], top: int) -> Iterator[str]:
    for line, outcome in enumerate(legend):
        y = top + _LEGEND_LINE * line
        yield _filled(10, y - 12, 16, 16, COLOURS[outcome])
        yield _text(34, y, f"{_words(outcome.name)}: {outcome.value}")


def _filled(x: int, y: int, width: int, height: int, colour: str) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}" stroke="white"/>'
    )


def _text(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}">{escape(text)}</text>'


def _words(name: str) -> str:
    return name.lower().replace("_", " ")


def files() -> dict[Path, str]:
    """The pictures."""
    return {DOCS / "ctc-states.svg": draw(), DOCS / "link-states.svg": draw_link()}
