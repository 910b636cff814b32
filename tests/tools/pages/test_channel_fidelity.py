"""Constants of the models of channels that were fitted, as docs/channel-fidelity.md counts them."""

from tools.pages import sources
from tools.pages.channel_fidelity import FITTED, TAKEN

OF_CHANNELS = (
    *("ctc.channel.", "ctc.features.", "ctc.fibre_channel.", "ctc.fibre_channel.", "isfc.io."),
    "scenarios.published.ficon_rows.",
    "scenarios.published.system_rows.",
)


def test_every_constant_that_was_fitted_is_counted_and_they_are_about_thirty() -> None:
    calibrated = {
        row["constant"]
        for row in sources.rows()
        if row["constant"].startswith(OF_CHANNELS) and row["status"] == "calibrated"
    }
    two_others = {"isfc.io.machine.PROFILES"}
    assert {*FITTED, *TAKEN} == calibrated - two_others
    assert sum(FITTED.values()) <= 30
