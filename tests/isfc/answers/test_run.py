"""`isfc.run`: what ``isfc run`` prints, as records, with arguments where that has options."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

import isfc
from isfc.answers.link_run import run_report
from isfc.errors import ConfigurationError
from isfc.reports.figure import Figure
from isfc.reports.text import encoded
from tests.isfc.printed import Recorded
from tests.isfc.printed import printed as printed
from tests.isfc.printed import recorded as recorded

SHORT: Final[Any] = {"seconds": 0.05, "warmup": 0.01}
WORDS: Final = ("--seconds", "0.05", "--warmup", "0.01")
LINK: Final = ("run", "published-4", "--workload", "HL", "--pairs", "5", *WORDS)


def test_its_record_is_what_the_command_prints_but_for_the_command_line(recorded: Recorded) -> None:
    found = json.loads(json.dumps(encoded(isfc.run("published-4", "HL", pairs=5, **SHORT))))
    shown = recorded(*LINK)
    assert shown["provenance"].pop("command").startswith("isfc ")
    assert found["provenance"].pop("command") == ""
    assert found == shown


def test_links_together_faults_and_views_are_records_of_their_own(recorded: Recorded) -> None:
    together = isfc.run("two-cecs", traffic=["ALPHA-BETA:HS:1"], **SHORT)
    assert isinstance(together, isfc.LinksRun)
    assert [each.name for each in together.links if each.mb_per_s] == ["ALPHA-BETA"]
    faults = isfc.run("published-4", "HL", pairs=5, meanwhile=isfc.Meanwhile(fault_seed=3), **SHORT)
    assert isinstance(faults, isfc.FaultsRun)
    assert encoded(faults) == recorded(*LINK, "--fault-seed", "3")
    viewed = isfc.run("published-4", "HL", pairs=5, look=isfc.Look(report="device"), **SHORT)
    assert isinstance(viewed, isfc.RunView)
    plain = recorded(*LINK)["devices"]
    seen = [(row["rdev"], row["io_per_s"]) for row in viewed.rows()]
    assert seen == [(each["rdev"], each["io_per_s"]) for each in plain]


def test_every_io_is_kept_if_it_is_asked_for_and_changes_nothing() -> None:
    ran = [
        isfc.run("published-4", "HL", pairs=5, look=isfc.Look(trace=trace), **SHORT)
        for trace in (True, False)
    ]
    (traced, plain) = (each for each in ran if isinstance(each, isfc.LinkRun))
    assert traced == plain
    assert (len(traced.timelines), plain.timelines) == (1, ())
    assert traced.timelines[0].ios
    assert "timelines" not in encoded(traced)


@pytest.mark.parametrize("seeds", [None, 2])
def test_an_older_release_has_one_ctc_and_says_what_an_upgrade_brings(seeds: int | None) -> None:
    how: Any = {"pairs": 50, "seeds": seeds, **SHORT}
    older, newest = (
        isfc.run("published-4", "CDU:100000", look=isfc.Look(release=each), **how)
        for each in ("6.1", "6.2")
    )
    assert isinstance(older, isfc.LinkRun)
    assert isinstance(newest, isfc.LinkRun)
    assert [each.rdev for each in older.devices] == ["6000"]
    assert isinstance(older.upgrade, Figure)
    assert older.upgrade.value == newest.mb_per_s / older.mb_per_s > 1.5
    assert encoded(newest).keys().isdisjoint({"upgrade"})
    assert [said for name, said in run_report(older).answer if name == "Upgrade"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"workload": "HL", "pairs": 1, "look": isfc.Look(release="6.1")},
            "release 6.1: it had no ISFC Transport; expected APPC/VM over one link, such as",
        ),
        (
            {"workload": "HL", "pairs": 1, "look": isfc.Look(release="5")},
            "release '5': expected one of 6.1, 6.2",
        ),
        ({}, "no workload: expected workload\n\nworkload     message bytes"),
        ({"workload": "HL"}, "pairs is missing: expected how many, such as pairs 50"),
        ({"workload": "HL", "pairs": 0}, "pairs 0: expected 1 to"),
        ({"workload": "HL", "pairs": 1, "from_": "X"}, "from_ X: "),
        ({"traffic": ["CLIENT-SERVER:HL:1"], "pairs": 1}, "traffic and pairs: expected one of"),
        (
            {"traffic": ["CLIENT-SERVER:HL:1"], "workload": isfc.Workload("w", 1, 9, 50, 1)},
            "traffic and workload w: expected one of them",
        ),
        (
            {"workload": isfc.Workload("w", 1, 9, 50, 1, 1_000), "pairs": 1_000},
            "pairs 1000: with a window of 1000",
        ),
        (
            {"workload": "HL", "pairs": 1, "seeds": 2, "look": isfc.Look(trace=True)},
            "trace: expected without report and seeds",
        ),
        (
            {"workload": "HL", "pairs": 1, "look": isfc.Look(report="x")},
            "report 'x': expected one of device, link, suite, appc",
        ),
    ],
)
def test_errors_name_arguments(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        isfc.run("published-4", **given)
    assert str(refused.value).startswith(message)
    assert "--" not in str(refused.value)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: isfc.Look(interval=0.0), "interval 0: expected 0.001 to 86400 s"),
        (lambda: isfc.Meanwhile(fault_seed=-1), "fault_seed -1: expected 0 to"),
        (lambda: isfc.Look(**dict[str, Any](side=5)), "Look(side=5): expected a text or None"),
    ],
)
def test_what_is_looked_at_is_checked_where_it_is_said(made: Any, message: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        made()
    assert str(refused.value).startswith(message)


def test_responses_to_commands_are_in_the_answer(tmp_path: Path) -> None:
    script = tmp_path / "commands.cp"
    script.write_text("at 20ms foo\n")
    found = isfc.run("published-4", "HL", pairs=5, meanwhile=isfc.Meanwhile(cp=script), **SHORT)
    assert isinstance(found, isfc.LinkRun)
    assert [entry.command for entry in found.cp or ()] == ["foo"]
