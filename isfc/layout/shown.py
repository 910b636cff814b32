"""How records show themselves in a notebook: a table, a plot of figures."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from isfc.layout.collection import Collection
    from isfc.layout.layout import Layout

_WIDTH: Final = 480
_HEIGHT: Final = 60


def html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table whose rows begin with what they are of."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        f"<tr><th>{_cell(first)}</th>{''.join(f'<td>{_cell(each)}</td>' for each in rest)}</tr>"
        for first, *rest in rows
    )
    return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{body}</table>"


def rows_table(title: str, rows: Sequence[Mapping[str, object]]) -> str:
    """The same of flat records, which all have the same keys."""
    heads = [*rows[0]] if rows else [""]
    return html_table(title, heads, [[*row.values()] for row in rows])


def _cell(value: object) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else escape(str(value))


def html_plot(title: str, figures: Sequence[float]) -> str:
    """One line from left to right, from 0 to the most of them; nothing of fewer than two."""
    if len(figures) < 2:
        return ""
    most = max(figures) or 1.0
    points = " ".join(
        f"{_WIDTH * place / (len(figures) - 1):.1f},{_HEIGHT * (1 - each / most):.1f}"
        for place, each in enumerate(figures)
    )
    return (
        f'<figure><svg viewBox="0 -2 {_WIDTH} {_HEIGHT + 4}" width="{_WIDTH}" role="img">'
        f"<title>{escape(title)}</title>"
        f'<polyline points="{points}" fill="none" stroke="currentColor"/></svg>'
        f"<figcaption>{escape(title)}, 0 to {most:,.1f}</figcaption></figure>"
    )


def drawn(layout: "Layout | Collection") -> str:
    """The drawing, for a notebook. It is made by what is above, so the public face is asked."""
    drawing: str = import_module("isfc").drawing(layout)
    return drawing
