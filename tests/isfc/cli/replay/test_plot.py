"""``isfc replay --plot``: the picture, its three formats, and what is refused."""

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer

from isfc.cli.main import run
from isfc.cli.replay.plot import check_plot, write_plot
from isfc.cli.replay.suite_figure import PANELS, draw
from isfc.errors import ConfigurationError
from scenarios.published.companion import TABLES, load_table
from scenarios.published.replay import Comparison, Part, choose
from scenarios.published.table import PublishedTable
from tests.contrast import CONTRAST_MIN, contrast, parse_colour

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


def test_a_column_for_each_suite_and_two_lines_for_each_number_of_pairs(parts: list[Part]) -> None:
    figure = draw(parts, emulated(parts, 2.0))
    panels = [measure for measure, *_ in PANELS if measure in MEASURES]
    assert len(figure.axes) == 2 * len(panels)
    throughput = figure.axes[0]
    title = "HS\nmessages 512/8192 bytes, 20 %, replies 2048"
    assert (throughput.get_title(), throughput.get_ylabel()) == (title, "MB/s both ways")
    curves = [line for line in throughput.lines if line.get_linestyle() != ":"]
    lines = [list(map(tuple, np.asarray(line.get_xydata()))) for line in curves]
    first, second = (
        [
            (row.number("rdevs"), row.number("mb_per_s"))
            for row in parts[0].rows[:6]
            if row.number("pairs") == n
        ]
        for n in (1, 50)
    )
    doubled = [[(ctcs, 2 * rate) for ctcs, rate in line] for line in (first, second)]
    assert lines == [first, doubled[0], second, doubled[1]]


def test_several_seeds_give_their_mean_with_a_bar_from_least_to_greatest(parts: list[Part]) -> None:
    comparisons = [
        comparison for factor in (1.0, 1.5, 0.8) for comparison in emulated(parts, factor)
    ]
    throughput = draw(parts, comparisons).axes[0]
    (container, *_) = throughput.containers
    assert isinstance(container, ErrorbarContainer)
    line, _, (bars,) = container.lines
    published = parts[0].rows[0].number("mb_per_s")
    assert np.asarray(line.get_ydata())[0] == pytest.approx(1.1 * published)
    assert [y for _, y in bars.get_segments()[0]] == pytest.approx(
        [0.8 * published, 1.5 * published]
    )
    (container, *_) = draw(parts, emulated(parts, 1.0)).axes[0].containers
    assert isinstance(container, ErrorbarContainer)
    assert not container.has_yerr


def test_seeds_that_agree_have_no_bar_below_their_mean(parts: list[Part]) -> None:
    # three times the same figure may have a mean that is a rounding error beside it
    for factor in (0.1, 0.7, 1.1, 1.3):
        same = [c for _ in range(3) for c in emulated(parts, factor)]
        assert draw(parts, same).axes


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["svg", "png", "html"])
def test_same_figures_give_the_same_bytes_whatever_the_user_has_set(
    kind: str, parts: list[Part], tmp_path: Path
) -> None:
    comparisons = emulated(parts, 1.1)
    write_plot(tmp_path / f"a.{kind}", parts, comparisons)
    with mpl.rc_context({"lines.linewidth": 9, "svg.hashsalt": "other"}):
        write_plot(tmp_path / f"b.{kind}", parts, comparisons)
    picture = (tmp_path / f"a.{kind}").read_bytes()
    assert picture == (tmp_path / f"b.{kind}").read_bytes()
    assert not re.search(rb"<dc:date>|\d{4}-\d{2}-\d{2}T|Matplotlib v|/home/", picture)


def test_page_holds_its_picture_and_says_what_it_shows(parts: list[Part], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_plot(page, parts, emulated(parts, 1.1))
    text = page.read_text("utf-8")
    assert f"<h1>{parts[0].table.title}</h1>" in text
    assert text.count(f"{parts[0].table.title}</h") == 1
    picture = ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])
    shown = {element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"MB/s both ways", "RDEV util %", "CTCs", "IBM", "ours", "50 pairs"} <= shown
    assert text.count("<h3>") == text.count("<svg") == text.count("<table>") == 2  # of HS, HL
    assert '<figure class="scrolls" role="img" aria-label="HL: messages 98304/122880' in text
    assert '<meta name="viewport"' in text
    assert "prefers-color-scheme: dark" in text
    ids = re.findall(r'<(?:clipPath|path) id="([^"]+)"', text)
    assert len([i for i in ids if i.startswith("p")]) == len({i for i in ids if i.startswith("p")})
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
    name: str, complaint: str, parts: list[Part], tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        check_plot(tmp_path / name, parts)


def test_table_that_is_no_grid_is_refused() -> None:
    parts = choose([load_table("stop_short")], {})
    with pytest.raises(ConfigurationError, match="no picture of the table stop_short; expected"):
        check_plot(Path("a.svg"), parts)


@pytest.mark.exhaustive
@pytest.mark.at_length
def test_every_grid_is_drawn_below_the_other_and_the_rest_left_out(tmp_path: Path) -> None:
    parts = choose([load_table(name) for name in TABLES], {})
    picture = tmp_path / "all.svg"
    check_plot(picture, parts)
    write_plot(picture, parts, emulated(parts, 1.1))
    text = picture.read_text("utf-8")
    titles = [part.table.title for part in parts if part.table.is_grid]
    assert [text.index(title) for title in titles] == sorted(map(text.index, titles))
    assert {"messages/s", "bytes of a reply", "APPC/VM, reply length 1 bytes"} <= set(
        re.findall(r">([^<>]+)</text>", text)
    )
    assert "FCX108" not in text


def test_missing_library_is_named_with_its_extra_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("isfc.library.find_spec", lambda _: None)
    monkeypatch.setattr("isfc.cli.replay.command.run_all", None)
    assert run(["replay", *ONE_RUN, "--plot", str(tmp_path / "a.svg")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "isfc: --plot needs matplotlib, which is not installed; install it with\n"
        f"{sys.executable} -m pip install 'isfc[plot]'\n"
    )


@pytest.mark.at_length
@pytest.mark.slow
def test_command_draws_what_it_ran(tmp_path: Path) -> None:
    picture = tmp_path / "a.SVG"
    run(["replay", *ONE_RUN, "--json", "--plot", str(picture)])
    assert "HL" in picture.read_text("utf-8")


def test_pairs_have_the_same_colour_in_every_picture(table: PublishedTable) -> None:
    def colour(*pairs: int) -> object:
        """That of the greatest number of pairs."""
        chosen = choose([table], {"suite": ["HL"], "rdevs": [8], "pairs": pairs})
        return draw(chosen, emulated(chosen, 1.0)).axes[0].lines[-1].get_color()

    assert colour(1, 5, 50) == colour(50)


def test_every_line_can_be_told_from_the_white_behind_it(table: PublishedTable) -> None:
    chosen = choose([table], {"suite": ["HL"], "pairs": [1, 5, 10, 50, 100]})
    lines = draw(chosen, emulated(chosen, 1.0)).axes[0].lines
    colours = {to_hex(line.get_color()) for line in lines}
    assert len(colours) > 4
    white = parse_colour("#fff")
    assert {each for each in colours if contrast(parse_colour(each), white) < CONTRAST_MIN} == set()


def test_kinks_are_marked_where_the_link_gets_a_chpid(parts: list[Part]) -> None:
    axes = draw(parts, emulated(parts, 1.0)).axes[0]
    counts = sorted({row.number("rdevs") for row in parts[0].rows})
    lines = [line for line in axes.lines if line.get_linestyle() == ":"]
    marked = [float(np.asarray(line.get_xdata())[0]) for line in lines]
    assert marked
    assert all(min(counts) < place < max(counts) for place in marked)
    assert all(text.get_position()[1] > 1 for text in axes.texts)  # above all curves
    assert {text.get_text() for text in axes.texts} <= {"2 chpids", "3 chpids", "4 chpids"}


def test_nothing_of_a_narrow_picture_is_cut_off(parts: list[Part]) -> None:
    one = [replace(parts[0], rows=tuple(r for r in parts[0].rows if r.columns["suite"] == "HS"))]
    figure = draw(one, emulated(one, 1.0))
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1
    assert not any(line.get_clip_on() for line in figure.axes[0].lines if line.get_marker() == "o")


def test_logarithmic_axes_have_numbers_that_are_written_out() -> None:
    table = load_table("appc_scaling")
    scaled = [Part(table, table.rows)]
    figure = draw(scaled, emulated(scaled, 1.0))
    figure.draw_without_rendering()
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert any("," in label for label in labels)
    assert not any("mathdefault" in label for label in labels)
