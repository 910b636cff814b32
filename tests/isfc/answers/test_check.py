"""What `isfc.check` finds: the same as the command prints, and what it says of layouts in code."""

import json
from pathlib import Path

import pytest
from msgspec import structs

import isfc
from isfc.answers.check import check_report
from isfc.cli.main import run
from isfc.reports.text import encoded


@pytest.mark.parametrize("layout", ["two-cecs", "published-12"])
def test_json_is_the_answer(layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = isfc.check(layout)
    run(["check", layout, "--json"])
    assert json.loads(capsys.readouterr().out) == encoded(found)
    assert [len(each.rows()) for each in found] == [len(each.findings) for each in found]


def test_layouts_in_code_are_called_so_and_have_no_lines() -> None:
    found = isfc.check(isfc.load_layout("published-12"))
    assert {each.layout for each in found} == {"layout"}
    assert {line for each in found for finding in each.findings for line in finding.lines} == {1}


def test_the_text_of_a_file_has_lines() -> None:
    text = isfc.format_collection(isfc.new("ATLANTA,BOSTON", "40:50,41:51", ctcs=6))
    lines = text.splitlines()
    named = [each for link in isfc.check(text) for each in link.findings if each.fibres]
    assert named
    for each in named:
        shown = {lines[line - 1] for line in each.lines}
        assert shown == {f"[fibre.{fibre}]" for fibre in each.fibres}


def test_what_is_no_layout_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "none.toml"
    file.write_text('[[traffic]]\nfrom = "A"')
    for given in ("nowhere", file, "no\nlayout"):
        with pytest.raises(isfc.ConfigurationError):
            isfc.check(given)


def test_a_report_of_nothing_says_so() -> None:
    (link,) = isfc.check("atlanta-boston")
    assert check_report([link]).answer[0] == ("Found", "1 remark")
    report = check_report([structs.replace(link, findings=())])
    assert report.answer[0] == ("Found", "nothing")
    assert [table.caption for table in report.tables] == ["What is found: nothing"]
    assert not report.notes
