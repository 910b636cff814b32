"""One channel as both ends of a fibre: its figures are right where that is said, else marked."""

from pathlib import Path

import pytest

from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.sharing import carried_by
from scenarios.figures.glance import SEEDS, glances
from scenarios.runs.experiment import Experiment, in_turn
from scenarios.runs.workload import LinkLoad, find_workload
from tests.isfc.printed import Printed, Recorded

LINK = """\
[fibre.1]
feature = "FICON Express4"
chpid = { NORTH = "4A", SOUTH = "4A" }

[[ctc]]
fibre = "1"
rdevs = { NORTH = "E000-E003", SOUTH = "E000-E003" }
"""
SHARED = '\n[[shared_channel]]\nchpid = { NORTH = "4A", SOUTH = "4A" }\n'
TWO_CECS = '\n[cec.A]\nsystems = ["NORTH"]\n\n[cec.B]\nsystems = ["SOUTH"]\n'
NOTE = "The figures are of two channels where chpid 4A at NORTH and SOUTH may be one"
RUN = ["--workload", "HL", "--pairs", "20", "--seconds", "0.5"]


def file(folder: Path, text: str) -> str:
    path = folder / "link.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["run", *RUN],
        ["relocate", "--memory", "8M", "--change-rate", "1M"],
        ["plan"],
        ["plan", "--rule"],
    ],
)
@pytest.mark.parametrize(("more", "marked"), [("", 1), (SHARED, 0), (TWO_CECS, 0)])
def test_figures_of_what_may_be_one_channel_are_marked_once(
    command: list[str], more: str, marked: int, tmp_path: Path, printed: Printed
) -> None:
    # they were those of two channels, to the last digit, without a word
    assert (
        " ".join(printed(command[0], file(tmp_path, LINK + more), *command[1:]).split()).count(NOTE)
        == marked
    )


@pytest.mark.at_length
def test_one_channel_as_both_ends_carries_less_than_two(tmp_path: Path, recorded: Recorded) -> None:
    carried = []
    for more in (SHARED, TWO_CECS):
        record = recorded("run", file(tmp_path, LINK + more), *RUN)
        carried.append(record["mb_per_s_out"] + record["mb_per_s_in"])
    straight, two = carried
    assert straight < 0.7 * two


def test_show_says_which_ends_are_one_channel(tmp_path: Path, printed: Printed) -> None:
    assert "NORTH 4A = SOUTH 4A" in printed("show", file(tmp_path, LINK + SHARED))
    assert (
        printed("export", file(tmp_path, LINK + SHARED), "--as", "toml").lstrip() == LINK + SHARED
    )


@pytest.mark.at_length
def test_the_channel_is_as_busy_by_itself_as_with_all_that_the_file_says() -> None:
    # "busy 45 %" in a plan, and 91 % in a comparison: that of one of its ends, and of both
    of_file = parse_collection(LINK + SHARED)
    (link,) = of_file.links
    by_itself = Collection.of(link)
    assert [*carried_by(by_itself)] == [*carried_by(of_file)]
    busy = []
    for collection in (of_file, by_itself):
        load = LinkLoad(*link.nodes, find_workload("HL"), 20)
        ((glance,),) = glances([Experiment(collection, (load,))], in_turn, SEEDS[:1])
        busy.append(glance.busy)
    assert busy[0] == busy[1]
