"""No figure of the model is shown without its range, or without the note that it has none.

`SHOWN` has every command that shows such figures, with what each number of its ``--json`` has:
``range``, which then stands beside it or around it, or ``note``, which is `no-range`. `INPUTS` are
numbers that are no figures of the model. A new number is in neither, and fails until somebody says
which; so does a command that is not named here.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from isfc.cli.main import run
from tests.isfc.cli.conftest import every_command, options_of
from tests.layouts import mesh

pytestmark = pytest.mark.at_length

SHORT: Final = "--seconds 0.02 --warmup 0"
INPUTS: Final = frozenset(
    "pairs seconds warmup seed seeds bytes_per_s memory_bytes size touched change_rate "
    "hot_set write_rate max_quiesce max_total quiesce_goal together at_s ctcs ctcs_left "
    "trend begin_s steps stop_short km link_gbps write_ctcs estimated_mb_per_s chpids warnings "
    "findings saturating_pairs stated_pairs share resource count left had odds "
    "nodes fewer sharing remarks candidates screened simulated defined_simulated odds_ahead "
    "best_is_ahead_odds odds_percent "
    "wanted_mb_per_s ports guests links writes gbps back cecs "
    "rows".split()
)
"""Numbers that are set, counted, by IBM's rule, or how sure something is."""
RATES: Final = (
    "mb_per_s mb_per_s_out mb_per_s_in messages_per_s messages_per_s_out messages_per_s_in"
)
PACKAGES: Final = (
    "packages_per_s_out packages_per_s_in messages_per_package_out messages_per_package_in "
    "bytes_per_package_out bytes_per_package_in tx_pend_count collisions_per_s"
)
BUSY: Final = frozenset("busy_percent waited_percent waiting".split())
"""What is said beside a limit: the note is of it, wherever it is."""
GAINS: Final = {"left_share": "left_share_range"}
"""What is so many times another figure, and its range: that of a rate beside it is another."""
MOVED: Final = "seconds longest_stop stopped"
PASSES: Final = "io_per_s length begin_ns end_ns state_length changed_length moved"
BESIDE: Final = "left alone_exchanges_per_s meanwhile_exchanges_per_s"


class Shown(NamedTuple):
    """A command line, and which numbers of its JSON have a range, and which the note."""

    line: str
    ranged: str
    noted: str = ""
    slow: bool = False


ALL: Final = "*"
RUN: Final = Shown(
    f"run published-4 --workload HM --pairs 2 {SHORT} --notes",
    f"{RATES} rdev_util_percent cpu_percent_per_msg disc_ms conn_ms serv_ms",
    f"{PACKAGES} io_per_s pend_ms",
)
SHOWN: Final = {
    "run": RUN,
    "run, together": Shown(
        f"run MESH --traffic S1-S2:HM:2 {SHORT} --notes",
        RATES,
        "collisions_per_s channels paths",

    ),
    "run, faults": Shown(
        "run published-4 --workload HM --pairs 2 --fault-seed 1 --seconds 0.2 --notes", "", ALL
    ),
    "sweep": Shown(
        "sweep GRID --jobs 1 --notes",
        f"{RATES} rdev_util_percent cpu_percent_per_msg",
        f"{PACKAGES} spread_percent",
    ),
    "relocate": Shown(
        "relocate published-4 --memory 16M --change-rate 20M --background HS:2 --notes",
        MOVED,
        f"{PASSES} {BESIDE}",
        slow=True,
    ),
    "relocate, varied": Shown(
        "relocate published-4 --memory 16M --change-rate 20M --best --notes", MOVED, PASSES
    ),
    "evacuate": Shown("evacuate MESH S1 --guests GUESTS --notes", MOVED, PASSES),
    "evacuate, varied": Shown("evacuate MESH S1 --guests GUESTS --best --notes", MOVED, PASSES),
    "evacuate, rolling": Shown(
        "evacuate MESH --rolling --guests GUESTS --notes", MOVED, "changed_length"
    ),
    "collide": Shown("collide published-4 --offer-out 10 --offer-in 10 --steps 1 --notes", "", ALL),
    "io plan": Shown("io plan docs/io/two-channels.toml", "", ALL),
    "io run": Shown("io run docs/io/two-channels.toml --seconds 0.05", "", ALL),
    "io beside": Shown(
        "io beside docs/io/shared.toml HL --pairs 2 --seconds 0.05",
        "value",
        "ctc_percent_alone ctc_percent_beside disk_percent_alone disk_percent_beside "
        "io_per_s_alone io_per_s_beside response_us_alone response_us_beside",
    ),
    "io size": Shown("io size --rmf docs/io/rmf.txt", "", ALL),
    "plan": Shown(
        "plan published-1",

        "",
        slow=True,
    ),
    "plan, losses": Shown("plan published-1 --lose", "", slow=True),
    "plan, together": Shown(
        "plan MESH",
        "",
        "channels paths left_share slowest busiest", slow=True,
    ),
    "plan, losses together": Shown("plan MESH --lose", "", slow=True),
    "compare": Shown(
        "compare published-1 published-4 --workload HS --pairs 2",
        "",
        slow=True,
    ),
    "size": Shown(
        "size --mb-per-s 100 --feature Express8S --pairs 5 --jobs 1",
        "whole left",
        slow=True,
    ),
    "optimise": Shown(
        "optimise published-1 --pairs 2 --seconds 0.02 --seeds 1 --runs 1 --jobs 1",
        "forward", slow=True,
    ),
}  # fmt: skip
ELSEWHERE: Final = {
    "report": "tests/isfc/answers/page", "studio": "tests/isfc/cli/studio",
    "change": "tests/isfc/cli/change",
    "io chart": "below", "replay": "IBM's figures beside ours", "measured compare": "a site's",
    "measured fit": "a site's", "measured read": "a site's",
    "loads": "tests/isfc/answers/test_loads.py",
}  # fmt: skip
"""What shows figures of the model, and where they are looked at, or what stands beside them."""
NONE: Final = frozenset(
    "new export check show node cp up journal import ctce".split()
)  # fmt: skip
"""What shows no figure of the model: statements, findings by rule, live links, journals."""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """What lines name."""
    mesh_file, grid, guests = (tmp_path / each for each in ("mesh.toml", "grid.toml", "guests.csv"))
    mesh_file.write_text(mesh(3, shared=True, ctcs=1))
    grid.write_text(
        'seconds = 0.02\nwarmup = 0\n[grid]\nlayout = ["published-4"]\nworkload = ["HS"]\n'
        "pairs = [1]\nseed = [1]\n"
    )
    guests.write_text("name,memory,change_rate,from\nA,8M,1M,S1\n")
    return {"MESH": str(mesh_file), "GRID": str(grid), "GUESTS": str(guests)}


def words(line: str, files: dict[str, str]) -> list[str]:
    return [files.get(word, word) for word in line.split()]


def numbers(
    record: Any, names: tuple[str, ...] = (), around: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[str, ...], tuple[Any, ...]]]:
    """Every number of a document with its names, its own last, and all objects around it.

    A figure has its range, or says why it has none.
    """
    if isinstance(record, dict) and "no_range" in record:
        assert bool(record["range"]) != bool(record["no_range"]), f"{names}: no range, and no word"
    elif isinstance(record, dict):
        for key, value in record.items():
            if is_range(key) or "_sure_" in key or key in ("provenance", "profile"):
                continue
            own = [key] if key.islower() and not key[0].isdigit() else []
            yield from numbers(value, (*names, *own), (*around, record))
    elif isinstance(record, list):
        for each in record:
            yield from numbers(each, names, around)
    elif isinstance(record, int | float) and not isinstance(record, bool):
        yield names, around


def is_range(key: str) -> bool:
    return key.startswith("range") or "_range" in key or "_likely_" in key or key == "figures"


def test_every_command_is_known_to_show_figures_or_none() -> None:
    shown = {name.partition(",")[0] for name in SHOWN}
    groups = {name: name.partition(" ")[0] for name in every_command()}
    found = {group if group in NONE else name for name, group in groups.items()}
    assert found == shown | {*ELSEWHERE} | NONE


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow, pytest.mark.at_length] * shown.slow)
        for name, shown in SHOWN.items()
    ],
)
def test_each_number_has_a_range_or_the_note(
    name: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = SHOWN[name]
    line = [word for word in words(shown.line, files) if word != "--notes"]  # it is of the page
    assert run([*line, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    notes = {
        note.partition(":")[0] if isinstance(note, str) else note["kind"]
        for part in (record if isinstance(record, list) else [record])
        for note in (
            [part["notes"]] if isinstance(part.get("notes"), str) else part.get("notes", ())
        )
    }
    has_note = bool(notes & {"no-range", "No range"})
    ranged, noted = ({*each.split()} for each in (shown.ranged, shown.noted))
    for names, around in numbers(record):
        if ALL in noted or (noted | BUSY) & {*names}:
            assert has_note, f"{names}: no note"
        elif gains := GAINS.keys() & {*names[-2:]}:
            own = {GAINS[each] for each in gains}
            assert any(own & each.keys() for each in around), f"{names}: no range of its own"
        elif ranged & {*names[-2:]}:
            beside = (key for each in around for key in each)
            is_nothing = not around[-1].get(names[-1])
            assert any(map(is_range, beside)) or is_nothing, f"{names}: no range"
        else:
            assert names[-1] in INPUTS, f"{names}: give it a range, or name it in a note"


@pytest.mark.parametrize("name", [name for name, shown in SHOWN.items() if not shown.slow])
def test_each_page_has_ranges_and_the_note_once(
    name: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    shown, options = SHOWN[name], options_of(name.partition(",")[0])
    assert run([*words(shown.line, files), *["--notes"] * ("notes" in options)]) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert bool(shown.ranged) == ("A range holds in four of five cases" in page)
    assert page.count("No range: ") == bool(shown.noted)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sweep GRID --jobs 1 --plot FILE", "four of five cases"),
        ("sweep GRID --jobs 1 --y collisions_per_s --plot FILE", "without a range"),
        ("io chart response --plot FILE", "without a range"),
    ],
)
def test_each_picture_has_bars_or_says_that_it_has_none(
    line: str, said: str, files: dict[str, str], tmp_path: Path
) -> None:
    picture = tmp_path / "a.svg"
    assert run(words(line, {**files, "FILE": str(picture)})) == 0
    assert said in picture.read_text("utf-8")
