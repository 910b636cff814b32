"""The options of live commands, as one process hands them to another."""

import pytest

from isfc.cli.options.live import DILATION_DEFAULT, LiveOptions, Pace
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout


def test_without_options_a_node_goes_as_fast_as_the_machine() -> None:
    options = LiveOptions()
    assert options.factor == 0
    assert options.experiment(load_layout("published-4")) is None


def test_the_models_pace_has_a_dilation() -> None:
    assert LiveOptions(Pace.MODELLED).factor == DILATION_DEFAULT
    assert LiveOptions(Pace.MODELLED, 7).factor == 7


def test_a_workload_becomes_the_experiment_that_isfc_run_would_run() -> None:
    options = LiveOptions(workload="HM", pairs=5, seconds=3.0, warmup=0.5, seed=9, client="SERVER")
    experiment = options.experiment(load_layout("published-4"))
    assert experiment is not None
    assert (experiment.workload.name, experiment.pairs, experiment.seed) == ("HM", 5, 9)
    assert (experiment.seconds, experiment.warmup, experiment.client) == (3.0, 0.5, "SERVER")


def test_a_client_that_is_not_of_the_layout_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="--from BOSTON"):
        LiveOptions(workload="HM", pairs=5, client="BOSTON").open_links("published-4", None)


def test_the_words_for_another_process_leave_out_what_was_not_given() -> None:
    options = LiveOptions(Pace.MODELLED, 50, strict=True, workload="HL", pairs=2, verify=True)
    words = options.arguments()
    assert words[:4] == ["--pace", "modelled", "--dilation", "50"]
    assert words[-2:] == ["--strict", "--verify"]
    assert "--seconds" not in words
    assert "--from" not in words
