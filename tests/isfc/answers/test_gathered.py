"""What a site's files make: what follows from them, what is asked, and which console counts."""

from pathlib import Path

import pytest

import isfc
from isfc.answers.decision import decided
from isfc.answers.site_asked import SiteAsked, SiteQuestion
from tests.decks import LOGS
from tests.isfc.answers.deciding import by_rule
from tests.isfc.answers.test_decision import BOTH_CECS, CABLED, GUESTS, SLOW, wrong

pytestmark = pytest.mark.at_length


@pytest.fixture(autouse=True)
def _without_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    by_rule(monkeypatch)


def test_what_has_to_be_known_is_asked_or_names_its_options() -> None:
    found = decided(BOTH_CECS, SiteAsked())
    (part,) = found.parts
    assert part.options == ("--partitions NAME,NAME",)
    assert part.problem.endswith("of ATLANTA, AUSTIN, BOSTON, BUTTE")  # ALBANY has no CTC
    found = decided(BOTH_CECS, SiteAsked("ATLANTA,BOSTON"))
    (part,) = found.parts
    assert part.title == "How it is cabled"
    assert part.options[0].startswith("--ports ATLANTA:50=C0,")
    asked = list[str]()

    def answer(question: SiteQuestion) -> str:
        asked.append(question.option)
        return ",".join(question.choices[:: len(question.choices) // question.least][:2])

    found = decided(BOTH_CECS, SiteAsked(), ask=answer)
    assert found.is_whole
    assert asked == ["partitions", "ports"]
    assert dict(found.decided)["Carries"]


def test_all_that_has_to_be_known_is_asked_at_once(tmp_path: Path) -> None:
    guests = tmp_path / "guests.csv"
    guests.write_text(GUESTS.replace(",from", "").replace(",ATLANTA", ""))
    assert {*wrong(decided([*BOTH_CECS, guests], SiteAsked()))} == {
        "Which partitions",
        "Moving the guests",
    }
    named = SiteAsked("ATLANTA,BOSTON")
    found = decided([*BOTH_CECS, guests], named)
    assert {*wrong(found)} == {"How it is cabled", "Moving the guests"}
    assert wrong(found)["How it is cabled"].endswith(
        "24 cablings, of which 6 are shown, pair as many devices"
    )


def console(
    path: Path, collection: isfc.Collection, states: dict[str, str], front: str = ""
) -> Path:
    """What the first system shows of a link, the CTCs Up but for those that are said."""
    (link,) = collection.links
    lines = [
        f"{front}Link device: {near} Type: FCTC\n{front}Node: {link.nodes[1]}\n"
        f"{front}State: {states.get(near, 'Up')} Remote link device: {far}\n"
        for near, far in (ctc.rdev_names for ctc in link.ctcs)
    ]
    path.write_text("".join(lines))
    return path


def test_consoles_say_which_partitions_are_joined_and_how_they_are_cabled(tmp_path: Path) -> None:
    wanted = isfc.import_iocp(BOTH_CECS, partitions="ATLANTA,BOSTON", ports=CABLED.ports)
    log = console(tmp_path / "atlanta.txt", wanted.collection, {})
    found = decided([*BOTH_CECS, f"ATLANTA={log}"], SiteAsked())
    assert found.is_whole
    (link,) = isfc.parse_links(found.layout or "").links
    assert link.ctcs == wanted.collection.links[0].ctcs
    said = " ".join(found.remarks)
    assert "ATLANTA and BOSTON are joined, as the console logs name them" in said
    assert "It is cabled as the mates are that the console logs show: --ports ATLANTA:50=" in said


def test_partitions_that_guests_and_options_name_are_those_that_are_joined(tmp_path: Path) -> None:
    guests = tmp_path / "guests.csv"
    guests.write_text(GUESTS + "C,4M,0,BOSTON\n")
    found = decided([*BOTH_CECS, guests], SiteAsked())
    assert [*wrong(found)] == ["How it is cabled"]
    assert found.remarks[0].startswith("ATLANTA and BOSTON are joined, as the files and options")


def test_partitions_are_not_asked_where_only_two_have_ctcs_that_meet(tmp_path: Path) -> None:
    other = tmp_path / "atlanta.iocp"
    deck = SLOW[0].read_text()
    other.write_text(deck.replace("(ATLANTA,1)", "(ATLANTA,1),(TEST,9)"))
    assert other.read_text() != deck
    found = decided([other, SLOW[1]], SiteAsked())
    assert found.is_whole
    assert "are joined, as no others have CTCs that lead to each other" in found.remarks[0]


def test_consoles_choose_among_the_ctcs_of_decks() -> None:
    found = decided([*SLOW, LOGS / "atlanta.txt", LOGS / "boston.txt"], SiteAsked())
    (link,) = isfc.parse_links(found.layout or "").links
    assert {ctc.rdev_names[0] for ctc in link.ctcs} == {"6000", "6001", "6020", "6021"}
    assert "the consoles show 4 of the 8 CTCs" in found.remarks[-1]


def test_what_is_down_is_first_with_what_is_carried_as_it_is_and_with_all_up(
    tmp_path: Path,
) -> None:
    logs = [LOGS / "atlanta.txt", LOGS / "boston.txt"]
    found = decided([*SLOW, *logs], SiteAsked(decide="100 MB/s"))
    counted = "State: Down, and counted as if Up: 6021 to BOSTON"
    assert f"{logs[0]}: {counted}" in found.remarks
    said = "1 of 4 CTCs is Down by the logs: 350 MB/s, and 80 MB/s with chpid 40 (mate 50) gone"
    assert found.decided[0] == (
        "As it is now",
        f"{said}; with all Up, as in all that follows, 525 MB/s.",
    )
    assert found.part("As it is now").answer.whole.ctcs_left == 3
    assert dict(found.decided)["What to order"].endswith(", once every CTC is Up.")
    alone = decided([f"ATLANTA={logs[0]}", f"BOSTON={logs[1]}"], SiteAsked())
    assert f"ATLANTA-BOSTON: {counted}, 7021 to ATLANTA" in alone.remarks
    assert {*wrong(alone)} == {"As it is now"}
    links = isfc.import_iocp(SLOW).collection
    own = wrong(decided([f"ATLANTA={logs[0]}"], SiteAsked()))["CTCs that are Down"]
    assert own.endswith("1 CTC Down, of which no mate is known: what follows is without them")
    every = {ctc.rdev_names[0]: "Down" for ctc in links.links[0].ctcs}
    log = console(tmp_path / "atlanta.txt", links, every)
    assert "no link is up" in wrong(decided([*SLOW, log], SiteAsked()))["As it is now"]


def test_of_two_logs_of_one_system_the_later_counts_or_it_is_said_that_none_is(
    tmp_path: Path,
) -> None:
    links = isfc.import_iocp(SLOW).collection
    (link,) = links.links
    first, rest = ([*link.ctcs[:2]], [*link.ctcs[2:]])
    older, newer = (
        isfc.Collection((link.with_ctcs(tuple(ctcs)),)) for ctcs in (first, rest)
    )  # which have no device in common
    one = console(tmp_path / "one.txt", older, {}, "10:00:00 ")
    other = console(tmp_path / "other.txt", newer, {}, "09:59:59 ")
    for files in ([one, other], [other, one]):
        found = decided([*SLOW, *files], SiteAsked())
        assert found.is_whole
        said = f"the later counts, if they are of one day, and {other} is left out, which ends at"
        assert any(said in each for each in found.remarks)
        assert len(isfc.parse_links(found.layout or "").links[0].ctcs) == len(first)
    console(one, older, {})
    found = decided([*SLOW, one, other], SiteAsked())
    assert (
        f"the last that is given counts, and {one} is left"
        in wrong(found)["Two logs of one system"]
    )
    assert len(isfc.parse_links(found.layout or "").links[0].ctcs) == len(rest)


def test_what_is_given_twice_is_read_once(tmp_path: Path) -> None:
    log, copy = LOGS / "atlanta.txt", tmp_path / "copy.txt"
    copy.write_bytes(log.read_bytes())
    found = decided([*SLOW, SLOW[0], log, copy], SiteAsked())
    assert {*wrong(found)} == {"As it is now"}
    assert [each.said for each in found.files] == ["given twice", "", "", f"the same as {log}"]
    assert f"{copy}: the same as {log}, and read once." in found.remarks


def test_a_deck_of_one_partition_is_not_asked_which_partitions() -> None:
    asked = list[SiteQuestion]()
    found = decided(SLOW[:1], SiteAsked(), ask=asked.append)
    assert not asked
    (problem,) = wrong(found).values()
    assert problem.startswith("there is no partition but ATLANTA, and a link joins two systems")
    assert not found.parts[0].options
