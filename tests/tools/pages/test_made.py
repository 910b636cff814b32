"""``make docs`` changes nothing: pages and what stands beside them are what the code makes now.

What takes runs of minutes is kept in ``docs/fidelity.csv`` and ``docs/simulated.json``: a run of
each stands for all.
"""

from dataclasses import replace

import pytest

from scenarios.published.catalogue import TABLES, load_table
from scenarios.published.replay import Part, compare
from scenarios.runs.run import run as run_experiment
from tools import PROJECT
from tools.calibration.judge import COLUMNS, FIGURES, SECONDS, SEEDS
from tools.pages import simulated
from tools.pages.renew import FILLED, MADE, SLOW_PAGES, MadeFiles, page
from tools.pages.spans import filled
from tools.tables import read_csv


def marks(made: MadeFiles) -> list[pytest.MarkDecorator]:
    if made.is_long:
        return [pytest.mark.exhaustive, pytest.mark.at_length]
    return [pytest.mark.slow, pytest.mark.at_length] if made.is_slow else []


@pytest.mark.parametrize(
    "made", [pytest.param(each, id=each.name, marks=marks(each)) for each in MADE]
)
def test_files_are_what_is_made_now(made: MadeFiles) -> None:
    for path, content in made.files().items():
        found = path.read_bytes() if isinstance(content, bytes) else path.read_text("utf-8")
        assert found == content, f"{path.name}: make docs"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow, pytest.mark.at_length] * (name in SLOW_PAGES))
        for name in FILLED
    ],
)
def test_figures_of_a_page_are_as_they_are_now(name: str) -> None:
    text = (PROJECT / name).read_text("utf-8")
    assert page(name, text) == text, "make docs"


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "key", "measure"),
    [("transport", "HL/16/5", "mb_per_s"), ("appc_regression", "z/VM 6.1/1000/5", "msgs_per_s")],
)
def test_replays_are_as_they_are_now(name: str, key: str, measure: str) -> None:
    told = {(row["table"], row["key"], row["measure"]): row for row in read_csv(FIGURES)}
    assert {table for table, _, _ in told} == set(TABLES)
    table = load_table(name)
    (row,) = (row for row in table.rows if row.key == key)
    (run,) = Part(table, (row,), SECONDS).experiments()
    found = [
        next(c for c in compare(table, row, [run_experiment(replace(run, seed=seed)).link()]))
        for seed in range(1, SEEDS + 1)
    ]
    rates = [comparison.emulated for comparison in found]
    expected = (sum(rates) / SEEDS, min(rates), max(rates))
    line = told[name, key, measure]
    assert [line[column] for column in COLUMNS[5:]] == [f"{f:.5g}" for f in expected], "make docs"


@pytest.mark.at_length
@pytest.mark.slow
def test_runs_that_pages_tell_of_are_as_they_are_now() -> None:
    kept = simulated.kept("docs/extrapolation.md")["crowded"]
    made = simulated.crowded(simulated.CROWDED[:1])  # the first column of figures
    for all_of_it, part in zip(kept.splitlines(), made.splitlines(), strict=True):
        assert all_of_it.startswith(part.removesuffix("|")), "make docs"


@pytest.mark.at_length
@pytest.mark.exhaustive
def test_every_run_that_pages_tell_of_is_as_it_is_now() -> None:
    for path, content in simulated.measured().items():
        assert path.read_text("utf-8") == content, "make docs"


def test_a_mark_is_filled_by_a_figure_of_the_page_or_by_a_constant() -> None:
    text = (
        "It is <!--=a-->old<!--/-->, "
        "<!--=isfc.live.memory.KEPT_LENGTH MiB-->7<!--/--> MiB and "
        "<!--=isfc.link.parameters.LinkParameters.mih_ns s-->7<!--/--> s.\n"
    )
    new = text.replace("old", "new").replace(">7<", ">1<", 1).replace(">7<", ">15<")
    assert filled(text, {"a": "new"}) == new
    assert filled(new, {"a": "new"}) == new


@pytest.mark.parametrize(
    ("text", "figures", "message"),
    [
        ("x <!--=isfc.live.memory.NONE-->1<!--/-->", {}, "isfc.live.memory.NONE: neither"),
        ("text", {"a": "1", "b": "2"}, "shown nowhere: a, b"),
        ("```\nx <!--=a-->1<!--/-->\n```\n", {"a": "1"}, "<!--=a-->1<!--/--> is shown as it is"),
    ],
)
def test_a_mark_that_cannot_be_filled_is_named(
    text: str, figures: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        filled(text, figures)
