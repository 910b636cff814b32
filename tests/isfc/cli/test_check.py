"""``isfc check``: its formats, its exit status, and several layouts together."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from isfc.answers.check import CHECK_RULES
from isfc.cli.main import run

GOOD = """\
[fibre.1]
feature = "FICON Express8"
chpid = { ATLANTA = "40", BOSTON = "50" }
[fibre."slow one"]
feature = "FICON Express8"
chpid = { ATLANTA = "41", BOSTON = "51" }
[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000,6010-6012,6030", BOSTON = "6000,6010-6012,6030" }
[[ctc]]
fibre = "slow one"
rdevs = { ATLANTA = "6020-6023", BOSTON = "6020-6023" }
"""


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a good layout, one with warnings, and a file that is no layout."""
    monkeypatch.chdir(tmp_path)
    four = GOOD.replace("6010-6012,6030", "6010-6011,6030").replace("6020-6023", "6020-6022")
    (tmp_path / "quiet.toml").write_text(four)
    (tmp_path / "crowded.toml").write_text(GOOD.replace("6020-6023", "6020-6025"))
    (tmp_path / "bad.toml").write_text("no layout")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["quiet.toml"], 0),
        (["quiet.toml", "--fail-on", "info"], 0),
        (["atlanta-boston"], 0),
        (["atlanta-boston", "--fail-on", "info"], 1),
        (["crowded.toml"], 1),
        (["crowded.toml", "--fail-on", "never"], 0),
        (["quiet.toml", "crowded.toml"], 1),
        (["bad.toml", "crowded.toml"], 2),
        (["crowded.toml", "--format", "sarif", "--json"], 2),
    ],
)
def test_status_is_that_of_the_worst(arguments: list[str], code: int) -> None:
    assert run(["check", *arguments]) == code


def test_each_rule_comes_once_with_all_places(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "two-cecs"])
    page = capsys.readouterr().out
    assert page.count("Give one chpid, beside") == page.count("-> Give some of the links") == 1
    shown = " ".join(page.partition("remark   unidirectional-spread")[2].split())
    assert shown.count(": The CTCs that only one end may write") == 2
    assert "And 4 more of this kind in the notes." in shown
    assert page.index("warning  channel-shared") < page.index("remark   unidirectional-spread")
    assert "ALPHA - DELTA: The channels" not in " ".join(
        page.split()
    )  # which are no channels of it
    run(["check", "two-cecs", "--notes"])
    full = " ".join(capsys.readouterr().out.split())
    assert full.count(": The CTCs that only one end may write") == 6
    assert "unidirectional-spread: IBM advises to keep them on one selected chpid" in full


def test_places_of_which_the_same_is_found_share_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(["check", "published-10", "published-12"])
    page = " ".join(capsys.readouterr().out.split())
    assert "published-10, published-12: Links of 2 and 4 Gb/s" in page


def test_people_get_each_layout_and_a_sum(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "quiet.toml", "crowded.toml", "bad.toml"])
    page, errors = capsys.readouterr()
    assert re.search(r"^warning +chpid-crowded +1 ", page, re.MULTILINE)
    assert "-> Move the others to another chpid." in page
    title, _, found, quiet, *_ = page.splitlines()
    assert title == "2 of 3 layouts read"
    assert found.startswith("Found       2 warnings")
    assert quiet == "Nothing in  quiet.toml"
    assert errors.startswith("isfc: bad.toml: ")
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (" RESOURCE PARTITION=((CSS(0),(LP1,1)))\n", "there is no partition but LP1, and a link"),
        (
            "* a comment\nLBL1     CHPID PATH=(CSS(0),50),TYPE=FC\n",
            "there is no RESOURCE statement",
        ),
        (" CHPID PATH=(CSS(0),50),TYPE=FC\n" * 2_000, "expected each channel path once"),
        ("ACTIVATE ISLINK 6000 NODE BOSTON\n", "'isfc import config FILE --layout LAYOUT'"),
        ("/* ours */\nSystem_Identifier * * ATLANTA\n", "'isfc import config FILE"),
        ("Link device: 33C1    Type: FCTC\n", "given:1:14: Link device '33C1' has no Node"),
        ("[fibre.1]\n\n  chpid = { A = 4\n", "is not TOML: "),
    ],
)
def test_what_a_command_makes_a_layout_of_is_known(
    text: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # "is not TOML" alone left a reader with a deck without a way on
    Path("given").write_text(text)
    for command in ("check", "plan", "show")[: 3 if len(text) < 1_000 else 1]:
        assert run([command, "./given"]) == 2
        assert remedy in " ".join(capsys.readouterr().err.split())


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    run(["check", *arguments])
    return json.loads(capsys.readouterr().out)


def test_json_has_findings_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    crowded, bad = printed(["crowded.toml", "bad.toml", "--json"], capsys)
    assert (bad["layout"], bad["findings"]) == ("bad.toml", [])
    assert bad["error"].startswith("bad.toml: ")
    assert crowded["error"] is None
    (named,) = [
        (finding["fibres"], finding["lines"])
        for finding in crowded["findings"]
        if finding["id"] == "chpid-crowded"
    ]
    assert named == (["1", "slow one"], [1, 4])


def test_sarif_names_rules_places_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    log = printed(["crowded.toml", "bad.toml", "--format", "sarif"], capsys)
    assert log["version"] == "2.1.0"
    (sarif,) = log["runs"]
    listed = sarif["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in listed] == [rule.id for rule in CHECK_RULES]
    assert sarif["results"]
    for result in sarif["results"]:
        assert listed[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("note", "warning")
        assert result["message"]["text"].endswith(".")
        places = [location["physicalLocation"] for location in result["locations"]]
        assert {place["artifactLocation"]["uri"] for place in places} == {"crowded.toml"}
        lines = [place["region"]["startLine"] for place in places]
        assert lines == ([1, 4] if result["ruleId"] == "chpid-crowded" else [1])
    (invocation,) = sarif["invocations"]
    assert invocation["executionSuccessful"] is False
    (note,) = invocation["toolConfigurationNotifications"]
    assert note["level"] == "error"


def test_github_gets_one_command_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    odd = Path("a%, odd:name.toml")
    Path("crowded.toml").rename(odd)
    run(["check", str(odd), "bad.toml", "--format", "github"])
    *findings, bad = capsys.readouterr().out.splitlines()
    shape = r"::(notice|warning) file=a%25%2C odd%3Aname.toml,line=(\d),title=([\w-]+)::.*\."
    found = [re.fullmatch(shape, line) for line in findings]
    assert findings
    assert all(found)
    assert ("warning", "1", "chpid-crowded") in [match.groups() for match in found if match]
    assert bad.startswith("::error file=bad.toml,line=1,title=isfc::bad.toml: ")


def test_every_link_of_a_layout_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("three.toml").write_text(
        """\
[[link]]
nodes = ["ATLANTA", "BOSTON"]
[[link]]
nodes = ["BOSTON", "CHICAGO"]
[fibre.1]
feature = "FICON Express8"
chpid = { ATLANTA = "40", BOSTON = "50" }
[fibre.2]
feature = "FICON Express8"
chpid = { BOSTON = "51", CHICAGO = "60" }
[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000-6003", BOSTON = "6000-6003" }
[[ctc]]
fibre = "2"
rdevs = { BOSTON = "6010", CHICAGO = "6010" }
"""
    )
    first, second = printed(["three.toml", "--json"], capsys)
    assert [item["nodes"] for item in (first, second)] == [
        ["ATLANTA", "BOSTON"],
        ["BOSTON", "CHICAGO"],
    ]
    assert [finding["id"] for finding in first["findings"]] == ["one-chpid", "mesh-incomplete"]
    assert [finding["id"] for finding in second["findings"]] == ["single-ctc", "one-chpid"]
    assert run(["check", "three.toml"]) == 1
    page = " ".join(capsys.readouterr().out.split())
    assert "BOSTON - CHICAGO: Both nodes write on the only CTC" in page
    assert "three.toml Found 4 warnings" in page
