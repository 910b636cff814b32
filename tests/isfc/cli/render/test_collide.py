"""The heat map of ``isfc collide``."""

from io import StringIO

from rich.console import Console

from isfc.cli.render.collide import collide_page
from isfc.layout.catalogue import load_layout
from scenarios.collide import CollisionOutcome


def page(*figures: float) -> str:
    outcomes = [
        CollisionOutcome("upward", 10, load, figure, 0, 1, 1, 1)
        for load, figure in zip((5, 10, 15), figures, strict=True)
    ]
    console = Console(file=StringIO(), width=80)
    console.print(collide_page(load_layout("published-4"), outcomes))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_shades_go_from_none_to_the_most() -> None:
    row = page(0, 1, 400).splitlines()[-1]
    assert row.split() == ["10", "0", "1", "··", "400", "██"]


def test_no_collisions_at_all_have_no_shade() -> None:
    assert page(0, 0, 0).splitlines()[-1].split() == ["10", "0", "0", "0"]
