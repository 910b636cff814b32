"""The shipped layouts, and finding one by name or by path."""

from pathlib import Path

import pytest

from ctc.address import format_rdev, parse_rdevs
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_collection, load_layout, shipped_layouts
from isfc.layout.file import parse_layout

# capacity_estimates.csv: the report's device sets
PUBLISHED = {
    "published-1": "6000",
    "published-4": "6000-6003",
    "published-8": "6000-6003,6020-6023",
    "published-10": "6000-6003,6020-6023,6040-6041",
    "published-12": "6000-6003,6020-6023,6040-6043",
    "published-14": "6000-6003,6020-6023,6040-6043,6060-6061",
    "published-16": "6000-6003,6020-6023,6040-6043,6060-6063",
}


def test_shipped_layouts_are_listed_in_the_order_of_their_sizes() -> None:
    assert shipped_layouts() == ("atlanta-boston", *PUBLISHED, "query-islink", "two-cecs")


@pytest.mark.parametrize("name", shipped_layouts())
def test_every_shipped_layout_is_a_good_one(name: str) -> None:
    assert all(link.ctcs for link in load_collection(name).links)


@pytest.mark.parametrize(("name", "rdevs"), PUBLISHED.items())
def test_published_layouts_have_the_published_devices(name: str, rdevs: str) -> None:
    layout = load_layout(name)
    assert tuple(ctc.rdevs for ctc in layout.ctcs) == tuple(
        (rdev, rdev) for rdev in parse_rdevs(rdevs)
    )
    for ctc in layout.ctcs:
        feature = "FICON Express2" if ctc.rdevs[0] < 0x6040 else "FICON Express4"
        assert ctc.fibre.profile.feature == feature
    # one chpid for each group of four
    assert len({(ctc.rdevs[0] & 0xFFF0, ctc.fibre.name) for ctc in layout.ctcs}) == len(
        layout.fibres
    )


def test_query_islink_example_has_other_numbers_at_the_other_end() -> None:
    layout = load_layout("query-islink")
    printed = [tuple(map(format_rdev, ctc.rdevs)) for ctc in layout.ctcs]
    assert layout.nodes[1] == "2NDI"
    assert printed == [("CC30", "33C0"), ("CC31", "33C1"), ("CC32", "33C2"), ("CC33", "33C3")]


def test_layout_is_found_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine"
    path.write_text(
        '[fibre.1]\nfeature = "FICON Express"\nchpid = { A = "1", B = "2" }\n'
        '[[ctc]]\nfibre = "1"\nrdevs = { A = "10", B = "20" }\n'
    )
    monkeypatch.chdir(tmp_path)
    assert load_layout("mine") == load_layout("./mine") == parse_layout(path.read_bytes())


def test_shipped_name_means_the_same_in_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "published-4").write_text("not a layout")
    monkeypatch.chdir(tmp_path)
    assert len(load_layout("published-4").ctcs) == 4
    with pytest.raises(ConfigurationError, match=r"^published-4: is not TOML"):
        load_layout("./published-4")


def test_unknown_name_is_refused_with_the_shipped_ones() -> None:
    with pytest.raises(
        ConfigurationError,
        match=r"^published-5: neither a file nor a shipped layout; did you mean published-",
    ):
        load_layout("published-5")


def test_name_too_long_for_a_file_is_an_unknown_name() -> None:
    with pytest.raises(ConfigurationError, match=r"^n{40}: neither a file nor a shipped layout"):
        load_layout("n" * 300)


@pytest.mark.parametrize("argument", ["none.toml", "nowhere/published-4", "n" * 300 + ".toml"])
def test_missing_file_is_refused_as_a_file(argument: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"^{argument}: cannot be read"):
        load_layout(argument)
