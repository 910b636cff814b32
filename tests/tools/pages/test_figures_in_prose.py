"""Figures in the sentences of pages are those of the tables beside them, or of the constants."""

import csv
import math
import re
from typing import Final

import pytest
from hypothesis import settings

from isfc.cli.options.live import LAG_PERCENT
from isfc.layout.site import CONSTANTS, FACTOR_MAX
from isfc.link.package import BACKLOG_LENGTH_MAX
from isfc.link.parameters import LinkParameters
from isfc.link.segment import UNFINISHED_LENGTH_MAX
from isfc.link.sequence import HELD_LENGTH_MAX
from isfc.live import keepalive
from isfc.live.buffers import KEPT_LENGTH, KEPT_MAX
from isfc.live.connection import UNSENT_LENGTH_MAX
from isfc.live.engine import RECONNECT_S
from isfc.live.late_file import WAITING_LENGTH_MAX
from isfc.live.link_port import REMIND_S, RETRY_S_MAX, RETRY_S_MIN
from isfc.live.pending import GREETING_S, UNGREETED_MAX
from isfc.live.service import CONNECT_S
from isfc.measured.monwrite import FRAME_LENGTH
from isfc.measured.seen import APART_S
from isfc.programs.protocol import LINK_LENGTH
from isfc.search.site_fit import ROUNDS
from scenarios.fault_run import RECOVERED_SHARE, SLICE_NS
from scenarios.faults import DRAWN_COUNT
from scenarios.guests import START_SPREAD_NS
from scenarios.injection import REPAIR_NS
from scenarios.published.companion import load_table
from scenarios.site_compare import BUSY_LEAST, ROUNDING_MAX
from scenarios.workload import find_workload
from tools.calibration.bounds import SEEDS_OF_LENGTH
from tools.pages.console import PROJECT
from tools.simulation.explore import long_worlds, quick_worlds

DOCS: Final = PROJECT / "docs"
MIB: Final = 2**20
MS: Final = 1_000_000
WORDS: Final = "none one two three four five six seven eight nine ten".split()


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


def stands(name: str, *sentences: str) -> None:
    text = " ".join(page(name).split())
    assert [sentence for sentence in sentences if sentence not in text] == []


def number(text: str) -> int:
    return int(text.replace(",", ""))


def emulated(table: str, measure: str) -> dict[str, tuple[float, float]]:
    """By row: IBM's figure and ours, as the page on fidelity has them."""
    lines = (DOCS / "fidelity.csv").read_text("utf-8").splitlines()
    return {
        row["key"]: (float(row["published"]), float(row["emulated"]))
        for row in csv.DictReader(lines)
        if (row["table"], row["measure"]) == (table, measure)
    }


def test_faults_have_the_constants_of_the_injection() -> None:
    stands(
        "faults",
        f"draws {WORDS[DRAWN_COUNT]} faults of every kind but `gap` from a seed",
        f"divided into intervals of {SLICE_NS // MS} ms.",
        f"`recovered` is the time from the end of the fault to the first interval whose MB/s "
        f"reach {RECOVERED_SHARE:.0%} of `before`".replace("%", " %"),
        f"the CTC goes down for {REPAIR_NS // MS} ms",
        f"by a missing interrupt, after {LinkParameters().mih_ns // (1000 * MS)} s",
    )


def test_a_ctc_of_the_run_with_faults_is_down_for_as_long_as_the_page_says() -> None:
    down, again = (
        float(at)
        for at in re.findall(
            r"^ +(2\.4\d+) both +6001 (?:is down|can be used)$", page("faults"), re.MULTILINE
        )
    )
    assert again - down == pytest.approx(REPAIR_NS / 1e9, abs=5e-6)


def test_replies_of_replay_are_in_so_many_times_as_many_packages() -> None:
    factors = [ours / ibms for ibms, ours in emulated("link_activity", "read_pkgs_per_s").values()]
    least, most = WORDS[math.floor(min(factors))], WORDS[math.ceil(max(factors))]
    stands("replay", f"sends its replies in {least} to {most} times as many packages")
    messages = emulated("link_activity", "read_msgs_per_pkg").values()
    assert all(ours < ibms for ibms, ours in messages)  # "with fewer messages each"


def test_collisions_of_replay_are_those_of_the_rows() -> None:
    found = [
        figures
        for key, figures in emulated("transport", "collisions_per_s").items()
        if key.split("/")[1] != "1"
    ]
    many = [max(ours / ibms, ibms / ours) for ibms, ours in found if ibms >= 20]
    quiet = [ours for ibms, ours in found if ibms <= 0.2]
    stands(
        "replay",
        f"20 a second or more in {WORDS[len(many)]} rows of several CTCs. Ours are within a "
        f"factor 2 in {WORDS[sum(factor <= 2 for factor in many)]} of these rows",
        f"at most 0.2 a second in {len(quiet)} rows. "
        f"{WORDS[sum(ours > 2 for ours in quiet)].title()} of these rows have more than 2 a second",
    )


def test_replay_counts_the_published_runs_and_says_from_which_length_bounds_hold() -> None:
    stands(
        "replay",
        f"the {len(load_table('transport').rows)} ISFC Transport runs",
        f"for every `--seconds` from {min(SEEDS_OF_LENGTH):g} on",
    )


def test_measured_has_the_constants_of_reading_comparing_and_fitting() -> None:
    assert (FACTOR_MAX, ROUNDING_MAX) == (4, 0.1)
    stands(
        "measured",
        f"intervals that end within {APART_S} seconds of each other",
        f"busy for less than {BUSY_LEAST:g} %, or where rounding alone makes a tenth",
        f"{WORDS[len(CONSTANTS)].title()} constants are scaled",
        f"The model is run at {sum(count for _, count in ROUNDS)} points",
        "between a quarter and four",
        f"in records of {FRAME_LENGTH} bytes",
    )


def test_fitted_transfer_of_measured_is_that_of_the_site() -> None:
    (found,) = re.findall(r"^transfer +(\S+) ", page("measured"), re.MULTILINE)
    stands("measured", "Its feature is 30 % slower", f"1 / 0.7 = {1 / 0.7:.2f} times as long")
    assert found == f"{1 / 0.7:.2f}"


def test_live_has_the_bounds_and_times_of_its_constants() -> None:
    parameters = LinkParameters()
    stands(
        "live",
        f"it reconnects by itself, after {RETRY_S_MIN:g} to {RETRY_S_MAX:g} s",
        f"for `--reconnect` seconds ({RECONNECT_S:g})",
        f"and tries again every {RETRY_S_MAX:g} s in the end",
        f"the missing-interrupt interval ({parameters.mih_ns // (1000 * MS)} s of the model)",
        f"given up when {UNSENT_LENGTH_MAX // MIB} MiB wait for it",
        f"TCP asks after {keepalive.IDLE_S} s of silence, and gives up after "
        f"{keepalive.UNCONFIRMED_MS // 1000} s",
        f"TCP gives it up after {keepalive.UNCONFIRMED_MS // 1000} s",
        f"to that name fail after {CONNECT_S:g} s",
        f"at most {LINK_LENGTH // MIB} MiB of them all are in the link",
        f"keeps {KEPT_MAX} of {KEPT_LENGTH // MIB} MiB to use again",
        f"at most {HELD_LENGTH_MAX // MIB} MiB, and {UNFINISHED_LENGTH_MAX // MIB} MiB of messages",
        f"no greeting within {GREETING_S:g} s",
        f"more than {UNGREETED_MAX} connections greeting",
        f"after {GREETING_S:g} s, and then each minute, the log says why",
        f"when {WAITING_LENGTH_MAX // MIB} MiB wait, the journal stops",
        f"Where it exceeds {LAG_PERCENT:g} %, take a larger K",
    )
    assert REMIND_S == 60
    assert BACKLOG_LENGTH_MAX == HELD_LENGTH_MAX


def test_live_names_the_rates_of_the_cluster_that_it_points_to() -> None:
    (alone, together), *_ = re.findall(
        r"^ALPHA-BETA +(\d+) +\d+ +(\d+) ", page("cluster"), re.MULTILINE
    )
    stands("live", f"[{alone} MB/s instead of {together}](cluster.md")


def test_measurements_of_machines_say_when_they_were_made() -> None:
    stands(
        "live",
        "The figures of this section are measurements of one machine",
        "The first two tables were measured on 26 November 2026",
        "in each process, on 26 November 2026:",
        "are one write each was measured on 26 November 2026",
        "Memory was measured on 24 November 2026",
    )
    figures = page("reliability").partition("\n## Figures\n")[2].partition("\n## ")[0]
    assert "are measurements of November 2026, on two shared x86-64 cores" in " ".join(
        figures.split()
    )
    for what in ("`make chaos ", "Exploration, ", "Three systems", "The swarm, ", "`make simulate`",
                 "`make fuzz`", "Mutation, "):  # fmt: skip
        (paragraph,) = (
            each for each in figures.split("\n\n") if what in each and not each.startswith("|")
        )
        assert re.search(r"\b2\d November\b", paragraph), what


def test_reliability_books_of_chaos_balance() -> None:
    text = " ".join(page("reliability").split())
    (said,) = re.findall(r"([\d,]+) faults \((.*?)\)\.", text)
    kinds = [number(each) for each in re.findall(r"(?:^|; |, )([\d,]+) (?!of them)", said[1])]
    assert sum(kinds) == number(said[0])
    sent, delivered, reported = (
        [number(each) for each in found]
        for found in (
            re.findall(r"systems sent ([\d,]+) and ([\d,]+) messages", text)[0],
            re.findall(r"Of those, ([\d,]+) and ([\d,]+) were delivered", text)[0],
            re.findall(r"delivered; ([\d,]+) and ([\d,]+) were reported", text)[0],
        )
    )
    assert [sum(each) for each in zip(delivered, reported, strict=True)] == sent


def test_reliability_faults_of_the_swarm_are_the_sum_of_their_kinds() -> None:
    text = page("reliability")
    kinds = re.findall(r"^\| … .* \| ([\d,]+) \|$", text, re.MULTILINE)
    (faults,) = re.findall(r"^\| faults \| ([\d,]+) \|$", text, re.MULTILINE)
    assert sum(map(number, kinds)) == number(faults)


def test_reliability_survivors_are_those_of_the_mutants() -> None:
    text = page("reliability")
    rows = re.findall(r"^\| `\w+`.*? \| (\d+) \| (\d+)(?: \(([\d.]+) %\))? \|$", text, re.MULTILINE)
    assert len(rows) == 6
    survivors = sum(int(mutants) - int(killed) for mutants, killed, _ in rows)
    stands("reliability", f"The {survivors} survivors changed nothing that could be seen.")
    for mutants, killed, percent in rows:
        assert (percent or "100.0") == f"{100 * int(killed) / int(mutants):.1f}"
    (changes,) = re.findall(r"(\d+) changes of entries.*?first (\d+) and the\s+other (\d+)", text)
    assert int(changes[0]) == int(changes[1]) + int(changes[2])


def test_reliability_states_of_three_systems_are_powers_of_a_pairs() -> None:
    rows = re.findall(r"^\| [23] links of [^|]* \| ([\d,]+) \| ", page("reliability"), re.MULTILINE)
    assert [number(states) for states in rows] == [21**3, 224**2, 224**3]
    stands("reliability", "That is 21³, 224² and 224³ for a pair's 21 and 224 states")


def test_reliability_counts_the_worlds_of_make_explore() -> None:
    worlds = len([*quick_worlds(), *long_worlds()])
    stands(
        "reliability",
        f"128 of the {worlds} worlds of `make explore`",
        f"The {WORDS[worlds - 128]} that have not been visited",
        f"was explored in all {worlds} worlds",
    )


def test_reliability_has_the_examples_of_the_profiles() -> None:
    ci, nightly = (settings.get_profile(name).max_examples for name in ("ci", "nightly"))
    stands("reliability", f"{ci} examples each in `.ci/run`, {nightly:,} each with `make")


def test_seeds_hardly_differ_where_messages_have_one_length() -> None:
    # a sweep of HY over 0.3 s said a spread of 0.0, and 3 s were 0.7 % off
    alike = {name for name in ("HS", "HM", "HL", "HY", "CDU:1000") if _one_length(name)}
    assert alike == {"HY", "CDU:1000"}
    for name in ("compare", "sweep"):
        stands(name, "Where all messages have one length, as those of HY and CDU,")
    stands("compare", f"starts: within {START_SPREAD_NS // 1000} us of the others.")


def _one_length(name: str) -> bool:
    workload = find_workload(name)
    return workload.min_length == workload.max_length
