"""What ``isfc optimise`` writes beside its page: the layout that is advised, and a picture."""

from collections.abc import Iterable
from typing import Final

from isfc.answers.optimise import SearchResult
from isfc.answers.placing import Placing
from isfc.cli.options.own_file import OwnFile, plot
from isfc.cli.output.curves import axis, marks, nominal
from isfc.cli.output.picture import Spec, picture
from isfc.cli.output.streams import write_file

OUTPUT: Final = OwnFile(
    ("--output", "-o"),
    (),
    "FILE",
    "Write what is advised as a layout: the one given if there is nothing to gain.",
    lambda path, found: write_file(path, found.proposed.layout),
)


def front_picture(found: SearchResult) -> Spec:
    """What was found by its first two objectives, with ranges; the front is joined.

    By one objective it is drawn over the places.
    """
    first, second = (*found.objectives, "place")[:2]

    def scored(of: str, ones: Iterable[tuple[int, Placing]]) -> list[Spec]:
        return [{"of": of, **_point(place, one, first, second)} for place, one in ones]

    best = [*enumerate(found.best, start=1)]
    names = ("found", "front", "given")
    x = axis("x", f"{first}, MB/s; bars: four of five cases", zero=False)
    y = axis("y", second if second == "place" else f"{second}, MB/s", zero=False)
    where = {"x": x, "y": y, "color": nominal("of", names)}
    level = {**where, "x": {**x, "field": "x from"}, "x2": {"field": "x to"}}
    upright = {**where, "y": {**y, "field": "y from"}, "y2": {"field": "y to"}}
    shaped = {**where, "shape": nominal("of", names, ("circle", "M-1,-.2H1V.2H-1Z", "square"))}
    points = scored("found", best)
    front = scored("front", [each for each in best if each[1].on_front])
    given = scored("given", [(0, found.given)])
    layer = [
        *(marks("rule", points, ends, opacity=0.5) for ends in (level, upright)),
        marks("line", front, where),
        marks("point", [*points, *given], shaped, filled=True, size=40),
    ]
    return picture(f"What was found: {second} over {first}", layer=layer)


def _point(place: int, one: Placing, first: str, second: str) -> Spec:
    point: Spec = {"y": place, "y from": place, "y to": place}
    for way, name in (("x", first), ("y", second)):
        if (figure := one.figures.get(name)) is not None:
            ends = figure.ends
            point |= {way: figure.value, f"{way} from": ends.low, f"{way} to": ends.high}
    return point


PLOT: Final = plot(front_picture)
