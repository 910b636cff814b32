"""Workloads: those with a name, those of one's own, and what is no workload."""

import re

import pytest

from isfc.errors import ConfigurationError
from isfc.link.message import Traffic
from scenarios.runs.own_workload import MESSAGE_LENGTH_MAX
from scenarios.runs.workload import (
    ANSWER_AREA_LENGTH,
    TRANSPORT_WINDOW,
    WINDOW_MAX,
    WORKLOADS,
    Workload,
    find_workload,
    free_workload,
    workload_usage,
)


# derived: HY runs at half of HM's pace with one pair and with fifty
@pytest.mark.parametrize(("name", "replies_max"), [("HS", 2), ("HM", 2), ("HL", 2), ("HY", 1)])
def test_suites_are_of_transport_and_only_hy_has_less_room_than_its_window(
    name: str, replies_max: int
) -> None:
    found = find_workload(name)  # test_companion.py holds its lengths to the report's
    assert (found.name, found.window, found.traffic) == (name, TRANSPORT_WINDOW, Traffic.TRANSPORT)
    assert found.replies_max == replies_max


@pytest.mark.parametrize("length", [1, 1_000, 1_000_000])
def test_cdu_is_strict_request_and_reply_over_appc(length: int) -> None:
    found = find_workload(f"CDU:{length}")
    assert (found.reply_length, found.window, found.traffic) == (length, 1, Traffic.LEGACY)


@pytest.mark.parametrize(
    ("reply_length", "window", "replies_max"),
    [
        (1, 1, 1),
        (1, WINDOW_MAX, WINDOW_MAX),
        (ANSWER_AREA_LENGTH // 3, 5, 3),
        (ANSWER_AREA_LENGTH // 3 + 1, 5, 2),
        (ANSWER_AREA_LENGTH, 5, 1),
        (ANSWER_AREA_LENGTH + 1, 5, 1),  # one always
        (MESSAGE_LENGTH_MAX, WINDOW_MAX, 1),
    ],
)
def test_replies_fill_the_answer_area_and_no_more(
    reply_length: int, window: int, replies_max: int
) -> None:
    assert free_workload("1:1:0", reply_length, window).replies_max == replies_max


def test_appc_has_no_answer_area() -> None:
    workload = Workload("own", 1, 1, 0, MESSAGE_LENGTH_MAX, 3, Traffic.LEGACY)
    assert workload.replies_max == 3


@pytest.mark.parametrize(
    "name",
    ["", "HX", "CDU", "CDU:", "CDU:-1", "CDU:1e3", "CDU:٣", "CDU:9999999999", "HL:5", "H" * 1_000],
)
def test_unknown_name_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        find_workload(name)
    assert str(caught.value) == f"workload {name[:40]!r} is unknown: expected {workload_usage()}"


def test_usage_names_every_workload_and_the_operand_of_a_family() -> None:
    named = re.split(", | or ", workload_usage())
    assert [name.partition(":")[0] for name in named] == [*WORKLOADS, "FILE.toml"]
    assert "CDU:<reply bytes>" in named


def test_own_workload_has_what_was_asked_for() -> None:
    workload = free_workload("512:8192:12.5", 2_048, 7)
    assert (workload.min_length, workload.max_length, workload.min_percent) == (512, 8_192, 12.5)
    assert (workload.reply_length, workload.window) == (2_048, 7)
    assert workload.traffic is Traffic.TRANSPORT
    assert free_workload("1:1:0", 1).window == TRANSPORT_WINDOW


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        (
            ["", "512", "512:8192", "512:8192:20:1", "a:8192:20", "1.5:2:20", "1:2:x", "::"],
            "expected MIN:MAX:PERCENT, such as 512:8192:20",
        ),
        (["1:2:nan", "1:2:inf", "1:2:-inf", "1:2:-1", "1:2:100.1"], "PERCENT"),
    ],
)
def test_message_that_is_no_min_max_percent_is_refused(messages: list[str], complaint: str) -> None:
    for message in messages:
        with pytest.raises(ConfigurationError, match=complaint):
            free_workload(message, 1)


@pytest.mark.parametrize(
    ("minimum", "maximum", "reply_length", "window", "complaint"),
    [
        (0, 2, 1, 1, "expected 1 <= MIN <= MAX"),
        (-1, 2, 1, 1, "expected 1 <= MIN <= MAX"),
        (3, 2, 1, 1, "expected 1 <= MIN <= MAX"),
        (1, 2, 0, 1, "reply"),
        (1, 2, 1, 0, "window"),
        (1, 2, 1, WINDOW_MAX + 1, "window"),
        (1, MESSAGE_LENGTH_MAX + 1, 1, 1, "at most"),
        (1, 2, MESSAGE_LENGTH_MAX + 1, 1, "at most"),
    ],
)
def test_workload_beyond_its_bounds_is_refused(
    minimum: int, maximum: int, reply_length: int, window: int, complaint: str
) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        Workload("own", minimum, maximum, 50, reply_length, window)


def test_workload_may_be_at_its_bounds() -> None:
    workload = Workload(
        "own", 1, MESSAGE_LENGTH_MAX, 100, MESSAGE_LENGTH_MAX, WINDOW_MAX, Traffic.LEGACY
    )
    assert workload.max_length == workload.reply_length == MESSAGE_LENGTH_MAX


@pytest.mark.parametrize(("typed", "name"), [("hl", "HL"), ("Hy", "HY"), ("cdu:1000", "CDU:1000")])
def test_workload_is_known_in_any_case(typed: str, name: str) -> None:
    assert find_workload(typed) == find_workload(name)
    assert find_workload(typed).name == name
