"""The specification of a sweep, and the layouts of a template."""

from pathlib import Path
from typing import Any

import pytest

from ctc.address import CtcError
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.write import format_collection
from scenarios.search.grid import parse_grid, read_grid, without

TEMPLATE = """
[grid]
workload = ["HL"]
pairs = [5]
[template]
systems = ["BOSTON", "ATLANTA"]
feature = ["FICON Express4", ["FICON Express2", "FICON Express8S"]]
chpids = [2]
ctcs_per_chpid = [1, 3]
order = ["by-chpid", "across"]
"""


def test_axes_of_a_template_are_combined_in_order() -> None:
    cells = parse_grid(TEMPLATE.encode(), Path())
    assert [
        (cell.axes["feature"], cell.axes["ctcs_per_chpid"], cell.axes["order"]) for cell in cells
    ] == [
        (feature, each, order)
        for feature in ("FICON Express4", "FICON Express2+FICON Express8S")
        for each in (1, 3)
        for order in ("by-chpid", "across")
    ]


def test_length_of_the_fibres_is_an_axis() -> None:
    text = TEMPLATE.replace('"across"]', '"across"]\nkm = [0, 20]')
    cells = parse_grid(text.encode(), Path())
    assert len(cells) == 16
    for cell in cells:
        assert {fibre.km for fibre in cell.experiment.layout.fibres} == {cell.axes["km"]}
    with pytest.raises(ConfigurationError, match=r"\[template\] km: .*expected a list of lengths"):
        parse_grid(text.replace("20", "-20").encode(), Path())


def test_order_decides_which_chpid_comes_next_in_the_device_list() -> None:
    by_chpid, across = (
        [ctc.fibre.profile.feature for ctc in cell.experiment.layout.device_list()]
        for cell in parse_grid(TEMPLATE.encode(), Path())[6:]
    )
    assert by_chpid == ["FICON Express2"] * 3 + ["FICON Express8S"] * 3
    assert across == ["FICON Express2", "FICON Express8S"] * 3


def test_layouts_stand_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        '[fibre.1]\nfeature = "FICON Express2"\nchpid = { A = "40", B = "50" }\n'
        '[[ctc]]\nfibre = "1"\nrdevs = { A = "6000", B = "7000" }\n'
    )
    file = tmp_path / "sweep.toml"
    file.write_text('[grid]\nlayout = ["own.toml"]\nworkload = ["HS"]\npairs = [1]\n')
    (cell,) = read_grid(file)
    assert cell.experiment.layout.nodes == ("A", "B")


def test_channels_are_an_axis_of_layouts_that_are_one_link() -> None:
    text = '[grid]\nlayout = ["published-12"]\nworkload = ["HS"]\npairs = [1]\nchannels = [1, 4]\n'
    few, more = parse_grid(text.encode(), Path())
    assert [cell.axes["channels"] for cell in (few, more)] == [1, 4]
    assert [len(cell.experiment.layout.fibres) for cell in (few, more)] == [1, 4]
    several = text.replace("published-12", "two-cecs").encode()
    with pytest.raises(ConfigurationError, match="channels: of layout two-cecs; expected link"):
        parse_grid(several, Path())
    (cell,) = parse_grid(several.replace(b"[1, 4]", b'[2]\nlink = ["ALPHA-BETA"]'), Path())
    assert len(cell.experiment.layout.fibres) == 2
    with pytest.raises(ConfigurationError, match="channels: expected layout beside them"):
        parse_grid(TEMPLATE.replace("pairs = [5]", "pairs = [5]\nchannels = [2]").encode(), Path())
    with pytest.raises(ConfigurationError, match=r"channels.*from 1 to 8"):
        parse_grid(text.replace("4]", "9]").encode(), Path())


def test_lost_chpid_leaves_the_others() -> None:
    layout = load_layout("published-8")
    left = without(layout, "40")
    assert left is not None
    assert {ctc.fibre.name for ctc in left.ctcs} < {ctc.fibre.name for ctc in layout.ctcs}
    assert without(layout, "none") is layout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "grid: missing; expected a table"),
        ("[grid]\npairs = [1]\n", r"\[grid\] workload: missing"),
        ('[grid]\nworkload = ["HL"]\npairs = [1]\n', "layout: expected it or a table"),
        (TEMPLATE + "colour = 1\n", r"\[template\] colour: no such key"),
        (TEMPLATE.replace("[1, 3]", "[0]"), r"\[template\]: ctcs_per_chpid 0: expected 1 or more"),
        (TEMPLATE.replace("[1, 3]", "[9]"), "18 CTCs join"),
        (TEMPLATE.replace("chpids = [2]", "chpids = [3]"), "2 for 3 chpids; expected one of all"),
        (TEMPLATE.replace("Express8S", "Express9"), "'FICON Express9' is not"),
        (TEMPLATE.replace('"BOSTON", ', ""), r"\[template\] systems: expected the names"),
        (TEMPLATE.replace("[5]", "[]"), "0 runs; expected 1 to"),
        (TEMPLATE.replace("[5]", str(list(range(1, 20_000)))), "is too long; expected at most"),
        (f'[grid]\nworkload = ["HL"]\npairs = [1]\nlayout = ["{"n" * 300}"]\n', "n{40}: "),
        (
            TEMPLATE.replace("[5]", '[5]\nlose = ["99"]'),
            "feature FICON Express4, .*: lose '99': there is no such piece; expected none",
        ),
        (
            '[grid]\nworkload=["HL"]\npairs=[1]\nlose=["41"]\nlayout=["published-8","published-1"]',
            r"\[grid\]: layout published-1: lose '41': there is no such piece",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, message: str) -> None:
    with pytest.raises((ConfigurationError, CtcError), match=message):
        parse_grid(text.encode(), Path())


def test_a_layout_in_a_dict_is_refused_with_what_is_expected() -> None:
    layout = load_layout("published-8")
    grid: dict[str, Any] = {"workload": ["HL"], "pairs": [1], "layout": [layout]}
    with pytest.raises(ConfigurationError, match="layout: got Layout; expected a list of shipped"):
        parse_grid({"grid": grid})
    with pytest.raises(ConfigurationError, match="no such key; expected one of workload, pairs"):
        parse_grid({"grid": {layout: 1}})
    grid["layout"] = [format_collection(Collection.of(layout))]
    (cell,) = parse_grid({"grid": grid})
    assert cell.experiment.layout == layout
