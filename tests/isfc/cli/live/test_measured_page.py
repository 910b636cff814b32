"""What a live run shows."""

from io import StringIO

from msgspec.structs import replace
from rich.console import Console, RenderableType

from isfc.cli.live.measured import Measured, live_page, live_run
from isfc.cli.live.options import LiveOptions, Pace
from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run


def shown(page: RenderableType) -> str:
    console = Console(file=StringIO(), width=80)
    console.print(page)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def experiment() -> tuple[LiveOptions, Experiment]:
    options = LiveOptions(Pace.MODELLED, 50, workload="HS", pairs=2, seconds=0.01, warmup=0)
    found = options.experiment(load_layout("published-1"))
    assert found is not None
    return options, found


def test_each_system_has_its_page_with_its_lag() -> None:
    options, what = experiment()
    client, server = (run(what).link().at(side).whole.result for side in what.layout.nodes)
    measured = [Measured(client, 0.5), Measured(server, 2.0)]
    text = shown(live_page(live_run(options, [what.layout], measured)))
    assert text.index("seen from CLIENT") < text.index("0.50 %") < text.index("seen from SERVER")
    assert "0.01 s of model time, each taking 50 s after 0 s of warm-up" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_record_has_for_each_system_what_isfc_run_prints() -> None:
    options, what = experiment()
    measured = [Measured(run(what).link().at(side).whole.result, 0.5) for side in what.layout.nodes]
    record = live_run(options, [what.layout], measured)
    assert record.lag_percent == {"CLIENT": 0.5, "SERVER": 0.5}
    assert (record.pace, record.dilation) == ("modelled", 50)
    assert [result.node for result in record.results] == ["CLIENT", "SERVER"]
    unpaced = replace(options, pace=Pace.NONE, dilation=None)
    assert live_run(unpaced, [what.layout], measured).dilation is None
