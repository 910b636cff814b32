"""The CTC's state table as a picture, drawn from the table itself.

``python -m tools.pages.diagram`` writes ``docs/ctc-states.svg``.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from ctc.state import TRANSITIONS, CommandClass, Outcome, State

PICTURE: Final = Path(__file__).resolve().parents[2] / "docs" / "ctc-states.svg"

COLOURS: Final = {
    Outcome.END: "#eeeeee",
    Outcome.MATCH: "#cfe8cf",
    Outcome.MATCH_WAIT: "#e3efc6",
    Outcome.WAIT: "#fff3c4",
    Outcome.ATTEND: "#ffe0a3",
    Outcome.TRANSFER: "#8fd19e",
    Outcome.BUSY: "#f2a9a0",
    Outcome.CHECK: "#d5ccdf",
}

_CELL_WIDTH: Final = 92
_CELL_HEIGHT: Final = 28
_LEFT: Final = 160
_TOP: Final = 68
_LEGEND_LINE: Final = 22


def draw() -> str:
    """The picture, as SVG."""
    width = _LEFT + _CELL_WIDTH * len(State) + 10
    legend_top = _TOP + _CELL_HEIGHT * len(CommandClass) + 24
    height = legend_top + _LEGEND_LINE * len(Outcome)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">',
        "<title>What becomes of a CTC command</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        '<g font-family="sans-serif" font-size="12">',
        _text(10, 20, "What becomes of a command (rows), given what the other end"),
        _text(10, 36, "of the CTC has outstanding (columns). Drawn from ctc/state.py."),
        *_table(),
        *_legend(legend_top),
        "</g></svg>",
    ]
    return "\n".join(lines) + "\n"


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
    for line, outcome in enumerate(Outcome):
        y = top + _LEGEND_LINE * line
        yield _box(10, y - 12, 16, 16, outcome)
        yield _text(34, y, f"{_words(outcome.name)}: {outcome.value}")


def _box(x: int, y: int, width: int, height: int, outcome: Outcome) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" '
        f'fill="{COLOURS[outcome]}" stroke="white"/>'
    )


def _text(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}">{escape(text)}</text>'


def _words(name: str) -> str:
    return name.lower().replace("_", " ")


def main() -> int:
    """Draw the picture; return the exit status."""
    PICTURE.write_text(draw(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
