"""``isfc measured fit`` and ``--profile``: what they print and write, and who takes a profile."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from isfc.cli.main import run
from isfc.layout.catalogue import load_layout
from isfc.layout.site import CONSTANTS, format_profile, read_profile
from scenarios.search.site_fit import fit
from scenarios.search.site_fitted import Fitted
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded, on_one_line
from tests.isfc.site.site import RUNS
from tools import PROJECT

pytestmark = pytest.mark.at_length


PAGES = [str(PROJECT / "docs" / "measured" / f"site-{n}.txt") for n in (1, 2, 3)]
FIT = ("measured", "fit", "atlanta-boston")
ANYWAY = ("--anyway", "--jobs", "1")  # where runs are as short as the fixture has them
QUIET = "Addr Type ths I/O Pend Disc Conn Serv Busy\n6000 CTCA 1 .0 ... ... ... ... 0\n"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A profile that makes a byte cost twice as much."""
    path = tmp_path / "twice.toml"
    blank = replace(fit(load_layout("atlanta-boston"), [], RUNS).profile, name="twice")
    path.write_text(format_profile(replace(blank, factors={"transfer": 2.0})))
    return path


@pytest.fixture
def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page by its name alone: a page breaks its lines within a path that is long."""
    monkeypatch.chdir(tmp_path)
    path = Path("quiet.txt")
    path.write_text(QUIET)
    return path


@pytest.mark.slow
def test_a_fit_says_its_factors_and_writes_a_profile(tmp_path: Path, printed: Printed) -> None:
    output = tmp_path / "site.toml"
    # runs of a moment scatter so much that the fit would be refused
    out = printed(*FIT, *PAGES, "-o", output, *ANYWAY)
    factors = dict(re.findall(r"^(\w+) +(\d\.\d\d) .*\d +(?! |not told)", out, re.MULTILINE))
    written = read_profile(output)
    told = {name: f"{factor:.2f}" for name, factor in written.factors.items()}
    assert told == {name: factors[name] for name in told}
    assert (written.name, written.intervals) == ("site", 3)
    # even with runs of a moment, a site that is 43 % slower is not taken for today's
    assert written.factors["transfer"] > 1.2
    assert written.held_back is not None
    assert written.before is not None


def test_json_keys(tmp_path: Path, recorded: Recorded) -> None:
    output = tmp_path / "site.toml"
    document = recorded(*FIT, PAGES[0], "-o", output, *ANYWAY)
    constants = [constant.name for constant in CONSTANTS]
    assert [each["constant"] for each in document["constants"]] == constants
    told = {each["constant"]: each["factor"] for each in document["constants"] if each["told"]}
    assert document["profile"]["factors"] == told
    assert output.exists()


def test_a_quiet_link_leaves_the_model_as_it_is_and_says_why(
    tmp_path: Path, quiet: Path, printed: Printed
) -> None:
    output = tmp_path / "site.toml"
    out = on_one_line(printed(*FIT, quiet, "-o", output))
    assert ":1: the link was quiet (0.0 I/O/s): it says nothing of the model" in out
    assert "Nothing was measured that tells a constant: the model stays as it is." in out
    assert f"Read: {quiet}: " in out  # which stood among the remarks
    assert read_profile(output).factors == {}


@pytest.mark.exhaustive
def test_a_quiet_interval_does_not_count_among_busy_ones(
    tmp_path: Path, quiet: Path, printed: Printed
) -> None:
    outputs = []
    for name, more in (("without", ()), ("with", (quiet,))):
        output = tmp_path / name / "site.toml"
        output.parent.mkdir()
        out = on_one_line(printed(*FIT, *PAGES[:2], *more, "-o", output, *ANYWAY))
        outputs.append(read_profile(output))
    assert "the link was quiet" in out
    assert outputs[0] == outputs[1]


def test_a_fit_that_is_refused_is_not_written_unless_anyway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def doubtful(*arguments: Any) -> Fitted:
        found = fit(arguments[0], [], RUNS)
        return structs.replace(found, profile=replace(found.profile, doubts=("it is off",)))

    monkeypatch.setattr("isfc.answers.measured_fit.fit_intervals", doubtful)
    output = tmp_path / "site.toml"
    command = [*FIT, PAGES[0], "-o", str(output)]
    assert run(command) == 1
    out, err = capsys.readouterr()
    assert "The fit is refused." in out
    assert "Refused  it is off\n" in out
    assert "--anyway takes it" in err
    assert not output.exists()
    assert run([*command, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["profile"]["doubts"] == ["it is off"]
    assert run([*command, "--anyway"]) == 0
    assert read_profile(output).doubts == ("it is off",)


def test_the_corrected_layout_is_written_in_place_of_a_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = load_layout("atlanta-boston")
    farther = layout.with_fibres(lambda fibre: structs.replace(fibre, km=30.0))

    def far(_: Any, __: Any, ___: Any, written: Any) -> Fitted:
        found = fit(layout, [], RUNS)
        doubtful = replace(found.profile, doubts=("these figures look like fibres of 30 km",))
        return structs.replace(found, profile=doubtful, corrected=written(farther))

    monkeypatch.setattr("isfc.answers.measured_fit.fit_intervals", far)
    output = tmp_path / "site.toml"
    command = [*FIT, PAGES[0], "-o", str(output)]
    assert run(command) == 1
    assert "-o FILE.toml writes the layout with it" in on_one_line(capsys.readouterr().out)
    assert load_layout(output) == farther
    assert run([*command, "--anyway", "--force"]) == 0
    assert read_profile(output).doubts == ("these figures look like fibres of 30 km",)


COMMANDS = [
    "plan published-1",
    f"measured compare atlanta-boston {PAGES[0]}",
    "run atlanta-boston --workload HL --pairs 2 --seconds 0.05 --warmup 0.01",
    "run atlanta-boston --workload HL --pairs 2 --seconds 0.05 --report device",
    "relocate atlanta-boston --memory 16M --change-rate 0",
    "optimise published-1 --runs 2 --seconds 0.02 --pairs 2 --seeds 1 --jobs 1",
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_profile_is_named_where_a_result_is_printed(
    command: str, profile: Path, capsys: pytest.CaptureFixture[str], recorded: Recorded
) -> None:
    words = command.split()
    assert run([*words, "--profile", str(profile)]) == 0
    out, err = capsys.readouterr()
    assert "Site profile twice, fitted on 0 intervals" in on_one_line(f"{out} {err}")
    if "--report" not in words:
        of_site = recorded(*words, "--profile", profile)["profile"]
        assert of_site["name"] == "twice"
        assert of_site["factors"]["transfer"] == 2.0
        assert "profile" not in recorded(*words)


@pytest.mark.slow
def test_a_profile_is_a_column_of_a_sweep(
    tmp_path: Path, profile: Path, printed: Printed, recorded: Recorded
) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(
        'seconds = 0.05\n[grid]\nlayout = ["atlanta-boston"]\nworkload = ["HL"]\npairs = [2]\n'
    )
    words = ("sweep", grid, "--jobs", "1", "--profile", profile)
    (row,) = recorded(*words)["runs"]
    assert row["profile"] == "twice"
    assert "Site profile twice" in printed(*words)


def test_a_profile_of_other_constants_is_refused(profile: Path, refusal: Refusal) -> None:
    profile.write_text(re.sub(r'model = "\w+"', 'model = "0000"', profile.read_text()))
    said = refusal("plan", "atlanta-boston", "--profile", str(profile))
    assert "fit it again with 'isfc measured fit'" in said
