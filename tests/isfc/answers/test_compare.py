"""``isfc compare`` of layouts: who carries most and how sure that is, and what is refused."""

import re
from pathlib import Path

import pytest

from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded
from tests.layouts import mesh


@pytest.mark.slow
@pytest.mark.at_length
def test_more_chpids_are_ahead_by_odds(printed: Printed, recorded: Recorded) -> None:
    words = ["compare", "published-1", "published-4", "atlanta-boston"]
    page = printed(*words, "--workload", "HL", "--pairs", "20")
    assert max(map(len, page.splitlines())) <= 80
    assert re.search(r"Carries most +atlanta-boston: \d", page)
    assert "published-1 carries nothing without chpid 40 (mate 50)" in page
    assert "\natlanta-" in page
    record = recorded(*words, "--pairs", "20")
    assert record["kind"] == "layouts"
    for layout in record["layouts"]:
        low, high = layout["rate"]["range"]["likely"]
        assert low < layout["rate"]["value"] < high
        assert layout["limits"]["by"]
    assert [layout["worst"]["left"]["value"] for layout in record["layouts"][:2]] == [0, 0]
    assert len(record["odds"]) == 3
    assert all(0.5 <= each["odds"] < 1 for each in record["odds"])


@pytest.mark.at_length
def test_several_links_are_compared_where_the_layouts_have_the_same(
    tmp_path: Path, recorded: Recorded, refusal: Refusal
) -> None:
    files = [tmp_path / f"{ctcs}.toml" for ctcs in (1, 2)]
    for ctcs, file in enumerate(files, start=1):
        file.write_text(mesh(3, shared=True, ctcs=ctcs))
    words = ["--workload", "HS", "--pairs", "1"]
    one, two = recorded("compare", *map(str, files), *words)["layouts"]
    assert (one["ctcs"], two["ctcs"]) == (3, 6)
    for each in (one, two):
        low, high = each["rate"]["range"]["likely"]
        assert low < each["rate"]["value"] < high
        assert each["worst"]["gone"].startswith("chpid 40 at S")
        assert 0 < each["worst"]["left"]["value"] < 0.5
    assert refusal("compare", "published-4", str(files[0])).startswith(
        f"{files[0]}: has S1-S2, S1-S3, S2-S3; expected the links of published-4, CLIENT-SERVER, or"
    )


@pytest.mark.at_length
@pytest.mark.slow
def test_several_links_run_the_traffic_of_their_files_which_has_to_be_one(
    tmp_path: Path, printed: Printed, recorded: Recorded, refusal: Refusal
) -> None:
    """`--pairs` had no effect on it, and files with other traffic were held against each other."""
    traffic = '[[traffic]]\nfrom = "S1"\nto = "S2"\nworkload = "HS"\npairs = {}\n'
    files = [tmp_path / f"{pairs}-pairs-over-links-that-share.toml" for pairs in (1, 2)]
    for pairs, file in enumerate(files, start=1):
        file.write_text(mesh(3, shared=True) + traffic.format(pairs))
    one, two = map(str, files)
    assert "its [[traffic]] is what runs" in refusal("compare", one, one, "--pairs", "5")
    assert refusal("compare", one, two).startswith("layouts: their [[traffic]] differs")
    record = recorded("compare", one, one)
    assert record["workload"] is record["pairs"] is None
    page = printed("compare", one, one)
    assert re.search(r"CTCs +ids +ings\n", page)  # a column was cut off, with its figures
    said = " ".join(page.split())
    assert "Carries most not known: " in said
    assert " the slower way, which is as much as " in said  # "only 0 % more"


def test_options_of_layouts_are_refused_with_results(refusal: Refusal) -> None:
    assert "--pairs: of layouts" in refusal("compare", "a.json", "b.json", "--pairs", "5")


def test_layout_that_is_not_there_is_named(refusal: Refusal) -> None:
    """It said of the first, which is there, that it is no result."""
    assert refusal("compare", "published-4", "nosuch").startswith("nosuch: neither a file nor")


def test_one_layout_is_refused(refusal: Refusal) -> None:
    assert "expected two layouts or more" in refusal("compare", "published-4")
