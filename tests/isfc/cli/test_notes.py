"""Every output that shows a figure shows the notes that belong to it."""

import json
import re
from pathlib import Path

import pytest

from isfc.cli.main import COMMANDS as EVERY
from isfc.cli.main import run
from isfc.link.parameters import LinkParameters
from isfc.reports.figure import Note, NoteKind
from scenarios.figures import changed
from scenarios.figures.changed import after_losses
from scenarios.runs.guests import GuestCosts
from scenarios.runs.notes import several_notes
from scenarios.runs.result import constants_digest
from scenarios.search import report_runs
from tests.layouts import mesh

SHORT = "--pairs 2 --seconds 0.02 --warmup 0"
EXTRAPOLATED = "The model is extrapolated: nothing is published of CTCs on FICON Express16S"
RULE = "The rule of thumb was published up to"
ALONE = "The figures take S1-S2 as if it were alone: chpid 40 at S1 carries S1-S3 too"
ONE_CHANNEL = "The figures are of two channels where chpid 40 at S1 and S2"
PROFILE = "Site profile desert, fitted on 3 intervals"
NO_RANGE = "No range: too little is published of"
MACHINE = "Without machine in the layout CP is as fast as on the z10 EC"
MODEL = {"extrapolated": EXTRAPOLATED, "alone": ALONE, "one-channel": ONE_CHANNEL}
WITH_NOTES = {
    *("plan", "relocate", "run", "run --fault-seed"),
    *(name for name, listed in EVERY.items() if getattr(listed, "is_capability", False)),
}
"""Commands whose page has all notes only for whoever asks."""
UNRANGED = ("run", "plan", "relocate", "run --fault-seed", "collide")
"""Those of which some figures have no range."""
SHARING = {"alone": ALONE, "one-channel": ONE_CHANNEL}
COMMANDS = {
    # what of it is shown is of a run, of the rule of thumb, or of both
    "run": (f"run FILE --workload HM {SHORT}", MODEL, True),
    "relocate": (
        "relocate FILE --memory 1M --change-rate 0",
        {**MODEL, "memory": "The file has no [memory.SYSTEM]"},
        True,
    ),
    "plan": ("plan FILE", {**MODEL, "rule": RULE}, True),
    "run --fault-seed": (
        "run FILE --workload HM --fault-seed 1 --pairs 2 --seconds 0.2",
        MODEL,
        True,
    ),
    "plan --rule": ("plan FILE --rule", {"rule": RULE, **SHARING}, False),
    "plan --lose --rule": ("plan FILE --lose --rule", {"rule": RULE, **SHARING}, False),
    "optimise": (
        "optimise FILE --pairs 2 --seconds 0.02 --seeds 1 --runs 1 --jobs 1",
        MODEL,
        True,
    ),
    "collide": (
        "collide FILE --offer-out 10 --offer-in 10 --steps 1",
        {**MODEL, "machine": MACHINE},
        False,
    ),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three links that share chpids, on a feature that nobody has measured CTCs on."""
    path = tmp_path / "mesh.toml"
    path.write_text(mesh(3, shared=True, ctcs=1, feature="FICON Express16S"))
    return path


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A site profile that changes nothing but is named."""
    path = tmp_path / "site.toml"
    model = constants_digest(LinkParameters(), GuestCosts())
    path.write_text(
        f'name = "desert"\nfeatures = ["FICON Express4"]\nintervals = 3\nmodel = "{model}"\n'
        "[factors]\n"
    )
    return path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert run([*arguments]) == 0
    captured = capsys.readouterr()
    return " ".join(captured.out.split()), " ".join(captured.err.split())


@pytest.mark.at_length
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name == "plan")) for name in COMMANDS],
)
def test_pages_and_json_have_the_notes_of_their_figures(
    name: str, file: Path, profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line, expected, profiled = COMMANDS[name]
    command = [*line.replace("FILE", str(file)).split(), "--link", "S1-S2"]
    if profiled:
        command += ["--profile", str(profile)]
        expected = {**expected, "profile": PROFILE}
    page, _ = printed(capsys, *command, *["--notes"] * (command[0] in WITH_NOTES))
    assert run([*command, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    if isinstance(record, list):
        record = record[0]
    noted = {note["kind"]: note["text"] for note in record["notes"]}
    if name in UNRANGED:
        expected = {**expected, "no-range": NO_RANGE}
    assert set(noted) == set(expected)
    for kind, text in expected.items():
        assert page.count(text) == 1, "the page has each note once"
        assert noted[kind].startswith(text)


def test_rows_for_programs_leave_the_notes_on_stderr(
    file: Path, profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", str(file), "--link", "S1-S2", "--profile", str(profile), "--workload", "HM"]
    rows, notes = printed(capsys, *command, *SHORT.split(), "--report", "link", "--csv")
    for text in (*MODEL.values(), PROFILE):
        assert text in notes
        assert text not in rows


@pytest.mark.usefixtures("file")
def test_rows_of_a_sweep_have_their_notes(
    profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(
        'seconds = 0.02\nwarmup = 0\n[grid]\nlayout = ["mesh.toml"]\nlink = ["S1-S2", "S1-S3"]\n'
        'workload = ["HM"]\npairs = [1, 2]\n'
    )
    command = ["sweep", str(grid), "--jobs", "1", "--profile", str(profile)]
    page, _ = printed(capsys, *command, "--notes")
    for text in (*MODEL.values(), PROFILE):
        assert page.count(text) == 1
    assert "4 of 4 runs: The model is extrapolated" in page
    assert run([*command, "--json"]) == 0
    for row in json.loads(capsys.readouterr().out)["runs"]:
        for text in (EXTRAPOLATED, "as if it were alone", "two channels", PROFILE):
            assert text in row["notes"]


def test_links_that_run_together_are_not_alone(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", str(file), "--traffic", "S1-S2:HM:2", "--seconds", "0.02", "--warmup", "0"]
    page, _ = printed(capsys, *words)
    assert EXTRAPOLATED in page
    assert "as if it were alone" not in page


@pytest.mark.at_length
@pytest.mark.slow
def test_plan_of_links_that_run_together_says_what_its_figures_are_of(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # runs of features that nobody has measured, and not a word of it
    page, _ = printed(capsys, "plan", str(file), "--notes")
    assert page.count(EXTRAPOLATED) == 1
    assert "Each run went on until what every link carries was known within " in page


@pytest.mark.exhaustive
@pytest.mark.at_length
def test_the_report_opens_with_what_is_believed_and_its_notes(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_runs, "PAIRS", (1,))
    monkeypatch.setattr(changed, "after_losses", lambda *lost: after_losses(*lost[:2]))
    monkeypatch.setattr(changed, "try_advice", lambda *_: {})
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    page = tmp_path / "page.html"
    printed(capsys, "report", str(file), "--link", "S1-S2", "-o", str(page))
    html = page.read_text()
    header = html.partition("</header>")[0]
    for text in (*MODEL.values(), RULE):
        assert text in header
    plan, _ = printed(capsys, "plan", str(file), "--link", "S1-S2")
    (carries,) = re.findall(r" Carries (S1 .+) Limited by ", plan)
    assert carries in " ".join(header.split())
    assert "on 14 November 2023." in html


def test_several_notes_of_a_kind_stand_in_lines_of_their_own() -> None:
    one, two, three = (Note(NoteKind.EXTRAPOLATED, f"Of {name}.") for name in "ABC")
    (alone,) = several_notes([[one], [one], []], 2)
    assert alone.text == "2 of 3 runs: Of A."
    (many,) = several_notes([[one], [two], [three]], 2)
    assert many.text.splitlines() == [
        "3 of 3 runs:", "- Of A.", "- Of B.", "- And 1 more of this kind."
    ]  # fmt: skip


@pytest.mark.parametrize("words", [[], ["--lose"], ["--without", "S1:40"]])
def test_tables_by_rule_of_all_links_say_what_may_be_one_channel(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mesh.toml"
    path.write_text(mesh(4, shared=True, ctcs=1))
    page, _ = printed(capsys, "plan", str(path), "--rule", *words)
    assert page.count(ONE_CHANNEL) >= 1
