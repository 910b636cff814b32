"""docs/channel-fidelity.md is what the models give now."""

from scenarios.published.companion import CHANNEL_TABLES
from tools.pages import sources
from tools.pages.channel_fidelity import FITTED, PAGE, TAKEN, page


def test_the_page_is_what_the_models_give_now() -> None:
    assert page() == PAGE.read_text("utf-8"), "run: make docs"


def test_every_table_is_there_and_every_miss_has_its_reason() -> None:
    text = page()
    assert all(f"`isfc replay {name}`" in text for name in CHANNEL_TABLES)
    missed = text.partition("## Goals that are missed")[2].partition("\n## ")[0]
    assert all(not line.endswith("|  |") for line in missed.splitlines())


OF_CHANNELS = (
    *("ctc.channel.", "ctc.features.", "ctc.fibre_channel.", "ctc.fibre_channel.", "isfc.io."),
    *("scenarios.published.ficon_rows.", "scenarios.published.sas_rows."),
    "scenarios.published.system_rows.",
)


def test_every_constant_that_was_fitted_is_counted_and_they_are_about_thirty() -> None:
    sources_page = (PAGE.parent / "sources.md").read_text("utf-8")
    calibrated = {
        name
        for name, cells in sources.rows(sources_page)
        if name.startswith(OF_CHANNELS) and "calibrated" in cells
    }
    two_others = {"isfc.io.sap.PROFILES"}
    assert {*FITTED, *TAKEN} == calibrated - two_others
    assert sum(FITTED.values()) <= 30
