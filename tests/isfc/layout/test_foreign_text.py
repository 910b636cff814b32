"""What was given for a layout is named, with what to give instead."""

import json
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import FILE_LENGTH_MAX, decode
from isfc.layout.foreign_text import is_ebcdic

DATA = Path(__file__).parents[2] / "data"
PUBLISHED = Path(__file__).parents[3] / "docs" / "measured"
RUN = json.dumps({"workload": "HL", "node": "ATLANTA", "devices": []}, indent=2)

FOREIGN = {
    "a run's JSON": (RUN, "'isfc run --json' prints"),
    "a long run's JSON": (RUN + " " * FILE_LENGTH_MAX, "'isfc run --json' prints"),
    "a run's JSON in one line": (
        json.dumps({"node": "ATLANTA", "devices": [*range(500)]}),
        "'isfc run --json' prints",
    ),
    "other JSON": ('[{"a": 1}]', "JSON: give a layout in TOML"),
    "a report as HTML": ("<!doctype html>\n<title>x</title>", "'isfc report' writes"),
    "a page of a run": ((PUBLISHED / "site-1.txt").read_text(), "a page that 'isfc run' printed"),
    "FCX108": ((PUBLISHED / "H001709C-fcx108.txt").read_text(), "'isfc measured read FILE'"),
    "link activity": ((PUBLISHED / "H001709C-link.txt").read_text(), "'isfc measured read FILE'"),
    "RMF": ((DATA / "rmf" / "device-activity.txt").read_text(), "'isfc io size --rmf FILE'"),
    "IOCP's report": (
        "1 19.29  24.042  CHPID SUMMARY REPORT  PAGE 2\n 50",
        "isfc import iocp",
    ),
    "its columns": (" CHPID  PCHID TYPE  SWITCH\n  50  140  FC  NONE\n", "a report that IOCP"),
}


@pytest.mark.parametrize(("text", "remedy"), FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_layout_is_named(text: str, remedy: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        decode(text.encode(), "a layout file")
    assert remedy in str(caught.value)


@pytest.mark.parametrize(
    "path", [*DATA.glob("rmf/*.txt"), *DATA.glob("decks/*.iocp")], ids=lambda path: path.stem
)
def test_ebcdic_is_told_from_ascii(path: Path) -> None:
    text = path.read_text("utf-8")
    assert is_ebcdic(text.encode("cp037"))
    assert not is_ebcdic(text.encode())
