"""Pictures of the state tables of a CTC, hardware and software, drawn from the tables."""

from collections.abc import Iterator
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
    """The picture, as SVG."""
    width = _LEFT + _CELL_WIDTH * len(State) + 10
    legend_top = _TOP + _CELL_HEIGHT * len(CommandClass) + 24
    height = legend_top + _LEGEND_LINE * len(CommandOutcome)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">',
        "<title>What becomes of a CTC command</title>",
        _STYLE,
        f'<rect width="{width}" height="{height}" fill="white"/>',
        '<g font-family="sans-serif" font-size="12">',
        _text(10, 20, "What becomes of a command (rows), given what the other end"),
        _text(10, 36, "of the CTC has outstanding (columns). Drawn from ctc/state.py."),
        *_table(),
        *_legend(legend_top),
        "</g></svg>",
    ]
    return "\n".join(lines) + "\n"


def draw_link() -> str:
    """The picture of the software's states, as SVG: what leads from which to which."""
    margin, states = 230, list(DeviceState)
    width = margin + _CELL_WIDTH * len(states) + 10
    height = _TOP + _CELL_HEIGHT * len(WRITE_SIDE) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">',
        "<title>The states of a CTC of a logical link</title>",
        _STYLE,
        f'<rect width="{width}" height="{height}" fill="white"/>',
        '<g font-family="sans-serif" font-size="12">',
        _text(10, 20, "What happens to a CTC of a link (rows): in which states it may (pale),"),
        _text(10, 36, "and the state after it (dark). Drawn from isfc/link/write_side.py."),
        *(
            _text(margin + _CELL_WIDTH * column + 6, _TOP - 8, _words(state.name))
            for column, state in enumerate(states)
        ),
    ]
    for row, given in enumerate(WRITE_SIDE):
        top = _TOP + _CELL_HEIGHT * row
        lines.append(_text(10, top + 19, given.cause))
        found = {SHOWN[each] for each in given.changes}
        left = {SHOWN[each] for each in given.changes.values()}
        for column, state in enumerate(states):
            before, after = state in found, state in left
            colour = "#8fd19e" if after else "#e3efc6" if before else "#f4f4f4"
            place = margin + _CELL_WIDTH * column, top, _CELL_WIDTH, _CELL_HEIGHT
            lines.append(_filled(*place, colour))
            if before or after:
                words = "stays" if before and after else "to here" if after else "from here"
                lines.append(_text(place[0] + 6, top + 19, words))
    return "\n".join([*lines, "</g></svg>"]) + "\n"


def _table() -> Iterator[str]:
    for state in State:
        yield _text(_LEFT + _CELL_WIDTH * state + 6, _TOP - 8, _words(state.name))
    for row, command_class in enumerate(CommandClass):
        top = _TOP + _CELL_HEIGHT * row
        yield _text(10, top + 19, command_class.value)
        for state in State:
            outcome = TRANSITIONS[command_class][state]
            left = _LEFT + _CELL_WIDTH * state
            yield _box(left, top, _CELL_WIDTH, _CELL_HEIGHT, outcome)
            yield _text(left + 6, top + 19, _words(outcome.name))


def _legend(top: int) -> Iterator[str]:
    for line, outcome in enumerate(CommandOutcome):
        y = top + _LEGEND_LINE * line
        yield _box(10, y - 12, 16, 16, outcome)
        yield _text(34, y, f"{_words(outcome.name)}: {outcome.value}")


def _box(x: int, y: int, width: int, height: int, outcome: CommandOutcome) -> str:
    return _filled(x, y, width, height, COLOURS[outcome])


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
