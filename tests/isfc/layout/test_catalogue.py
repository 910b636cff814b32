"""The shipped layouts, and finding one by name or by path."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from ctc.address import format_rdev, parse_rdevs
from isfc.deck.activation import parse_activations
from isfc.deck.console import parse_log
from isfc.deck.deck import choose_systems
from isfc.deck.dpm import import_dpm
from isfc.deck.hint import entry_ports
from isfc.deck.iocp import parse_deck
from isfc.errors import ConfigurationError
from isfc.io.rmf import parse_rmf
from isfc.layout.catalogue import given_collection, load_layout, read_content, shipped_layouts
from isfc.layout.checked_toml import FILE_LENGTH_MAX, decode, is_ebcdic
from isfc.layout.file import parse_layout
from isfc.layout.source_kind import SourceKind, source_kind
from isfc.site.figures import Reading
from isfc.site.file import read_measurements
from tests.decks import drawn
from tests.isfc.foreign import RNID, TNSTAT, XCF
from tests.refusals import refused

# capacity_estimates.csv: the report's device sets
PUBLISHED = {
    "published-1": "6000",
    "published-4": "6000-6003",
    "published-8": "6000-6003,6020-6023",
    "published-10": "6000-6003,6020-6023,6040-6041",
    "published-12": "6000-6003,6020-6023,6040-6043",
    "published-14": "6000-6003,6020-6023,6040-6043,6060-6061",
    "published-16": "6000-6003,6020-6023,6040-6043,6060-6063",
}


def test_shipped_layouts_are_listed_in_the_order_of_their_sizes() -> None:
    assert shipped_layouts() == ("atlanta-boston", *PUBLISHED, "query-islink", "two-cecs")


@pytest.mark.parametrize("name", shipped_layouts())
def test_every_shipped_layout_is_a_good_one(name: str) -> None:
    assert all(link.ctcs for link in given_collection(name).links)


@pytest.mark.parametrize(("name", "rdevs"), PUBLISHED.items())
def test_published_layouts_have_the_published_devices(name: str, rdevs: str) -> None:
    layout = load_layout(name)
    assert tuple(ctc.rdevs for ctc in layout.ctcs) == tuple(
        (rdev, rdev) for rdev in parse_rdevs(rdevs)
    )
    for ctc in layout.ctcs:
        feature = "FICON Express2" if ctc.rdevs[0] < 0x6040 else "FICON Express4"
        assert ctc.fibre.profile.feature == feature
    # one chpid for each group of four
    assert len({(ctc.rdevs[0] & 0xFFF0, ctc.fibre.name) for ctc in layout.ctcs}) == len(
        layout.fibres
    )


def test_query_islink_example_has_other_numbers_at_the_other_end() -> None:
    layout = load_layout("query-islink")
    printed = [tuple(map(format_rdev, ctc.rdevs)) for ctc in layout.ctcs]
    assert layout.nodes[1] == "2NDI"
    assert printed == [("CC30", "33C0"), ("CC31", "33C1"), ("CC32", "33C2"), ("CC33", "33C3")]


def test_layout_is_found_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine"
    path.write_text(
        '[fibre.1]\nfeature = "FICON Express"\nchpid = { A = "1", B = "2" }\n'
        '[[ctc]]\nfibre = "1"\nrdevs = { A = "10", B = "20" }\n'
    )
    monkeypatch.chdir(tmp_path)
    of_path = load_layout(path)
    assert (
        load_layout("mine") == load_layout("./mine") == of_path == parse_layout(path.read_bytes())
    )


def test_shipped_name_means_the_same_in_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "published-4").write_text("not a layout")
    monkeypatch.chdir(tmp_path)
    assert len(load_layout("published-4").ctcs) == 4
    with pytest.raises(ConfigurationError, match=r"^published-4: is not TOML"):
        load_layout("./published-4")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("published-5",
         "published-5: neither a file nor a shipped layout; did you mean published-"),
        ("n" * 300, f"{'n' * 40}: neither a file nor a shipped layout"),
        *((path, f"{path}: cannot be read")
          for path in ("none.toml", "nowhere/published-4", "n" * 300 + ".toml")),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused_as_a_name_or_a_file(argument: str, message: str) -> None:
    refused(lambda: load_layout(argument), message)


DATA = Path(__file__).parents[2] / "data"
MEASURED = Path(__file__).parents[3] / "docs" / "measured"
RUN = json.dumps({"workload": "HL", "node": "ATLANTA", "devices": []}, indent=2)
DECK = drawn("a A,B 50 | 4010 50 D1 2")

FOREIGN = {
    "a run's JSON": (RUN, "'isfc run --json' prints"),
    "a long run's JSON": (RUN + " " * FILE_LENGTH_MAX, "'isfc run --json' prints"),
    "a run's JSON in one line": (
        json.dumps({"node": "ATLANTA", "devices": [*range(500)]}),
        "'isfc run --json' prints",
    ),
    "links of DPM": ((DATA / "dpm" / "links.json").read_text(), "'isfc import dpm FILE'"),
    "other JSON": ('[{"a": 1}]', "JSON of another kind"),
    "a report as HTML": ("<!doctype html>\n<title>x</title>", "'isfc report' writes"),
    "a page of a run": ((MEASURED / "site-1.txt").read_text(), "a page that 'isfc run' printed"),
    "FCX108": ((MEASURED / "H001709C-fcx108.txt").read_text(), "'isfc measured read FILE'"),
    "link activity": ((MEASURED / "H001709C-link.txt").read_text(), "'isfc measured read FILE'"),
    "RMF": ((DATA / "rmf" / "device-activity.txt").read_text(), "'isfc io size --rmf FILE'"),
    "XCF": (XCF, "'isfc measured read FILE'"),
    "VTAM": (TNSTAT, "'isfc measured read FILE'"),
    "a director's nodes": (RNID, "--ports NODE=FILE"),
    "D M=CU": ("CONTROL UNIT 4010\nENTRY LINK ADDRESS 61C0\n", "--ports NODE=FILE"),
    "a Hercules' configuration": ("  0E20 CTCE 31880 127.0.0.1 31890\n", "'isfc ctce FILE FILE'"),
    "IOCP's report": ("1 19.29  24.042  CHPID SUMMARY REPORT  PAGE 2\n 50", "isfc import iocp"),
    "its columns": (" CHPID  PCHID TYPE  SWITCH\n  50  140  FC  NONE\n", "a report that IOCP"),
}


@pytest.mark.parametrize(("text", "remedy"), FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_layout_is_named(text: str, remedy: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        decode(text.encode(), "a layout file")
    assert remedy in str(caught.value)


@pytest.mark.parametrize(("text", "remedy"), FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize(
    ("command", "read"),
    {
        "import iocp": parse_deck,
        "import islink": parse_log,
        "import config": parse_activations,
        "import dpm": lambda *of: import_dpm(of[:1]),
        "io size": parse_rmf,
        "measured read": lambda *of: read_measurements([Path(of[1])], Reading()),
        "--ports": lambda text, file: entry_ports(text, file, choose_systems("A,B", [DECK])[0]),
    }.items(),
)
def test_what_another_command_reads_is_named_by_each(
    command: str, read: Callable[[str, str], object], text: str, remedy: str, tmp_path: Path
) -> None:
    has_run = command == "measured read" and "isfc run" in remedy
    if command in remedy or has_run or (command == "import dpm" and text[0] in "[{"):
        return
    (tmp_path / "pasted.txt").write_text(text, "utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read(f"{text}\n", str(tmp_path / "pasted.txt"))
    assert remedy.replace("--", "") in str(caught.value).replace("--", "")


@pytest.mark.parametrize(
    "path", [*DATA.glob("rmf/*.txt"), *DATA.glob("decks/*.iocp")], ids=lambda path: path.stem
)
def test_ebcdic_is_told_from_ascii(path: Path) -> None:
    text = path.read_text("utf-8")
    assert is_ebcdic(text.encode("cp037"))
    assert not is_ebcdic(text.encode())


KINDS = [
    *((path.read_text("utf-8"), SourceKind.DECK) for path in (DATA / "decks").iterdir()),
    *((path.read_text("utf-8"), SourceKind.CONSOLE_LOG) for path in (DATA / "logs").iterdir()),
    *((read_content(name)[0].decode(), SourceKind.LAYOUT) for name in shipped_layouts()),
    # a layout with a remark stays one
    *((f"# {remark}\n{read_content('atlanta-boston')[0].decode()}", SourceKind.LAYOUT)
      for remark in ("ACTIVATE ISLINK 6000", "Link device: CC30", " CHPID PATH=(CSS(0),50)")),
    ("CHPID PATH=(CSS(0),50),TYPE=FC\n", SourceKind.DECK),
    (" CHPID SHARED,PATH=(CSS(0),50),TYPE=FC\n", SourceKind.DECK),
    ("C50      chpid path=(CSS(0),50),type=FC\n", SourceKind.DECK),
    # lines of a log that run together
    (f"{'Ready; ' * 60}Link device: CC30  Type: FCTC  Node: BOSTON\n", SourceKind.CONSOLE_LOG),
    ("ACTIVATE ISLINK 6000 6001 NODE BOSTON\n", SourceKind.CONFIGURATION),
    ("ATLANTA: Activate ISLink 6000\n", SourceKind.CONFIGURATION),
    ("act isl 6000\n", SourceKind.CONFIGURATION),
    ("Ready; DEACTIVE ISLINK 6000\n", SourceKind.CONFIGURATION),
    ("#CP DEA ISLI 6000\n", SourceKind.CONFIGURATION),
]  # fmt: skip
READ: Final[dict[SourceKind, Callable[[str], object]]] = {
    SourceKind.DECK: lambda text: parse_deck(text, "deck").channels,
    SourceKind.CONSOLE_LOG: lambda text: parse_log(text, "log").devices,
    SourceKind.CONFIGURATION: lambda text: parse_activations(text, "config"),
}


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_a_text_is_of_the_kind_that_it_is_read_as(text: str, kind: SourceKind) -> None:
    assert source_kind(text) is kind
    if text.count("\n") == 1:
        assert READ[kind](text)
