"""The losses of the shipped cluster as a table made by hand, which everything that loses them has.

Two CECs, EAST with ALPHA and BETA, WEST with GAMMA and DELTA; each has four channels that both of
its systems use, the first two lead through director 1, the others through 2 or 3. A link has
eight CTCs: two on each channel of a CEC; those within a CEC go out of one channel into another.
From CEC to CEC those of director 1 are a path, and directors 2 and 3 an inter-switch link apart.
"""

import re
from typing import Final

import pytest

from isfc.layout.catalogue import read_content
from isfc.layout.file import parse_collection
from isfc.layout.loss import loss_of, losses
from isfc.link.name import NodeName
from scenarios.faults.fault import parse_faults

PLACES: Final = {
    r"(\[fibre\.[AB][DG][01]\]\n)": r'\1path = "far"\n',
    r'(\[fibre\.DG[23]\][^[]*director = )"2"': r'\1"3"',
    r'(\[fibre\.[AB][DG][23]\]\n[^[]*{ (\w+) = "..", (\w+) = ".." }\n)director = "2"': (
        r'\1path = "wide"\ndirector = { \2 = "2", \3 = "3" }'
    ),
}
PATHS: Final = "[path.far]\nkm = 10\n[path.wide]\nkm = 10\nisl = { gbps = 8, credits = 200 }\n"


def with_paths() -> str:
    """The file of the shipped cluster with paths between its CECs."""
    file = read_content("two-cecs")[0].decode()
    for place, changed in PLACES.items():
        file = re.sub(place, changed, file)
    return file + PATHS


FILE: Final = with_paths()
CECS: Final = parse_collection(FILE)
LINKS: Final = tuple("ALPHA-BETA ALPHA-DELTA ALPHA-GAMMA BETA-DELTA BETA-GAMMA DELTA-GAMMA".split())
EAST: Final = (4, 6, 6, 6, 6, 8)
WEST: Final = (8, 6, 6, 6, 6, 4)
TABLE: Final = {
    **{f"the channel ALPHA {n} = BETA {n}": (f"ALPHA:{n}", EAST) for n in (40, 41, 42, 43)},
    **{f"the channel GAMMA {n} = DELTA {n}": (f"GAMMA:{n}", WEST) for n in (50, 51, 52, 53)},
    "director 1": ("director:1", (4, 4, 4, 4, 4, 4)),
    "director 2": ("director:2", (4, 4, 4, 4, 4, 8)),
    "director 3": ("director:3", (8, 4, 4, 4, 4, 4)),
    "path far": ("path:far", (8, 4, 4, 4, 4, 8)),
    "path wide": ("isl:wide", (8, 4, 4, 4, 4, 8)),
    "CEC EAST": ("cec:EAST", (0, 0, 0, 0, 0, 8)),
    "CEC WEST": ("cec:WEST", (8, 0, 0, 0, 0, 0)),
    "system ALPHA": ("system:ALPHA", (0, 0, 0, 8, 8, 8)),
    "system BETA": ("system:BETA", (0, 8, 8, 0, 0, 8)),
    "system DELTA": ("system:DELTA", (8, 0, 8, 0, 8, 0)),
    "system GAMMA": ("system:GAMMA", (8, 8, 0, 8, 0, 0)),
}
"""What is lost, its name in --without, faults and live, and the CTCs that each link has left.

Live it is held to the same: `tests/isfc/cli/live/test_up.py`."""


def test_the_table_has_every_piece_that_plan_lose_has() -> None:
    assert [loss.name for loss in losses(CECS)] == [*TABLE]


@pytest.mark.parametrize("name", TABLE)
def test_lose_without_and_faults_take_what_the_table_says(name: str) -> None:
    piece, left = TABLE[name]
    expected = dict(zip(LINKS, left, strict=True))
    loss = next(each for each in losses(CECS) if each.name == name)
    together = loss_of(CECS, [piece])
    for each in (loss, together):
        assert dict.fromkeys(each.cut, 0) | {
            link: count for link, count, had in each.fewer if had == 8
        } == {link: count for link, count in expected.items() if count < 8}
        assert [*each.untouched] == [link for link, count in expected.items() if count == 8]
    assert [*together.cut] == [link for link, count in expected.items() if not count]
    file = f'[[fault]]\nat = "1ms"\nkind = "piece lost"\npiece = "{piece}"\nfor = "2ms"\n'
    (fault,) = parse_faults(file.encode(), CECS, NodeName("ALPHA"), 9_000_000)
    gone = {
        link.name: sum((link.nodes[0], ctc.rdevs[0]) in fault.places for ctc in link.ctcs)
        for link in CECS.links
    }
    assert {link: 8 - count for link, count in gone.items()} == expected
