"""A site's files brought in together: what is asked of them, and that the page is the report's."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from isfc.cli.main import run
from isfc.cli.studio.command_line import Printed
from isfc.cli.studio.deciding import bring_in, decide
from isfc.cli.studio.importing import Asked, File, Import
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import read_content
from tests.decks import DECKS
from tests.isfc.answers.deciding import by_rule

GUESTS = b"name,memory,change_rate\nA,8M,1M\nB,4M,0\n"
CECS = [File(name, (DECKS / name).read_bytes()) for name in ("cec-a.iocp", "cec-b.iocp")]
SITE = Import("", files=[File("guests.csv", GUESTS), *CECS])
TEXT = read_content("atlanta-boston")[0].decode()


def told(_: object) -> None:
    pass


def said(site: Import, **more: list[str]) -> Import:
    """The same files, with more said of them."""
    return structs.replace(site, said={**site.said, **more})


def question(asked: Any) -> tuple[str, tuple[str, ...]]:
    """The option that is asked for, and its choices."""
    assert isinstance(asked, Asked)
    assert asked.question
    return asked.question.option, asked.question.choices


@pytest.mark.at_length
def test_what_has_to_be_known_is_asked_before_anything_runs_and_the_page_is_the_report_s(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    by_rule(monkeypatch)
    option, choices = question(bring_in(told, SITE))
    assert option == "partitions"
    assert {"ATLANTA", "BOSTON"} < {*choices}
    site = said(SITE, partitions=["", "ATLANTA", "BOSTON"], decide=["100 MB/s"])
    option, (ports, *_) = question(decide(told, site))
    assert option == "ports"
    asked = decide(told, site := said(site, ports=[ports]))
    assert question(asked) == ("leave", ("ATLANTA", "BOSTON"))
    assert isinstance(asked, Asked)
    record = asked.record(site)["sections"]["asked"]
    assert "<td>guests.csv</td><td>guests</td>" in record
    assert f'name="ports[]" value="{ports}"' in record
    assert 'name="partitions[]" value="ATLANTA,BOSTON"' in record
    assert 'name="decide[]" value="100 MB/s"' in record
    told_of: list[dict[str, str]] = []
    found = decide(told_of.append, said(site, leave=["BOSTON"], window=[" SUN "]))
    assert {"said": "Running moving the guests"} in told_of
    assert isinstance(found, dict)
    for file in SITE.files:
        (tmp_path / file.name).write_bytes(file.data)
    monkeypatch.chdir(tmp_path)
    words = ["--partitions", "ATLANTA,BOSTON", "--ports", ports, "--leave", "BOSTON"]
    words += ["--decide", "100 MB/s", "--window", "SUN", "-o", "page.html"]
    assert run(["report", *(file.name for file in SITE.files), *words]) == 0
    assert found["page"] == Path("page.html").read_text()
    assert "[[ctc]]" in found["layouts"]["layout.toml"]


def test_one_deck_logs_and_a_layout_are_opened_and_others_are_of_what_is_shown() -> None:
    logs = [(DECKS.parent / "logs" / f"{name}.txt").read_bytes() for name in ("atlanta", "boston")]
    for files in ([File("a.toml", TEXT.encode())], [File("a", logs[0]), File("b", logs[1])]):
        assert isinstance(bring_in(told, Import("", files=files)), Printed)
    assert question(bring_in(told, Import("", files=CECS[:1])))[0] == "ports"  # two have CTCs
    asked = bring_in(told, Import(TEXT, files=[SITE.files[0]]))
    assert question(asked) == ("leave", ("ATLANTA", "BOSTON"))
    assert isinstance(asked, Asked)
    assert [each.name for each in asked.files] == ["guests.csv", "layout.toml"]
    with pytest.raises(ConfigurationError, match=r"^--decide 'much': expected such as"):
        decide(told, said(Import(TEXT, files=[SITE.files[0]]), decide=["much"]))
