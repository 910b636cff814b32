"""What is pasted or dropped: which kind it is, what is asked, and that the command's word holds."""

import re
from pathlib import Path

import msgspec
import pytest

import isfc
from isfc.cli.main import run
from isfc.cli.studio.command_line import Printed
from isfc.cli.studio.importing import Asked, File, Import, import_files, opened
from isfc.cli.studio.panels import LossesPanel, RelocationPanel, Run, StatementsPanel, show_panel
from isfc.cli.studio.panels import run as run_workload
from isfc.cli.studio.tasks import Subject
from isfc.cli.studio.work import Failed
from isfc.errors import ConfigurationError
from isfc.errors.in_words import link_names
from isfc.layout.catalogue import read_content
from isfc.layout.file import parse_collection
from isfc.layout.loss import pieces
from tests.isfc.layout.test_loss_table import CECS, FILE, LINKS, TABLE

DATA = Path(__file__).parents[3] / "data"
TEXT = read_content("atlanta-boston")[0].decode()


@pytest.fixture(autouse=True)
def width_of_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command in a process of the page sets it."""
    monkeypatch.setenv("COLUMNS", "80")


def told(_: object) -> None:
    pass


def taken(*names: str) -> list[File]:
    return [File(Path(name).name, (DATA / name).read_bytes()) for name in names]


def test_partitions_are_asked_for_where_there_are_more_than_two() -> None:
    asked = import_files(told, Import("", files=taken("decks/three-systems.iocp")))
    assert isinstance(asked, Asked)
    assert asked.question
    assert asked.question.choices == ("VMA", "VMB", "VMC")


def test_partitions_are_not_asked_for_where_two_have_ctcs_to_each_other() -> None:
    made = import_files(told, Import("", files=taken("decks/cross-css.iocp")))
    assert isinstance(made, Printed)
    assert isfc.parse_links(made.out).links[0].nodes == ("ALPHA", "BETA")


def test_cabling_is_asked_for_where_several_fit() -> None:
    said = {"partitions": ["VMA", "VMB"]}
    wanted = Import("", files=taken("decks/three-systems.iocp"), said=said)
    asked = import_files(told, wanted)
    assert isinstance(asked, Asked)
    assert asked.question
    assert asked.question.choices == ("VMA:50=01", "VMA:50=02,VMA:60=01")
    said = {**said, "ports": [asked.question.choices[0]]}
    done = import_files(told, msgspec.structs.replace(wanted, said=said))
    assert isinstance(done, Printed)
    assert parse_collection(done.out).links[0].nodes == ("VMA", "VMB")


def test_deck_says_what_the_command_says(capsys: pytest.CaptureFixture[str]) -> None:
    deck = DATA / "decks" / "cross-css.iocp"
    assert run(["import", "iocp", str(deck), "--partitions", "ALPHA,BETA"]) == 0
    command = capsys.readouterr()
    said = {"partitions": ["ALPHA", "BETA"]}
    done = import_files(told, Import("", files=taken("decks/cross-css.iocp"), said=said))
    assert isinstance(done, Printed)
    assert done.err.split() == command.err.replace(str(deck), "cross-css.iocp").split()
    assert parse_collection(done.out) == parse_collection(command.out)


@pytest.mark.parametrize(
    ("name", "partitions", "said"),
    [
        ("decks/crowded.iocp", [], "nothing else fits: chpid 50 of VMA at chpid 51 of VMB, "),
        ("decks/crowded.iocp", [], "chpids VMA 50, VMB 51; VMA 60, VMB 61 have: FICON Express8S"),
        ("decks/cross-css.iocp", ["ALPHA", "BETA"], "chpid 53 of ALPHA on port 61C3"),
        ("logs/atlanta.txt", [], "left out: ATLANTA 6021"),
    ],
)
def test_remarks_are_in_words_of_the_page_and_name_the_chpids_of_the_file(
    name: str, partitions: list[str], said: str
) -> None:
    told_so = {"partitions": partitions, "system": ["ATLANTA"]}
    wanted = Import("", files=taken(name), said=told_so)
    done = import_files(told, wanted)
    assert isinstance(done, Printed)
    remarks = opened(wanted, done, {"sections": {}})["sections"]["remarks"]
    assert said in remarks
    assert "<details open>" in remarks
    assert not re.search(r"--\w|isfc:", remarks)


def test_logs_of_two_systems_make_a_link_and_one_needs_a_name() -> None:
    both = import_files(told, Import("", files=taken("logs/atlanta.txt", "logs/boston.txt")))
    assert isinstance(both, Printed)
    assert parse_collection(both.out).links[0].nodes == ("ATLANTA", "BOSTON")
    one = taken("logs/atlanta.txt")
    asked = import_files(told, Import("", files=one))
    assert isinstance(asked, Asked)
    assert asked.question
    assert asked.question.option == "system"
    named = import_files(told, Import("", files=one, said={"system": ["ATLANTA"]}))
    assert isinstance(named, Printed)
    assert "left out: ATLANTA 6021" in named.err
    after = taken("logs/one-session-after-the-other.txt")
    told_there = import_files(told, Import("", files=after))
    assert isinstance(told_there, Printed)
    assert parse_collection(told_there.out).links[0].nodes == ("VMA", "VMB")


def test_statements_choose_among_the_ctcs_that_are_shown() -> None:
    statements = File("a.config", b"ACTIVATE ISLINK 6000 6020 NODE BOSTON\n")
    done = import_files(told, Import(TEXT, files=[statements]))
    assert isinstance(done, Printed)
    assert len(parse_collection(done.out).links[0].ctcs) == 2


def test_error_is_the_command_s_and_names_the_file() -> None:
    said = {"partitions": ["NONE", "NOT"]}
    done = import_files(told, Import("", files=taken("decks/one-cec.iocp"), said=said))
    assert isinstance(done, Failed)
    assert "--partitions 'NONE': no RESOURCE statement names it" in done.message
    assert "one-cec.iocp, line 2: " in done.message
    with pytest.raises(ConfigurationError, match=r"^bad\.toml: is not TOML"):
        import_files(told, Import("", files=[File("bad.toml", b"x [")]))
    with pytest.raises(ConfigurationError, match=r"^twice\.txt, twice\.txt: expected a name once"):
        import_files(told, Import("", files=2 * [File("twice.txt", b"x")]))


@pytest.mark.at_length
@pytest.mark.slow
def test_panels_of_the_model_say_the_answer_first() -> None:
    one = read_content("published-1")[0].decode()
    lost = show_panel(told, LossesPanel(one, link="CLIENT-SERVER"))
    assert isinstance(lost, dict)
    assert lost["html"].startswith(
        '<p class="answer"><strong>Worst:</strong> chpid 40 (mate 50): 0 %'
    )
    assert 'class="range"' in lost["html"]
    assert "<strong>Limited by:</strong> " in lost["html"]
    shares: list[float] = []
    moved = show_panel(
        lambda record: shares.append(record["share"]),
        RelocationPanel(TEXT, way="ATLANTA-BOSTON BOSTON", memory="16M"),
    )
    assert isinstance(moved, dict)
    assert shares == sorted(set(shares))
    assert shares[-1] == 1
    assert len(shares) > 2
    assert moved["html"].startswith('<p class="answer"><strong>Moved:</strong> after ')
    assert "<caption>Passes over memory</caption>" in moved["html"]


def test_panels_have_no_names_of_options_and_statements_are_text() -> None:
    by_rule = show_panel(told, LossesPanel(TEXT, link="ATLANTA-BOSTON", rule=True))
    assert isinstance(by_rule, dict)
    assert "<td>CTC 6000 (mate 7000) or one of 7 others</td>" in by_rule["html"]
    assert 'class="range"' not in by_rule["html"]
    statements = show_panel(told, StatementsPanel(TEXT, ["1"], system="BOSTON"))
    assert isinstance(statements, dict)
    assert ">ACTIVATE ISLINK 7020 7021 7022 7023 NODE ATLANTA\n</pre>" in statements["html"]
    assert 'download="BOSTON.config"' in statements["html"]
    with pytest.raises(ConfigurationError, match=r"^From X"):
        show_panel(told, RelocationPanel(TEXT, way="ATLANTA-BOSTON X", memory="16M"))


@pytest.mark.parametrize(("piece", "left"), TABLE.values())
def test_what_is_lost_by_its_name_takes_what_the_table_says(
    piece: str, left: tuple[int, ...]
) -> None:
    """Struck out, and in the panels of losses, which have it as `isfc plan` does."""
    kept = Subject(FILE, frozenset(pieces(CECS)[piece])).read()
    counts = {link.name: len(link.ctcs) for link in kept.links}
    counts_by_link = [(link, counts.get(link, 0)) for link in LINKS]
    assert tuple(count for _, count in counts_by_link) == left
    link, few = next(each for each in counts_by_link if each[1] < 8)
    down = link_names([name for name, count in counts_by_link if not count])
    for name, cell in ((link, few), ("", down)):
        panel = LossesPanel(FILE, link=name, rule=True, without=f" {piece} + ")
        shown = show_panel(told, panel)
        assert isinstance(shown, dict)
        assert f"<strong>Without:</strong> {piece}: " in shown["html"]
        assert f"<td>{cell}</td>" in shown["html"]


def test_a_piece_that_there_is_not_is_named_as_the_page_has_it() -> None:
    with pytest.raises(ConfigurationError, match=r"^Without '99': .* expected 40, "):
        show_panel(told, LossesPanel(TEXT, link="ATLANTA-BOSTON", rule=True, without="99"))


@pytest.mark.at_length
def test_run_tells_how_far_it_is_and_draws_its_course() -> None:
    shares: list[float] = []
    wanted = Run(
        text=TEXT,
        way="ATLANTA-BOSTON BOSTON",
        workload="HS",
        pairs=2,
        seconds=0.1,
        number=3,
    )
    done = run_workload(lambda message: shares.append(message["share"]), wanted)
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] <= 1
    assert done["said"].startswith("Run 3: ")
    assert done["cells"].startswith("<td>3: HS 2 pairs, 0.1 s, BOSTON</td>")
    assert "<svg" in done["sections"]["course"]
    assert "sought from 5 s on" in done["cells"]
