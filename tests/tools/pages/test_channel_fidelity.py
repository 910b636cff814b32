"""Constants of the models of channels that were fitted, as docs/channel-fidelity.md counts them."""

from tools.pages.channel_fidelity import figures


def test_no_more_constants_are_fitted_than_there_were() -> None:
    assert int(figures("")["fitted"]) <= 24
