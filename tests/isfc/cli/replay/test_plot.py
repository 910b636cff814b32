"""``isfc replay --plot``: the picture, its three formats, and what is refused."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from isfc.cli.main import run
from isfc.cli.options.own_file import check_files
from isfc.cli.output.picture import Spec
from isfc.cli.replay.plot import PLOT, check_drawn, write_plot
from isfc.cli.replay.suite_figure import PANELS, suite_figure
from isfc.errors import ConfigurationError
from scenarios.published.replay import Comparison, Part, choose, figures_by_cell
from scenarios.published.table import TABLES, PublishedTable, load_table
from tests.isfc.cli.output.test_picture import DARK, WHITE, faint

MEASURES = ("mb_per_s", "collisions_per_s", "rdev_util_percent")
ONE_RUN = ["--suite", "HL", "--rdevs", "12", "--pairs", "1", "--seconds", "0.01"]


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


@pytest.fixture(scope="module")
def parts(table: PublishedTable) -> list[Part]:
    return choose([table], {"suite": ["HS", "HL"], "rdevs": [1, 8, 16], "pairs": [1, 50]})


def emulated(parts: Sequence[Part], factor: float) -> list[Comparison]:
    """What a model gives that is off by ``factor`` everywhere."""
    return [
        Comparison(
            *(part.table.name, row.key, measure, row.number(measure)),
            *(factor * row.number(measure), None, row.role, None),
        )
        for part in parts
        for row in part.rows
        for measure in part.table.measures
        if row.has_number(measure)
    ]


def panels(parts: Sequence[Part], comparisons: Sequence[Comparison]) -> list[Spec]:
    """Those of the first table, from top to bottom and then from left to right."""
    first, *_ = suite_figure(parts, figures_by_cell(comparisons))["vconcat"]
    return [panel for block in first["hconcat"] for panel in block["vconcat"]]


def layer(panel: Spec, kind: str) -> Spec:
    """The marks of one kind; the last, for the lines of kinks come first."""
    found: Spec = [each for each in panel["layer"] if each["mark"]["type"] == kind][-1]
    return found


def values(panel: Spec, kind: str = "line") -> list[Spec]:
    drawn: list[Spec] = layer(panel, kind)["data"]["values"]
    return drawn


def test_a_column_for_each_suite_and_two_lines_for_each_number_of_pairs(parts: list[Part]) -> None:
    shown = panels(parts, emulated(parts, 2.0))
    measures = [measure for measure, *_ in PANELS if measure in MEASURES]
    assert len(shown) == 2 * len(measures)
    throughput = shown[0]
    assert layer(throughput, "line")["encoding"]["y"]["title"] == "MB/s, both ways"
    published = [
        (f"{pairs} pair{'s' * (pairs > 1)}", row.number("rdevs"), row.number("mb_per_s"))
        for row in parts[0].rows[:6]
        for pairs in [int(row.number("pairs"))]
    ]
    for whose, factor in (("IBM", 1), ("ours", 2)):
        drawn = [(v["pairs"], v["x"], v["y"]) for v in values(throughput) if v["whose"] == whose]
        assert drawn == [(pairs, x, factor * y) for pairs, x, y in published]


def test_several_seeds_give_their_mean_with_a_bar_from_least_to_greatest(parts: list[Part]) -> None:
    comparisons = [
        comparison for factor in (1.0, 1.5, 0.8) for comparison in emulated(parts, factor)
    ]
    throughput, published = panels(parts, comparisons)[0], parts[0].rows[0].number("mb_per_s")
    ours = values(throughput)[1]
    assert ours == values(throughput, "rule")[0]
    assert [ours[end] for end in ("least", "y", "most")] == pytest.approx(
        [0.8 * published, 1.1 * published, 1.5 * published]
    )
    (alone, *_) = panels(parts, emulated(parts, 1.0))
    assert "least" not in values(alone, "rule")[0]  # of kinks alone


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["svg", "png", "html"])
def test_same_figures_give_the_same_bytes(kind: str, parts: list[Part], tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.{kind}" for name in "ab"]
    for file in files:
        write_plot(file, parts, figures_by_cell(emulated(parts, 1.1)))
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert not re.search(rb"\d{4}-\d{2}-\d{2}T|/home/", first)


def test_page_holds_its_picture_and_says_what_it_shows(parts: list[Part], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_plot(page, parts, figures_by_cell(emulated(parts, 1.1)))
    text = page.read_text("utf-8")
    assert f"<h1>{parts[0].table.title}</h1>" in text
    assert text.count(f"{parts[0].table.title}</h") == 1
    picture = ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])
    shown = {element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"MB/s, both ways", "RDEV util %", "CTCs", "IBM", "ours", "50 pairs"} <= shown
    assert text.count("<h3>") == text.count("<svg") == text.count("<table>") == 2  # of HS, HL
    assert '<figure class="scrolls" role="img" aria-label="HL: messages 98304/122880' in text
    assert '<meta name="viewport"' in text
    assert "prefers-color-scheme: dark" in text
    assert not re.search(r' id="', text[text.index("<svg") :])  # so that none is there twice
    assert "<link" not in text
    assert "<img" not in text


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("a.pdf", r"a\.pdf: expected a file that ends with \.svg or \.png or \.html"),
        ("svg", "expected a file that ends with"),
        ("none/a.svg", "there is no folder .*none"),
    ],
)
def test_file_that_cannot_be_a_picture_is_refused(
    name: str, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        check_files({PLOT: tmp_path / name}, force=False)


def test_table_that_is_no_grid_is_refused() -> None:
    parts = choose([load_table("stop_short")], {})
    with pytest.raises(ConfigurationError, match="no picture of the table stop_short; expected"):
        check_drawn(parts)


@pytest.mark.exhaustive
@pytest.mark.at_length
def test_every_grid_is_drawn_below_the_other_and_the_rest_left_out(tmp_path: Path) -> None:
    parts = choose([load_table(name) for name in TABLES], {})
    picture = tmp_path / "all.svg"
    write_plot(picture, parts, figures_by_cell(emulated(parts, 1.1)))
    text = picture.read_text("utf-8")
    titles = [part.table.title for part in parts if part.table.is_grid]
    assert [text.index(title) for title in titles] == sorted(map(text.index, titles))
    assert {"messages/s, both ways", "bytes of a reply", "APPC/VM, reply length 1 bytes"} <= set(
        re.findall(r">([^<>]+)</text>", text)
    )
    assert "FCX108" not in text


def test_missing_library_is_named_with_its_extra_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("isfc.library.find_spec", lambda _: None)
    monkeypatch.setattr("isfc.answers.replay.run", None)
    assert run(["replay", *ONE_RUN, "--plot", str(tmp_path / "a.svg")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "isfc: --plot needs vl-convert-python, which is not installed; install it with\n"
        f"{sys.executable} -m pip install 'isfc[plot]'\n"
    )


@pytest.mark.at_length
@pytest.mark.slow
def test_command_draws_what_it_ran(tmp_path: Path) -> None:
    picture = tmp_path / "a.SVG"
    run(["replay", *ONE_RUN, "--json", "--plot", str(picture)])
    assert "HL" in picture.read_text("utf-8")


def colours(table: PublishedTable, *pairs: int) -> dict[str, str]:
    """By pairs."""
    chosen = choose([table], {"suite": ["HL"], "rdevs": [8], "pairs": pairs})
    (throughput, *_) = panels(chosen, emulated(chosen, 1.0))
    scale = layer(throughput, "line")["encoding"]["color"]["scale"]
    return dict(zip(scale["domain"], scale["range"], strict=True))


def test_pairs_have_the_same_colour_in_every_picture(table: PublishedTable) -> None:
    assert colours(table, 1, 5, 50)["50 pairs"] == colours(table, 50)["50 pairs"]


def test_every_line_can_be_told_from_the_white_behind_it(table: PublishedTable) -> None:
    drawn = {*colours(table, 1, 5, 10, 50, 100).values()}
    assert len(drawn) == 5
    assert faint([*drawn], WHITE) == []


def test_kinks_are_marked_where_the_link_gets_a_chpid(parts: list[Part]) -> None:
    (throughput, *_) = panels(parts, emulated(parts, 1.0))
    counts = sorted({row.number("rdevs") for row in parts[0].rows})
    marked = values(throughput, "text")
    assert marked
    assert all(min(counts) < mark["x"] < max(counts) for mark in marked)
    assert {mark["chpids"] for mark in marked} <= {"2 chpids", "3 chpids", "4 chpids"}
    assert layer(throughput, "text")["encoding"]["y"]["value"] < 0  # above all curves


def test_axes_that_go_over_decades_are_logarithmic_with_numbers_that_are_written_out(
    tmp_path: Path,
) -> None:
    table = load_table("appc_scaling")
    scaled = [Part(table, table.rows)]
    picture = tmp_path / "a.svg"
    write_plot(picture, scaled, figures_by_cell(emulated(scaled, 1.0)))
    svg = picture.read_text()
    assert {"50,000", "20,000", "200"} <= {*re.findall(r">([^<>]+)</text>", svg)}
    drawn = {*re.findall(r' (?:fill|stroke)="([^"]+)"', svg)} - {"none", WHITE}
    dark = dict(re.findall(r'\[fill="(#\w+)"\]\{fill:(#\w+)', svg))
    assert faint([*drawn], WHITE) == faint([dark.get(each, each) for each in drawn], DARK) == []
