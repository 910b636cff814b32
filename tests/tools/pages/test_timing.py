"""Sentences of the page on timing say what IBM's tables and the model's constants come to.

Each test reads its figures from the page, and computes them from the published tables.
"""

import csv
import re
from math import ceil, comb
from typing import Final

import pytest

from ctc.profiles import FEATURES
from isfc.layout.catalogue import load_layout
from isfc.link.lock import LinkLock
from scenarios.published.companion import TABLES, load_table
from scenarios.run import Experiment, run
from scenarios.workload import find_workload
from tools.pages.console import PROJECT

PAGE: Final = (PROJECT / "docs/timing.md").read_text("utf-8")
TEXT: Final = " ".join(PAGE.split())
MIB: Final = 2**20
BLOCK: Final = 32_768
BLOCK_HEADER, MESSAGE_HEADER = 85, 27


def rows(table: str) -> list[dict[str, str]]:
    """A published table, word for word."""
    folder = PROJECT / "scenarios/published/tables"
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


SUITES: Final = {
    row["suite"]: (int(row["min_bytes"]), int(row["max_bytes"]), int(row["reply_bytes"]))
    for row in rows("transport")
}
"""By suite: the lengths of its messages, and that of a reply."""

LINK = {row["timestamp"][-8:-3]: row for row in rows("link_activity")}
FIRST = LINK["04:53"]
DEVICES = rows("device_reports")


def link(column: str) -> float:
    return float(FIRST[column])


def devices(run: str, *rdevs: str) -> list[dict[str, str]]:
    found = [
        row
        for row in DEVICES
        if row["run"] == run and row["side"] == "client" and row["rdev"] in rdevs
    ]
    assert len(found) == len(rdevs)
    return found


def transport(suite: str, ctcs: int, pairs: int, column: str) -> float:
    (found,) = (
        row
        for row in rows("transport")
        if (row["suite"], int(row["rdevs"]), int(row["pairs"])) == (suite, ctcs, pairs)
    )
    return float(found[column])


def appc(length: int, ctcs: int, pairs: int, column: str = "msgs_per_s") -> float:
    (found,) = (
        row
        for row in rows("appc_scaling")
        if (int(row["reply_bytes"]), int(row["rdevs"]), int(row["pairs"])) == (length, ctcs, pairs)
    )
    return float(found[column])


def header(length: int) -> int:
    return MESSAGE_HEADER + BLOCK_HEADER * ceil(length / BLOCK)


def exchange_bytes(suite: str) -> float:
    """Bytes on the link of one exchange: one message in five is the small one."""
    small, large, reply = SUITES[suite]
    message = 0.2 * (small + header(small)) + 0.8 * (large + header(large))
    # where fewer replies fit than the window has messages, each is acknowledged with 20 bytes
    acknowledgement = 20 + header(20) if reply == BLOCK else 0
    return message + reply + header(reply) + acknowledgement


def exchanges(suite: str, ctcs: int, pairs: int) -> float:
    return transport(suite, ctcs, pairs, "mb_per_s") * MIB / exchange_bytes(suite)


def stands(sentence: str) -> None:
    assert sentence in TEXT


def table_rows(first: str) -> list[list[str]]:
    """Rows of the page's tables whose first cell begins so."""
    return [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in PAGE.splitlines()
        if line.startswith(f"| {first}")
    ]


@pytest.mark.parametrize("gbps", [1, 2, 4, 8, 16])
def test_fibre_leaves_what_its_code_leaves(gbps: int) -> None:
    (cells,) = table_rows(f"{gbps} Gb/s")
    baud = float(cells[1].removesuffix(" GBd"))
    data, line = map(int, re.findall(r"\d+", cells[2].replace("b", "")))
    leaves = baud * 1000 / 8 * data / line
    assert float(cells[3].replace(",", "")) == pytest.approx(leaves, abs=0.05)
    assert float(cells[4].replace(",", "")) == pytest.approx(leaves * 2112 / 2172, abs=0.06)


def test_fibre_of_2_gbps_is_full_to_99_percent() -> None:
    packages = sum(
        float(row["io_per_s"]) for row in devices("H001709C", "6000", "6001", "6002", "6003")
    )
    mb_per_s = packages * link("write_bytes_per_pkg") / 1e6
    stands(f"write {packages:.1f} packages/s of 829,631 bytes, {mb_per_s:.1f} MB/s,")
    stands(f"That fibre is full to {mb_per_s / 206.6:.0%}.".replace("%", " %"))


def test_writers_on_4_gbps_carry_360_mb_per_s() -> None:
    writers = devices("H001750C", "6040", "6041", "6042", "6043")
    packages = sum(float(row["io_per_s"]) for row in writers)
    stands(f"four writers get {packages:.0f} packages/s of about 841,000 bytes")
    stands(f"H001750C: {packages * 0.841:.0f} MB/s, not 413.")


def test_disc_of_busy_writers_grows_with_what_the_partner_has_to_receive() -> None:
    slow = [float(row["disc_ms"]) for row in devices("H001709C", "6000", "6001", "6002", "6003")]
    assert sum(slow) / 4 == pytest.approx(1.9, abs=0.06)
    stands(f"have 1.9 ms at {link('write_pkgs_per_s'):.0f} packages/s (H001709C)")
    busy = [
        float(row["disc_ms"])
        for row in DEVICES
        if (row["run"], row["side"]) == ("H001750C", "client") and float(row["busy_percent"]) >= 88
    ]
    stands(f"and {min(busy)} to {max(busy)} at 1,202 (H001750C)")


def test_headers_are_what_a_package_has_beyond_what_guests_gave() -> None:
    sent = link("write_msgs_per_s") / link("write_pkgs_per_s")
    answered = link("read_msgs_per_s") / link("read_pkgs_per_s")
    out = link("write_bytes_per_pkg") / sent - 117_964.8
    back = link("read_bytes_per_pkg") / answered - 8_192
    block = (out - back) / 2.8
    stands(f"3.8 block headers = 829,631.1 / {sent:.3f} - 117,964.8 = {out:.1f}")
    stands(f"1 block header = 205,140.3 / {answered:.3f} - 8,192 = {back:.1f}")
    stands(f"block header = ({out:.1f} - {back:.1f}) / 2.8 = {block:.1f} -> {BLOCK_HEADER} bytes")
    stands(f"message header = {back:.1f} - {block:.1f} -> {MESSAGE_HEADER} bytes")


@pytest.mark.parametrize("suite", ["HS", "HM"])
def test_exchanges_with_headers_for_each_message_or_each_package(suite: str) -> None:
    (cells,) = (row for row in table_rows(suite) if len(row) == 4)
    small, large, reply = SUITES[suite]
    mb_per_s = transport(suite, 16, 1, "mb_per_s")
    alone = mb_per_s * MIB / (0.2 * small + 0.8 * large + reply + 2 * (2_340 + 18))
    assert float(cells[1]) == mb_per_s
    assert cells[2] == f"{exchanges(suite, 16, 1):,.0f}"
    assert cells[3] == f"{alone:,.0f}"


def test_what_20_percent_may_mean() -> None:
    has = link("write_bytes_per_pkg") / 7.012
    stands(f"| 20 % means | bytes | H001709C has {has:,.0f} with headers |")
    for name, small in (("small", 0.2), ("large", 0.8)):
        (cells,) = table_rows(f"one message in five is the {name} one")
        check_reading(cells, small * 98_304 + (1 - small) * 122_880, has)
    (cells,) = table_rows("sizes spread evenly")
    check_reading(cells, (98_304 + 122_880) / 2, has)


def check_reading(cells: list[str], length: float, has: float) -> None:
    assert float(cells[1].replace(",", "")) == pytest.approx(length)
    assert cells[2] == f"{(1 - length / has) * 100:.1f} % less"


def test_outstanding_messages_are_those_of_littles_law() -> None:
    slow = [row for row in DEVICES if row["run"] == "H001709C" and row["side"] == "client"]
    eight = [r for r in slow if r["rdev"][:3] in ("600", "602") and float(r["busy_percent"]) > 90]
    writes = sum(float(row["io_per_s"]) for row in eight)
    stands(f"eight CTCs of 2 Gb/s {writes:.1f} writes/s x 15.85 ms = {writes * 0.01585:.2f}")
    together = writes * 0.01585 + 1.88
    stands("= 1.88 together")
    stands(f"together {together:.2f} packages x 7.01 messages = {together * 7.01:.0f} messages")
    stands(f"being written {together:.2f} / 834.2 /s {together / 834.2 * 1e3:.1f} ms")
    stands(f"(TXPENDCT 4 to 6) / 5849 /s {5 / 5849 * 1e3:.1f}")
    stands(f"an exchange takes {100 / 5849 * 1e3:.1f} ms")
    stands(f"half of 1 / 236.7 /s, + 1.2 {0.5 / 236.7 * 1e3 + 1.2:.1f}")
    assert pytest.approx(17.1) == 11.6 + 0.9 + 3.3 + 1.3


@pytest.mark.parametrize("suite", ["HM", "HY"])
def test_long_replies_pass_at_half_the_rate(suite: str) -> None:
    (cells,) = (row for row in table_rows(f"{suite}, replies of"))
    found = [f"{exchanges(suite, 16, pairs):,.0f}" for pairs in (1, 5, 10, 50, 100)]
    assert cells[1:] == found


def test_a_package_seldom_holds_an_eighth_message() -> None:
    five, four = 5 * 98_304 + 3 * 122_880, 4 * (98_304 + 122_880)
    stands(f"Eight with five small ones are {five:,} bytes, eight with four are {four:,}.")
    share = sum(comb(8, small) * 0.2**small * 0.8 ** (8 - small) for small in range(5, 9))
    stands(f"At least five of eight are small in {100 * share:.2f} % of all cases")
    stands(f"gives {7 + share:.3f} messages a package")


def test_exchanges_a_collision_on_one_ctc() -> None:
    found = {
        suite: [
            exchanges(suite, 1, pairs) / transport(suite, 1, pairs, "collisions_per_s")
            for pairs in (1, 5, 10, 50, 100)
        ]
        for suite in SUITES
    }
    assert max(found["HL"]) <= 1.045
    assert min(found["HL"]) >= 0.97
    both = [*found["HM"], *found["HY"]]
    stands(f"{min(both):.1f} to {max(both):.1f} in HM and HY")
    stands(f"{min(found['HS']):.1f} to {max(found['HS']):.1f} in HS")
    stands(
        f"With one pair IBM has {found['HS'][0]:.1f} exchanges a collision in HS and "
        f"{found['HM'][0]:.1f} in HM"
    )


def test_short_exchanges_on_one_ctc_and_on_four() -> None:
    one, four = appc(1, 1, 100), appc(1, 4, 100)
    busy = appc(1, 1, 100, "rdev_util_percent")
    stands(f"100 pairs exchange {one:,.0f} a second on one CTC and {four:,.0f} on four")
    stands(f"the one is busy for {busy:.0f} % only")


def test_segments_go_one_after_the_other() -> None:
    short, long = 1e3 / appc(1, 16, 1), 1e3 / appc(1_000_000, 16, 1)
    segments = ceil(1_000_000 / BLOCK)
    stands(f"exchange takes {short:.2f} ms and a reply of 1,000,000 bytes {long:.1f} ms:")
    stands(f"{segments} segments of {long / segments:.2f} ms")


def test_rows_with_collisions_are_ten() -> None:
    many = [
        row
        for row in rows("transport")
        if int(row["rdevs"]) > 1 and float(row["collisions_per_s"]) >= 20
    ]
    assert len(many) == 10
    stands("Ten rows of IBM's tables have 20 collisions a second or more")
    hy = [row for row in many if (row["suite"], row["pairs"]) == ("HY", "100")]
    assert {8, 16} <= {int(row["rdevs"]) for row in hy}


def test_oddity_of_real_runs_is_published() -> None:
    fourteen, sixteen = (transport("HM", ctcs, 50, "mb_per_s") for ctcs in (14, 16))
    stands(f"published with {fourteen:.0f} MB/s at 14 CTCs and {sixteen:.0f} at 16")


def test_two_exchanges_of_one_pair_at_8_ctcs() -> None:
    took = {suite: 2e3 / exchanges(suite, 8, 1) for suite in ("HS", "HM")}
    busy = {
        suite: transport(suite, 8, 1, "rdev_util_percent") / 100 * took[suite] / 2
        for suite in ("HS", "HM")
    }
    stands(
        f"two exchanges of HS take {took['HS']:.2f} ms, and each keeps CTCs busy for "
        f"{busy['HS']:.2f}; two of HM take {took['HM']:.2f}, each {busy['HM']:.2f}"
    )


def test_every_measured_table_is_there() -> None:
    assert {"transport", "appc_scaling", "device_reports", "link_activity"} <= {*TABLES}
    assert load_table("transport").rows


def test_a_ccw_takes_so_many_bits_of_the_links_rate() -> None:
    profile = FEATURES["FICON Express2"]
    slow, fast = (profile.processor_bits_per_ccw / gbps / 1e3 for gbps in (2, 4))
    stands(f"{slow:.1f} us at 2 Gb/s and {fast:.1f} at 4")


def test_writers_that_share_a_line_get_what_mean_value_analysis_says() -> None:
    line_ms = 841_000 / 413.3e3
    stands(f"A package needs {line_ms:.2f} ms of the line, and 0.07 for seven CCWs of 10 us")
    served_ms, outside_ms, waiting = line_ms + 0.07, 4.3, 0.0
    for writers in range(1, 5):
        took_ms = served_ms * (1 + waiting)
        rate = writers / (outside_ms + took_ms)
        waiting = rate * took_ms
    stands(f"get {1e3 * rate:.0f} packages/s, with a CONN of {took_ms:.2f} ms")
    writers_4_gbps = devices("H001750C", "6040", "6041", "6042", "6043")
    conn = {float(row["conn_ms"]) for row in writers_4_gbps}
    io = sum(float(row["io_per_s"]) for row in writers_4_gbps)
    stands(f"IBM has {io:.0f} and {conn.pop()}.")
    assert not conn


def test_segments_a_second_on_one_ctc() -> None:
    for length, word in ((50_000, "{:,.0f} replies/s of 50,000"), (1_000_000, "{:.1f} of 1,000,0")):
        (row,) = (
            row
            for row in rows("appc_regression")
            if (int(row["reply_bytes"]), int(row["pairs"]), row["release"][-3:])
            == (length, 100, "6.2")
        )
        replies = float(row["msgs_per_s"])
        stands(word.format(replies))
        stands(f"{replies * ceil(length / BLOCK):,.0f}")


def test_segments_and_acknowledgements_of_w001054c() -> None:
    server = [
        float(row["io_per_s"]) for row in DEVICES if row["run"] == "W001054C" and row["io_per_s"]
    ]
    read, *written = [each for each in server if each > 1]
    packages, replies = sum(written), appc(1_000_000, 16, 100)
    stands(f"the server writes {packages:.1f} packages/s for {replies:.1f} replies/s")
    stands(f"{replies * ceil(1_000_000 / BLOCK) / packages:.1f} segments each")
    stands(f"W001054C {read / 2:.0f} packages/s from the client answer the server's {packages:.0f}")


def test_one_reply_of_hy_takes_as_long_as_two_exchanges_of_hm() -> None:
    hm, hy = 2e3 / exchanges("HM", 16, 1), 1e3 / exchanges("HY", 16, 1)
    stands(f"With one pair two exchanges of HM take {hm:.2f} ms, and so does one of HY.")
    assert f"{hm:.2f}" == f"{hy:.2f}"
    collisions = transport("HY", 1, 1, "collisions_per_s")
    stands(f"with one pair on one CTC there are {collisions:.0f} collisions/s")


def mb_per_s(layout: str, workload: str, pairs: int, seconds: float) -> float:
    """What the model sends, after half of the time that is measured."""
    found = find_workload(workload)
    experiment = Experiment(
        load_layout(layout), found, pairs=pairs, seconds=seconds, warmup=seconds / 2
    )
    return run(experiment).mb_per_s


@pytest.mark.slow
def test_one_queue_for_all_that_interrupts_bring_would_be_slower(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # the page said 17 % slow, of what it did not say
    both = mb_per_s("published-4", "HL", 100, 2.0)
    monkeypatch.setattr(LinkLock, "want_first", LinkLock.want)
    one = mb_per_s("published-4", "HL", 100, 2.0)
    stands(f"has {both:.0f} MB/s in the model, and would have {one:.0f} with one queue;")
    stands(f"with one queue; IBM's has {transport('HL', 4, 100, 'mb_per_s'):.0f}.")


@pytest.mark.slow
@pytest.mark.parametrize("ctcs", [8, 10, 16])
def test_clients_processors_hardly_matter_to_hs(ctcs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # the page said 28 % slow without them
    few = mb_per_s(f"published-{ctcs}", "HS", 50, 0.6)
    monkeypatch.setattr("scenarios.guests.CLIENT_PROCESSORS", 50)
    stands("HS with 50 pairs hardly depends on it:")
    assert mb_per_s(f"published-{ctcs}", "HS", 50, 0.6) == pytest.approx(few, rel=0.03)
