"""docs/relocation.md shows what guests that are moved come to now."""

import re
from typing import Final

import pytest

from isfc.link.schedule import CTCS_MAX
from scenarios.guest_memory import KNOWN_GUESTS
from scenarios.relocated_guest import IO_CHANGED_LENGTH, MESSAGE_LENGTH, STATE_LENGTH
from scenarios.relocation import WINDOW
from scenarios.relocation_study import NOISE_SHARE_MIN, NOISE_WINDOWS
from scenarios.vmrelocate import PASSES_MAX, QUIESCE_GOAL_S, QUIESCE_MAX_S, SECONDS_MAX
from scenarios.workload import find_workload
from tools.pages.relocation import BEGIN, END, PAGE, renewed


@pytest.mark.slow
def test_the_page_is_what_the_model_gives_now() -> None:
    text = PAGE.read_text("utf-8")
    assert BEGIN in text
    assert END in text
    assert renewed(text) == text, "run: make docs"


TEXT: Final = " ".join(PAGE.read_text("utf-8").split())
MIB: Final = 2**20


def stands(*sentences: str) -> None:
    for sentence in sentences:
        assert sentence in TEXT


def test_defaults_and_limits_are_those_of_the_code() -> None:
    stands(
        f"what is left takes so long to move; {QUIESCE_GOAL_S:g} s |",
        f"is stopped for longer is given up; {QUIESCE_MAX_S:g} s, and no limit",
        f"memory messages of a guest outstanding; {WINDOW} |",
        f"and after {PASSES_MAX} passes; with `--immediate` after one.",
        f"| when pre-copy ends: {QUIESCE_GOAL_S:g} s, {PASSES_MAX} passes |",
        f"limits up to {SECONDS_MAX:,.0f} s |",
        f"are added, {CTCS_MAX} CTCs in all:",
    )


def test_lengths_of_what_is_moved_are_those_of_the_code() -> None:
    stands(
        f"Memory goes in messages of {MESSAGE_LENGTH:,} bytes,",
        f"| messages of {MESSAGE_LENGTH:,} bytes |",
        f"devices ({STATE_LENGTH // MIB} MiB);",
        f"have changed meanwhile ({IO_CHANGED_LENGTH // MIB} MiB,",
        f"| {STATE_LENGTH // MIB} MiB of them,",
        f"and {IO_CHANGED_LENGTH // MIB} MiB for the last pass |",
        f"| {WINDOW} messages outstanding | assumed: {WINDOW // 2} pairs of HL have as many",
    )
    assert find_workload("HL").window * (WINDOW // 2) == WINDOW
    assert find_workload("HL").max_length == MESSAGE_LENGTH


def test_noise_that_a_shorter_stop_is_beyond() -> None:
    assert NOISE_WINDOWS == (-0.1, 0.1)
    stands(
        f"and {NOISE_SHARE_MIN:.0%}".replace("%", " %") + " at best.",
        "a window that is a tenth less or more,",
    )


@pytest.mark.parametrize("kind", KNOWN_GUESTS)
def test_guests_of_ibm_are_those_of_the_code(kind: str) -> None:
    memory = KNOWN_GUESTS[kind].memory
    (row,) = re.findall(rf"^\| `{kind}` \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    whole, touched, changes, _ = row.split(" | ")
    assert whole == f"{memory.size / 2**30:g} GiB"
    of_all = memory.touched == memory.size
    assert touched == ("all" if of_all else f"{memory.touched // MIB:,} MiB")
    expected = (
        f"hot set of {memory.hot_set // MIB:,} MiB at {memory.write_rate // MIB:,} MB/s"
        if memory.hot_set
        else f"{memory.change_rate // MIB} MB/s, evenly"
    )
    assert changes == expected


def test_ios_a_second_are_as_far_above_ibms_as_the_table_says() -> None:
    rows = re.findall(r"^\| lgr-0[23] \|.*\| (\S+ %) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len({*rows}) == 1
    stands(f"The I/Os a second of a writer are {rows[0].removeprefix('+')} more than IBM's.")
    java = re.search(r"\| 86 % \| (\S+) \|", TEXT)
    assert java is not None
    assert round(float(java[1])) == 86
