"""``--csv`` of every command that prints tables: what they have, cell by cell, and nothing else."""

import csv
from io import StringIO
from pathlib import Path
from typing import Final

import pytest

from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from scenarios.figures import glance
from tests.isfc.cli.conftest import every_command, options_of
from tests.isfc.engine.test_journal import recorded
from tools import PROJECT

pytestmark = pytest.mark.at_length


DOCS: Final = PROJECT / "docs"
MEASURED: Final = f"{DOCS}/measured/site-1.txt"
EXAMPLES: Final = {
    # of each command with tables: how it is tried
    "plan": "two-cecs --lose --rule",
    "size": "--mb-per-s 30 --lost none --feature Express2 --pairs 5 --jobs 1",
    "check": "two-cecs --fail-on never",
    "show": "two-cecs",
    "run": "published-1 --workload HS --pairs 2 --seconds 0.02 --warmup 0",
    "relocate": "published-1 --memory 1M --change-rate 0",
    "evacuate": "published-1 CLIENT --guests guests.csv",
    "collide": "published-4 --offer-out 9 --offer-in 9 --steps 1 --seconds 0.01 --seeds 1",
    "replay": "stop_short --full",
    "compare": "published-1 published-4 --pairs 2",
    "measured read": MEASURED,
    "measured compare": f"atlanta-boston {MEASURED}",
    "loads": f"atlanta-boston {DOCS}/measured/week.csv --lost none --jobs 1",
    "measured fit": f"atlanta-boston {MEASURED} -o site.toml --anyway",
    "io plan": f"{DOCS}/io/two-channels.toml",
    "io run": f"{DOCS}/io/two-channels.toml --seconds 0.01",
    "io beside": f"{DOCS}/io/shared.toml HS --pairs 1 --seconds 0.01",
    "io size": f"{DOCS}/io/two-channels.toml",
    "io chart": "distance",
    "optimise": "published-4 --runs 1 --seconds 0.01 --seeds 1 --pairs 2 --jobs 1",
    "sweep": "sweep.toml",
    "journal replay": "node.journal",
}
LONG: Final = {
    "measured fit": [pytest.mark.slow, pytest.mark.exhaustive],
    "compare": [pytest.mark.slow, pytest.mark.exhaustive],
    **{
        name: [pytest.mark.slow]
        for name in ("measured compare", "loads", "optimise", "size", "collide")
    },
}


def test_every_command_with_tables_has_the_option_and_an_example() -> None:
    assert {name for name in every_command() if "csv" in options_of(name)} == {*EXAMPLES}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=LONG.get(name, [])) for name in EXAMPLES],
)
def test_tables_are_csv(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(glance, "LENGTH_NS", 10_000_000)
    Path("node.journal").write_bytes(recorded()[1].data)
    Path("guests.csv").write_text("name,memory,change_rate\nLINUX1,1M,0\n")
    Path("sweep.toml").write_text(
        'seconds = 0.01\nwarmup = 0.0\n[grid]\nworkload = ["HS"]\npairs = [2]\n[template]\n'
        'systems = ["A", "B"]\nfeature = ["FICON Express4"]\nchpids = [1]\nctcs_per_chpid = [1]\n'
    )
    assert run([*name.split(), *EXAMPLES[name].split(), "--csv"]) == ExitCode.GOOD
    table = [*csv.reader(StringIO(capsys.readouterr().out), strict=True)]
    assert len(table) > 1
    assert len({len(row) for row in table}) == 1
    assert run([*name.split(), *EXAMPLES[name].split()]) == ExitCode.GOOD
    assert "\N{HORIZONTAL ELLIPSIS}" not in capsys.readouterr().out  # nothing is cut off
