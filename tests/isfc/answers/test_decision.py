"""From files to a decision: what is recognised, asked, wrong, and made all the same."""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import isfc
from isfc.answers import decision_parts
from isfc.answers.decision import decided
from isfc.answers.decision_page import Decision, brief, decision_report
from isfc.answers.order import with_order
from isfc.answers.page.document import decision_page
from isfc.answers.site_asked import SiteAsked
from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from isfc.errors import ConfigurationError
from isfc.reports.figure import Note, NoteKind
from isfc.reports.text import encoded, markdown
from tests.decks import DECKS, LOGS
from tests.isfc.answers.deciding import by_rule, ordered
from tests.isfc.answers.page.test_document import outlined
from tools import PROJECT

pytestmark = pytest.mark.at_length

SITES = PROJECT / "tests" / "data" / "sites"
EIGHT = [DECKS / f"two-by-eight-{end}.iocp" for end in "ab"]
SLOW = [SITES / "slow-link" / f"{system}.iocp" for system in ("atlanta", "boston")]
BOTH_CECS = [DECKS / "cec-a.iocp", DECKS / "cec-b.iocp"]
CABLED = SiteAsked("ATLANTA,BOSTON", ("ATLANTA:50=C0,ATLANTA:51=C1,ATLANTA:52=C2",))
RATE = "1000 MB/s with a chpid lost"
_OPTION = r"(?<![\w-])--[a-z][a-z-]*"
GUESTS = "name,memory,change_rate,from\nA,8M,1M,ATLANTA\nB,4M,0,ATLANTA\n"


@pytest.fixture(autouse=True)
def _without_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    by_rule(monkeypatch)


@pytest.fixture
def guests(tmp_path: Path) -> Path:
    path = tmp_path / "guests.csv"
    path.write_text(GUESTS)
    return path


def wrong(found: Decision) -> dict[str, str]:
    """The problems by their titles."""
    return {part.title: part.problem for part in found.parts if part.problem}


def test_every_part_is_the_answer_of_its_capability_whatever_the_order(guests: Path) -> None:
    asked = SiteAsked(decide=RATE, window="SUN 02:00-06:00")
    files = [*EIGHT, guests]
    found = decided(files, asked)
    assert found.is_whole
    assert [each.kind for each in found.files] == [
        "an IOCP deck", "an IOCP deck", "guests"
    ]  # fmt: skip
    answers = {part.title: type(part.answer).__name__ for part in found.parts if part.answer}
    assert answers == {
        "What it carries": "PlannedLink",
        "What a loss leaves": "Losses",
        "What is found": "tuple",
        "Moving the guests": "Moves",
        "The window": "WindowFound",
        "What to order": "LinkSizing",
        "The links as they are to be": "Losses",
        "The change and the way back": "Change",
    }
    assert [part.title for part in found.parts if part.needs] == [
        "The site's figures",
        "The load by time",
    ]
    lines = dict(found.decided)
    assert {"Carries", "Worst loss", "Found", "ATLANTA is empty", "Window", "Order"} <= lines.keys()
    assert found.part("The window").answer.fits
    again = decided(files[::-1], asked)
    assert again.decided == found.decided
    assert found.layout is not None
    assert isfc.parse_links(found.layout).links[0].nodes == ("ATLANTA", "BOSTON")
    assert json.loads(json.dumps(encoded(found)))["parts"][1]["answer"]["nodes"]
    assert markdown(decision_report(found)).count("\n## ") >= len(found.parts)


@pytest.mark.slow
def test_page_is_one_file_with_the_decision_first_and_made_again_the_same(guests: Path) -> None:
    found = decided([*EIGHT, guests], SiteAsked(decide=RATE))
    page = decision_page(found)
    outline = outlined(page)
    assert {f"part-{n}" for n in range(1, len(found.parts) + 1)} <= {*outline.ids}
    assert page.index("<dt>Carries</dt>") < page.index("<nav") < page.index("<h1>What it carries")
    assert len(page) < 1_000_000
    assert page == decision_page(decided([*EIGHT, guests], SiteAsked(decide=RATE)))
    assert "ACTIVATE ISLINK" in page
    assert "Would need" in page  # loads, and the site's figures


@pytest.mark.parametrize(
    ("files", "asked", "title", "says"),
    [
        ([*SLOW, PROJECT / "LICENSE"], SiteAsked(), "A file that is not recognised", "LICENSE"),
        ([*SLOW, "nowhere.txt"], SiteAsked(), "A file that cannot be read", "nowhere.txt"),
        ([*SLOW, DECKS], SiteAsked(), "A file that cannot be read",
         "decks: is a directory; expected a file that a site has, such as an IOCP deck"),
        ([*EIGHT, LOGS / "boston.txt"], SiteAsked(), "A console or a deck of another machine",
         "boston.txt: of 4 CTCs not 2 is in the decks"),
        ([*BOTH_CECS, DECKS / "one-cec.iocp"], CABLED, "A deck of another machine", "one-cec"),
        (["two-cecs", "atlanta-boston", "published-4"], SiteAsked(), "A layout too many",
         "published-4"),
        ([*SLOW, DECKS.parent / "dpm" / "links.json"], SiteAsked(),
         "A file that is not recognised", "isfc import dpm"),
        (["two-cecs"], SiteAsked(decide=RATE), "What to order", "Which link is to carry it"),
        (["two-cecs"], SiteAsked(leave=("NOWHERE",)), "", ""),
        (["two-cecs"], SiteAsked(feature=("FICON Express8S",)), "An option that has no effect",
         "--feature: expected a console log or an IOCP deck"),
        (SLOW, SiteAsked(ran=("HL:50",)), "An option that has no effect",
         "--ran: expected figures of CTCs"),
        (["ATLANTA=published-4"], SiteAsked(), "A name that has no effect",
         "ATLANTA=published-4: a layout says itself whose it is; expected published-4"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_a_part_and_the_rest_is_made(
    files: list[Path | str], asked: SiteAsked, title: str, says: str
) -> None:
    found = decided(files, asked)
    assert found.part("What it carries").answer
    assert found.part("What is found").answer
    if title:
        assert says in wrong(found)[title]
        assert (title, wrong(found)[title]) in found.decided
    assert found.is_whole != bool(title)


@pytest.mark.parametrize(
    ("text", "asked", "title", "says"),
    [
        ("name,memory\nA,8M\n", SiteAsked(), "Guests", "line 2: expected memory, and change_rate"),
        (GUESTS.replace("ATLANTA", "NOWHERE"), SiteAsked(), "Guests", "NOWHERE"),
        (GUESTS, SiteAsked(window="00:00-00:01"), "The window", ""),
        (GUESTS.replace("8M", "16T"), SiteAsked(), "Moving the guests", "A"),
        (GUESTS.replace(",from", "").replace(",ATLANTA", ""), SiteAsked(), "Moving the guests",
         "Which system the guests leave"),
    ],
)  # fmt: skip
def test_guests_that_cannot_move_are_a_part_and_the_rest_is_made(
    tmp_path: Path, text: str, asked: SiteAsked, title: str, says: str
) -> None:
    (tmp_path / "guests.csv").write_text(text)
    layout = tmp_path / "link.toml"
    memory = "".join(f"[memory.{name}]\nfree_gib = 1\n" for name in ("ATLANTA", "BOSTON"))
    layout.write_text(
        isfc.format_collection(isfc.Collection((isfc.load_layout("atlanta-boston"),))) + memory
    )
    found = decided([tmp_path / "guests.csv", layout], asked)
    assert found.part("What it carries").answer
    assert says in wrong(found).get(title, "" if not says else "none")


@pytest.mark.parametrize(
    ("others", "says"),
    [
        ("", "ATLANTA is not empty: BUSY stays on ATLANTA: not there after MAXTOTAL, 0.01 s"),
        ("C,4M,0,BOSTON,\n", "Left behind: BUSY at ATLANTA"),
    ],
)
def test_who_stays_is_said_and_nothing_fits_then(guests: Path, others: str, says: str) -> None:
    heads = "name,memory,change_rate,from,max_total"
    guests.write_text(f"{heads}\nA,8M,1M,ATLANTA,\nBUSY,8M,1M,ATLANTA,0.01\n{others}")
    for asked in (SiteAsked(), SiteAsked(window="SUN")):
        found = decided([*EIGHT, guests], asked)
        assert wrong(found).pop("Moving the guests").startswith(says)
        assert ("Moving the guests", wrong(found)["Moving the guests"]) in found.decided
    assert wrong(found)["The window"] == "The moves do not fit into SUN: not every guest is moved."


def test_what_is_assumed_is_said_where_the_figures_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    said = " ".join(decided(BOTH_CECS, CABLED).remarks)  # of two z14
    assert "FICON Express16S+ is assumed where nothing says the chpids' feature" in said
    for link in ("two-cecs", "atlanta-boston"):
        assert not any("assumed" in each for each in decided([link], SiteAsked()).remarks)
    logs = [LOGS / "atlanta.txt", LOGS / "boston.txt"]
    said = " ".join(decided(logs, SiteAsked()).remarks)
    assert "FICON Express8S is assumed where nothing says the chpids' feature" in said
    said = " ".join(decided(logs, SiteAsked(feature=("FICON Express8S",))).remarks)
    assert "is assumed where" not in said
    note = Note(NoteKind.MACHINE, "CP is as fast as on the z10 EC.")
    planned = vars(decision_parts)["plan"]
    monkeypatch.setattr(
        decision_parts,
        "plan",
        lambda *given, **said: replace(planned(*given, **said), notes=[note]),
    )
    assert decided(logs, SiteAsked()).remarks[-1] == note.text


def test_an_order_is_a_problem_where_the_link_carries_less_than_is_wanted_with_it() -> None:
    found = decided(EIGHT, SiteAsked(decide="9000 MB/s with a chpid lost"))
    assert "ATLANTA-BOSTON carries less than is wanted" in wrong(found)["What to order"]
    assert found.part("The links as they are to be").answer


def test_a_load_that_is_not_carried_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = tmp_path / "load.csv"
    load.write_text("begin,end,ATLANTA,BOSTON\n09:00,10:00,9000,1\n")
    monkeypatch.setattr(decision_parts, "loads", lambda *_, **__: "loads")
    monkeypatch.setattr(decision_parts, "loads_failure", lambda found: f"{found}: not carried")
    found = decided(["atlanta-boston", load], SiteAsked())
    assert wrong(found) == {"The load by time": "loads: not carried"}
    assert not found.is_whole


def test_a_page_without_a_decision_gives_way_to_one_that_has_one_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "a.html"
    words = ["report", *map(str, BOTH_CECS), "--partitions", "ATLANTA,BOSTON", "-o", str(page)]
    assert run(words) == ExitCode.FAILED
    assert "<title>No decision" in page.read_text()
    told = " ".join(capsys.readouterr().err.split())
    assert told.endswith("24 cablings, of which 6 are shown, pair as many devices")
    words += ["--ports", CABLED.ports[0]]
    assert run(words) == ExitCode.GOOD
    assert "<title>Decision of" in page.read_text()
    assert run([*words, "--decide", "1 MB/s"]) == ExitCode.BAD_INPUT
    assert "a.1.html" in capsys.readouterr().err


def test_a_problem_is_one_whole_line() -> None:
    assert brief("needs scipy; install it with\n  pip install scipy") == (
        "needs scipy; install it with pip install scipy"
    )
    assert brief("several fit; expected one of\n  a\n  b") == "several fit"


def test_options_on_a_page_are_those_of_report_or_in_a_command_of_their_own(
    guests: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["report", "--help"])
    known = {*re.findall(_OPTION, capsys.readouterr().out)}
    nobody, load, pages = (tmp_path / name for name in ("nobody.csv", "load.csv", "fcx108.txt"))
    nobody.write_text(GUESTS.replace(",from", "").replace(",ATLANTA", ""))
    load.write_text("begin,ATLANTA,BOSTON\nMon 00:00,x,1\n")
    measured = DECKS.parent / "measured" / "far-fibres-1.txt"
    pages.write_text(measured.read_text().replace(".", "?", 30))
    named = dict[str, str]()
    given: list[tuple[list[Path | str], SiteAsked]] = [
        ([*EIGHT, guests, DECKS.parent / "rmf" / "channel-path-activity.txt"],
         SiteAsked(decide=RATE, window="SUN")),
        ([*EIGHT, nobody, load, pages], SiteAsked(leave=("ATLANTA",))),
        (["two-cecs", nobody], SiteAsked(decide=RATE)),
        ([*BOTH_CECS], SiteAsked()),
        ([f"BOSTON={LOGS / 'boston.txt'}"], SiteAsked()),
        ([f"ATLANTA={LOGS / 'atlanta.txt'}"], SiteAsked()),
    ]  # fmt: skip
    for files, asked in given:
        text = markdown(decision_report(decided(files, asked)))
        commands = re.findall(r"'isfc [^']*'", text)
        assert {*re.findall(_OPTION, re.sub(r"'isfc [^']*'", "", text))} <= known
        named |= {option: each for each in commands for option in re.findall(_OPTION, each)}
    assert named["--best"] == "'isfc evacuate --best'"
    assert named["--lose"] == "'isfc plan --lose'"
    assert {"--chpids", "--usable", "--without"} <= {*named}
    for option, command in named.items():  # and each is one of the command that it stands in
        run([*command.strip("'").partition(" --")[0].split()[1:], "--help"])
        assert option in capsys.readouterr().out


def test_a_layout_beside_what_is_there_is_what_is_to_be() -> None:
    found = decided(["atlanta-boston", PROJECT / "docs" / "changing" / "wider.toml"], SiteAsked())
    assert len(found.part("The change and the way back").answer.steps) == 2
    found = decided(["atlanta-boston", "atlanta-boston"], SiteAsked(decide="100 MB/s"))
    assert "Nothing: ATLANTA-BOSTON carries" in dict(found.decided)["What to order"]
    assert found.ordered is None


def test_what_is_there_is_kept_where_two_chpids_more_are_enough(tmp_path: Path) -> None:
    # three chpids of another feature were ordered, and all that there was went out
    layout = isfc.new("ATLANTA,BOSTON", "40:50,41:51", ctcs=2, feature="FICON Express4")
    (tmp_path / "now.toml").write_text(isfc.format_collection(isfc.Collection((layout,))))
    found = decided([tmp_path / "now.toml"], SiteAsked(decide="450 MB/s with a chpid lost"))
    order = dict(found.decided)["What to order"]
    assert order.startswith("2 more chpids of FICON Express8S at each system, 4 more CTCs: then ")
    (then,) = isfc.parse_links(found.ordered or "").links
    assert {*layout.ctcs} < {*then.ctcs}
    assert float(re.findall(r"carries ~?(\d+)", order)[0]) >= 450


def test_an_order_takes_numbers_that_are_free() -> None:
    collection = isfc.import_iocp(
        BOTH_CECS, partitions="ATLANTA,BOSTON", ports=CABLED.ports
    ).collection
    (link,) = collection.links
    layout = isfc.new("ATLANTA,BOSTON", "40:50,41:51", ctcs=4, feature="FICON Express16SA")
    made = with_order(collection, link, layout)
    (then,) = made.links
    assert len(then.fibres) == 2
    assert len(then.ctcs) == 8
    cards = "".join(deck.cards for deck in collection.decks)
    for fibre in then.fibres:
        assert not any(f"CSS(0),{name})" in cards for name in fibre.chpid_names)
    for ctc in then.ctcs:
        assert not any(f"ADDRESS=({name}" in cards for name in ctc.rdev_names)
    assert isfc.change(collection, made, rates=False).steps


def test_an_order_keeps_chpids_that_are_alike() -> None:
    old = isfc.new("ATLANTA,BOSTON", "40:50,41:51", ctcs=2, feature="FICON Express16SA")
    layout = isfc.new("ATLANTA,BOSTON", "60:60,61:61,62:62", ctcs=3, feature="FICON Express16SA")
    (then,) = with_order(isfc.Collection((old,)), old, layout).links
    assert [fibre.chpid_names for fibre in then.fibres] == [
        ("40", "50"),
        ("41", "51"),
        ("42", "52"),
    ]
    rdevs = sorted(ctc.rdevs[0] for ctc in then.ctcs)
    assert len(rdevs) == 9
    assert all(one < other for one, other in pairwise(rdevs))
    assert {ctc.rdevs for ctc in old.ctcs} <= {ctc.rdevs for ctc in then.ctcs}


@pytest.mark.parametrize(
    ("machines", "tried", "said"),
    [
        ((), {"FICON Express8S"}, None),
        (("z16 A01",), {"FICON Express32S"}, None),
        (("z16 A01", "z16 A01"), {"FICON Express32S"}, "z16 A01,z16 A01"),
    ],
)
def test_an_order_is_of_cards_that_the_machines_can_have(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    machines: tuple[str, ...],
    tried: set[str],
    said: str | None,
) -> None:
    asked = dict[str, Any]()

    def size(**given: Any) -> isfc.LinkSizing:
        asked.update(given)
        return ordered(**given)

    monkeypatch.setattr(decision_parts, "size", size)
    layout = tmp_path / "link.toml"
    on = "".join(
        f'{n} = "{each}"\n' for n, each in zip(("ATLANTA", "BOSTON"), machines, strict=False)
    )
    link = isfc.Collection((isfc.load_layout("atlanta-boston"),))
    layout.write_text(isfc.format_collection(link) + f"[machine]\n{on}" * bool(on))
    decided([layout], SiteAsked(decide="9000 MB/s with a chpid lost"))
    assert asked["machine"] == said
    assert ("FICON Express8S" in asked["feature"]) == (not machines)
    assert tried <= {*asked["feature"]}


def test_command_writes_the_page_and_fails_where_the_decision_is_not_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    words = ["report", *map(str, EIGHT), "-o", str(page)]
    assert run([*words, "--decide", "100 MB/s", "--json"]) == ExitCode.GOOD
    assert json.loads(capsys.readouterr().out)["files"][0]["kind"] == "an IOCP deck"
    assert page.read_text() == isfc.report(EIGHT, decide="100 MB/s")
    assert run([*words, "LICENSE", "--force"]) == ExitCode.FAILED
    assert "A file that is not recognised: LICENSE: " in capsys.readouterr().err
    with pytest.raises(ConfigurationError, match="expected such as '1000 MB/s"):
        isfc.report(EIGHT, decide="much")
    with pytest.raises(ConfigurationError, match="files: expected the paths of files"):
        isfc.report(isfc.load_layout("atlanta-boston"), decide="100 MB/s")
    with pytest.raises(ConfigurationError, match="files: expected the paths of files"):
        isfc.report([])
    with pytest.raises(ConfigurationError, match="workload HM: of one layout alone"):
        isfc.report(EIGHT, workload="HM")
