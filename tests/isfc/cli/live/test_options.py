"""The options of live commands, as one process hands them to another."""

from pathlib import Path

import pytest

from isfc.cli.live.options import (
    DILATION_DEFAULT,
    LiveOptions,
    LogFormat,
    LogLevel,
    ObserveOptions,
    Pace,
)
from isfc.cli.options.option import words_of
from isfc.layout.catalogue import load_layout
from isfc.live.endpoint import TcpEndpoint


@pytest.mark.parametrize(
    ("options", "factor"),
    [
        (LiveOptions(), 0),  # as fast as the machine
        (LiveOptions(Pace.MODELLED), DILATION_DEFAULT),
        (LiveOptions(Pace.MODELLED, 7), 7),
    ],
)
def test_the_models_pace_has_a_dilation(options: LiveOptions, factor: int) -> None:
    assert options.factor == factor
    assert options.experiment(load_layout("published-4")) is None


def test_a_workload_becomes_the_experiment_that_isfc_run_would_run() -> None:
    options = LiveOptions(workload="HM", pairs=5, seconds=3.0, warmup=0.5, seed=9, client="SERVER")
    experiment = options.experiment(load_layout("published-4"))
    assert experiment is not None
    assert (experiment.workload.name, experiment.pairs, experiment.seed) == ("HM", 5, 9)
    assert (experiment.seconds, experiment.warmup, experiment.client_node) == (3.0, 0.5, "SERVER")


def test_the_words_for_another_process_leave_out_what_was_not_given() -> None:
    options = LiveOptions(
        Pace.MODELLED, 50, strict=True, workload="HL", pairs=2, seed=0, verify=True
    )
    words = words_of(options)
    assert words[:5] == ["--pace", "modelled", "--dilation", "50", "--strict"]
    assert "--verify" in words
    assert words[words.index("--seed") + 1] == "0"
    assert words[words.index("--reconnect") + 1] == "30.0"
    assert "--seconds" not in words
    assert "--from" not in words


ISL = """
[path.METRO]
km = 10
isl = { gbps = 8, credits = 90 }

[fibre.1]
feature = "FICON Express8S"
chpid = { A = "40", B = "50" }
path = "METRO"
director = { A = "1", B = "2" }

[[ctc]]
fibre = "1"
rdevs = { A = "6000-6003", B = "6000-6003" }
"""


@pytest.mark.parametrize(
    ("layout", "options", "said"),
    [
        ("two-cecs", LiveOptions(Pace.MODELLED), True),
        ("ISL", LiveOptions(Pace.MODELLED), True),
        ("atlanta-boston", LiveOptions(Pace.MODELLED), False),
        ("two-cecs", LiveOptions(), False),
    ],
)
def test_what_paths_share_is_said_not_to_count_at_the_models_pace(
    layout: str,
    options: LiveOptions,
    said: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if layout == "ISL":
        (tmp_path / "isl.toml").write_text(ISL)
        layout = str(tmp_path / "isl.toml")
    options.open_links(layout, None)
    err = capsys.readouterr().err
    assert ("nothing of inter-switch links but their length counts" in err) is said


def test_nodes_on_one_machine_have_ports_side_by_side_unless_any_will_do() -> None:
    options = ObserveOptions("127.0.0.1:9464", LogFormat.JSON, LogLevel.ERROR)
    assert options.endpoint() == TcpEndpoint("127.0.0.1", 9464)
    words = ["--log-format", "json", "--log-level", "error"]
    assert options.arguments(0) == ["--metrics", "127.0.0.1:9464", *words]
    assert options.arguments(1) == ["--metrics", "127.0.0.1:9465", *words]
    assert ObserveOptions(metrics="[::1]:0").arguments(1)[1] == "[::1]:0"
    assert ObserveOptions().endpoint() is None
    assert ObserveOptions().arguments(1) == ["--log-format", "text", "--log-level", "info"]
