"""`isfc plan` leads with what a link carries, what limits it and what to do, on one screen.

Twenty links of today's hardware, made of features, chpids, CTCs and distances, by the command.
"""

from pathlib import Path
from typing import Final

import pytest

from isfc.layout.write import format_layout
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX
from scenarios.search.grid import DeviceOrder, Template
from tests.isfc.printed import Printed

LINES: Final = 24
COLUMNS: Final = 80
"""A screen as 3270 model 2 has it."""

LINKS: Final = [
    ("FICON Express8S", 1, 1, 0),
    ("FICON Express8S", 1, 4, 0),
    ("FICON Express8S", 2, 4, 0),
    ("FICON Express8S", 4, 4, 10),
    ("FICON Express16S", 1, 2, 0),
    ("FICON Express16S", 2, 2, 0),
    ("FICON Express16S", 2, 4, 20),
    ("FICON Express16S", 4, 2, 0),
    ("FICON Express16S", 4, 4, 0),
    ("FICON Express16S+", 2, 1, 0),
    ("FICON Express16S+", 2, 4, 0),
    ("FICON Express16S+", 4, 4, 50),
    ("FICON Express16SA", 2, 4, 0),
    ("FICON Express16SA", 4, 1, 0),
    ("FICON Express16SA", 4, 4, 100),
    ("FICON Express32S", 1, 8, 0),
    ("FICON Express32S", 2, 2, 0),
    ("FICON Express32S", 2, 8, 10),
    ("FICON Express32S", 4, 4, 0),
    ("FICON Express32S", 8, 2, 0),
]
"""The feature, how many chpids, CTCs on each, and km."""

SOME: Final = (0, 8, 17)
"""Those of which one has no scan that stops short, one is ordinary, and one is crowded and far."""


@pytest.mark.at_length
@pytest.mark.parametrize(
    ("feature", "chpids", "ctcs", "km"),
    [
        pytest.param(*link, marks=pytest.mark.slow if number in SOME else pytest.mark.exhaustive)
        for number, link in enumerate(LINKS)
    ],
)
def test_reason_range_and_what_would_help_are_on_one_screen(
    feature: str, chpids: int, ctcs: int, km: int, tmp_path: Path, printed: Printed
) -> None:
    file = tmp_path / "link.toml"
    systems = NodeName("ATLANTA1"), NodeName("BOSTON01")  # as long as names are
    template = Template(systems, (feature,), chpids, ctcs, DeviceOrder.BY_CHPID, km)
    file.write_text(format_layout(template.layout()))
    lines = printed("plan", str(file)).splitlines()
    assert max(map(len, lines)) <= COLUMNS
    table = next(line for line in lines if line.startswith("sender "))
    assert lines.index("", lines.index(table)) <= LINES
    assert table.count("range") == 2
    answer = lines[2 : lines.index("", 2)]
    labels = [line[:10].strip() for line in answer if not line.startswith(" ")]
    assert labels == ["Carries", "Limited by", "Lose a chp", "To do", "To gain"]
    text = " ".join(" ".join(answer).split())
    said = f"a link has {CTCS_MAX} CTCs at most" if chpids * ctcs == CTCS_MAX else "To gain "
    assert said in text


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.full_length
def test_a_link_of_twelve_ctcs_takes_35_lines_and_350_words(printed: Printed) -> None:
    page = printed("plan", "published-12")
    assert len(page.splitlines()) <= 35
    assert len(page.split()) <= 350
