"""The pictures that answer the three questions of the guide on clusters, as SVG.

Each is of what one command shows. Words and figures say what colours do; dark mode is followed.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from isfc.answers.moves import GIB
from isfc.layout.loss import Loss
from isfc.reports.units import range_of
from scenarios.figures.cluster_plan import ClusterPlan
from scenarios.moves.evacuation import Evacuated, EvacuationOutcome
from scenarios.moves.figures import MovesFigures

_WIDTH: Final = 800
_LEFT: Final = 150
_RIGHT: Final = 110
_LINE: Final = 24
_BAR: Final = 15
_TOP: Final = 58
_STYLE: Final = """<style>
svg { font: 13px system-ui, sans-serif; color: #1b1f24; background: #fff }
text { fill: currentColor }
.title { font-weight: bold }
.small { font-size: 12px; opacity: .75 }
.rule { stroke: currentColor; stroke-opacity: .3 }
.whole { fill: #8fd19e }
.part { fill: #ffd479 }
.gone { fill: #f29b9b }
.free { fill: #b8c4d0 }
.used { fill: #2b7ab8 }
.stop { fill: #d03a3a }
@media (prefers-color-scheme: dark) {
  svg { color: #e6edf3; background: #0d1117 }
  .whole { fill: #1f6b33 } .part { fill: #7a5b10 } .gone { fill: #8a2b2b }
  .free { fill: #4a5663 } .used { fill: #58a6e0 } .stop { fill: #ff7b72 }
}
</style>"""


def together_svg(plan: ClusterPlan) -> str:
    """What each link carries alone and beside the others, and how busy each channel is then."""
    most = max(link.alone_mb_per_s for link in plan.links)
    room = _WIDTH - _LEFT - 1.5 * _RIGHT
    lines, top = list[str](), _TOP
    for link in plan.links:
        alone, left = link.alone_mb_per_s, link.rate.value
        lines.append(_text(10, top + 20, link.name))
        for place, kind, rate, said in (
            (top, "free", alone, f"{alone:.0f} alone"),
            (
                top + _BAR,
                "used",
                left,
                f"{left:.0f} ({range_of(link.rate)}) together: {100 * link.share:.0f} %",
            ),
        ):
            length = room * rate / most
            lines.append(_bar(_LEFT, place, length, _BAR - 1, kind))
            lines.append(_text(_LEFT + length + 6, place + 12, said, "small"))
        top += 2 * _BAR + 12
    top += 24
    lines.append(_text(10, top - 10, "How busy each channel is, all links together", "title"))
    for channel in plan.together.channels:
        name = " = ".join(map(str, channel.channel))
        busy = channel.busy
        lines.append(_text(10, top + 16, name))
        lines.append(_bar(_LEFT, top + 4, room, _BAR, "free"))
        lines.append(_bar(_LEFT, top + 4, room * busy, _BAR, "used"))
        lines.append(_text(_LEFT + room + 6, top + 16, f"{100 * busy:.0f} %", "small"))
        top += _LINE
    return _svg(
        "MB/s of each link, its slower way: alone; together (in four of five cases)",
        lines,
        top + 10,
    )


def losses_svg(losses: Sequence[Loss]) -> str:
    """A row for each piece that can be lost, a column for each link: how many CTCs it has left."""
    names = list(dict.fromkeys(name for loss in losses for name in _links_of(loss)))
    names.sort()
    left = 222
    column = (_WIDTH - left - 10) / len(names)
    lines = [
        _text(left + column * place + column / 2, _TOP - 6, name, "small", middle=True)
        for place, name in enumerate(names)
    ]
    top = _TOP
    for loss in losses:
        lines.append(_text(10, top + 16, loss.name.removeprefix("the ")))
        fewer = {name: (count, had) for name, count, had in loss.fewer}
        for place, name in enumerate(names):
            x = left + column * place
            kind, said = "whole", "all"
            if name in loss.cut:
                kind, said = "gone", "down"
            elif name in fewer:
                kind, said = "part", f"{fewer[name][0]} of {fewer[name][1]}"
            lines.append(_bar(x + 1, top + 1, column - 2, _LINE - 2, kind))
            lines.append(_text(x + column / 2, top + 16, said, middle=True))
        top += _LINE
    return _svg("What each link has left of its CTCs when a piece is lost", lines, top + 10)


def evacuation_svg(outcome: EvacuationOutcome, figures: MovesFigures) -> str:
    """A bar for each guest, from its first pass until it runs at its destination."""
    seconds = outcome.seconds
    room = _WIDTH - _LEFT - _RIGHT - 100
    left = _LEFT + 100
    height = len(outcome.guests) * _LINE
    lines = list[str]()
    for at_s in _ticks(seconds):
        x = left + room * at_s / seconds
        lines.append(f'<path class="rule" d="M{x:.1f} {_TOP}v{height + 4}"/>')
        lines.append(_text(x, _TOP + height + 18, f"{at_s:g} s", "small", middle=True))
    for row, guest in enumerate(outcome.guests):
        top = _TOP + row * _LINE
        lines.append(_text(10, top + 16, f"{guest.plan.name} to {guest.to}, {_size(guest)} GiB"))
        for each in guest.passes:
            begins_s = each.begin_ns / 1e9
            width = max(1.0, room * each.seconds / seconds)
            kind = "stop" if each.quiesced else "used"
            lines.append(_bar(left + room * begins_s / seconds, top + 4, width, _BAR, kind))
        said = f"stopped {guest.quiesced_seconds:.2f} s"
        lines.append(_text(left + room * guest.end_s / seconds + 6, top + 16, said, "small"))
    within = f" (four of five cases: {range_of(figures.seconds)})" if figures.rates else ""
    title = (
        f"{len(outcome.guests)} guests in {seconds:.2f} s{within}. "
        "Blue: memory moves; red: the guest is stopped"
    )
    return _svg(title, lines, _TOP + height + 28)


def _links_of(loss: Loss) -> Iterable[str]:
    return (*loss.cut, *(name for name, _, _ in loss.fewer), *loss.untouched)


def _size(guest: Evacuated) -> str:
    return f"{guest.plan.memory.size / GIB:g}"


def _ticks(seconds: float) -> Iterator[float]:
    """Round times, ten at most, from 0 to the end."""
    step = next(
        digit * 10.0**power
        for power in range(-3, 6)
        for digit in (1, 2, 5)
        if digit * 10.0**power * 10 >= seconds
    )
    for number in range(int(seconds / step) + 1):
        yield number * step


def _svg(title: str, lines: Iterable[str], height: int) -> str:
    said = escape(title)
    size = f'width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{said}</title>",
            _STYLE,
            _text(10, 24, title, "title"),
            *lines,
            "</svg>\n",
        ]
    )


def _text(x: float, y: float, text: str, kind: str = "", *, middle: bool = False) -> str:
    look = f' class="{kind}"' if kind else ""
    look += ' text-anchor="middle"' if middle else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{look}>{escape(text)}</text>'


def _bar(x: float, y: float, width: float, height: float, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
    )
