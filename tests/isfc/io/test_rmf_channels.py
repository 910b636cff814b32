"""A figure belongs to the column it stands below; what cannot be placed is refused, not shifted."""

import re

import pytest

from isfc.errors import ConfigurationError
from isfc.io.mix import mix_of_interval
from isfc.io.rmf import parse_rmf
from isfc.io.rmf_channels import ChannelLine
from isfc.io.rmf_lines import RmfInterval

TITLE = (
    "C H A N N E L   P A T H   A C T I V I T Y\n"
    " SYSTEM ID   ZVM1   DATE 06/02/2024\n TIME 10.15.00\n"
)
GROUPS = (
    "    CHANNEL PATH             UTILIZATION(%)    READ(MB/SEC) WRITE(MB/SEC)"
    "        FICON OPERATIONS        ZHPF OPERATIONS\n"
)
NAMES = (
    " ID TYPE   G  SPEED SHR    PART  TOTAL    BUS   PART  TOTAL   PART  TOTAL"
    "      RATE  ACTIVE   DEFER    RATE  ACTIVE   DEFER\n"
)
WITHOUT_ZHPF = NAMES[:73].replace("SPEED", "     ") + "      RATE  ACTIVE   DEFER\n"
SHARED = " 7A FC_S   1B   16G   Y "
UNSHARED = " 7A FC     1B   16G     "
PARTS = "   4.10   8.20   9.30  10.40  20.50   5.60  11.70"
TOTALS = "          8.20   9.30         20.50         11.70"
FICON = "     310.0     0.4     0.0"
ZHPF = "  4200.0     1.5     0.0"
BLANK = " " * 26


def read(row: str, heading: str = GROUPS + NAMES) -> RmfInterval:
    (interval,) = parse_rmf(TITLE + heading + row + "\n", "paste")
    return interval


def channel(row: str, heading: str = GROUPS + NAMES) -> ChannelLine:
    (line,) = read(row, heading).channels
    return line


def squeezed(row: str) -> str:
    return re.sub(" +", " ", row)


@pytest.mark.parametrize(
    ("row", "rates"),
    [
        (SHARED + PARTS + FICON + ZHPF, (310, 4200)),
        (SHARED + PARTS + FICON, (310, 0)),
        (SHARED + PARTS + BLANK + ZHPF, (0, 4200)),
        (SHARED + PARTS, (None, None)),
        (UNSHARED + TOTALS + FICON + ZHPF, (310, 4200)),
        (UNSHARED + TOTALS + FICON, (310, 0)),
        (UNSHARED + TOTALS + BLANK + ZHPF, (0, 4200)),
        (UNSHARED + PARTS + FICON, (310, 0)),
        (UNSHARED + TOTALS, (None, None)),
    ],
)
def test_figures_are_those_of_the_columns_they_stand_below(
    row: str, rates: tuple[float | None, float | None]
) -> None:
    line = channel(row)
    assert (line.chpid, line.generation, line.link_gbps) == ("7A", "1B", 16)
    assert (line.processor_percent, line.bus_percent) == (8.2, 9.3)
    assert (line.read_mb_per_s, line.write_mb_per_s) == (20.5, 11.7)
    assert (line.ficon_io_per_s, line.zhpf_io_per_s) == rates


@pytest.mark.parametrize("heading", ["", squeezed(NAMES), GROUPS + WITHOUT_ZHPF])
def test_without_places_a_shared_channel_has_parts(heading: str) -> None:
    # ten figures were always read as those of a channel without PART
    line = channel(squeezed(SHARED + PARTS + FICON), heading)
    assert (line.processor_percent, line.read_mb_per_s, line.ficon_io_per_s) == (8.2, 20.5, 310)
    assert (line.zhpf_io_per_s, line.has_zhpf) == (0, False)


def test_without_places_a_part_is_never_more_than_its_total() -> None:
    row = UNSHARED + "8.20 9.30 20.50 11.70 310.0 0.4 0.0 4200.0 1.5 0.0"
    line = channel(row, "")
    assert (line.processor_percent, line.ficon_io_per_s, line.zhpf_io_per_s) == (8.2, 310, 4200)


WHOLE = SHARED + PARTS + FICON + ZHPF
EITHER = "which may be those without ZHPF or those without PART; expected them below their head"
UNKNOWN = NAMES.replace("BUS", "BUS   PEAK")
REFUSED = [
    # the row, the heading above it, what is said
    (
        *(squeezed(UNSHARED + PARTS + FICON), ""),
        f"paste: line 4 column 2: chpid 7A has 10 figures, {EITHER}",
    ),
    *(
        (WHOLE.replace(gone, "", 1), GROUPS + NAMES, "chpid 7A has 12 figures; expected 13: PART, ")
        for gone in ("   8.20", "  20.50", "     0.4", "  4200.0")
    ),
    (WHOLE, UNKNOWN, "chpid 7A stands below a heading (line 4 col"),
    # a figure of the screen is none in the printed report
    (
        *(WHOLE.replace("10.40", "  10M"), GROUPS + NAMES),
        "paste: line 6 column 50: '10M'; expected a num",
    ),
]


@pytest.mark.parametrize(("row", "heading", "message"), REFUSED)
def test_what_cannot_be_placed_is_refused(row: str, heading: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        read(row, heading)


@pytest.mark.parametrize("heading", [UNKNOWN, GROUPS + NAMES])
def test_an_interval_that_has_only_other_channels_is_refused(heading: str) -> None:
    # it was an interval without I/O
    other = " 10 OSD   Y  0.1 0.2\n 7B FC_S   1B   16G   Y  OFFLINE"
    message = "10.30.00: nothing to read but 10 OSD (no FICON channel), 7B FC_S (no figures); exp"
    for before in ("", TITLE + GROUPS + NAMES + WHOLE.replace("7A", "01") + "\n"):
        later = TITLE.replace("10.15.00", "10.30.00") + heading + other + "\n"
        with pytest.raises(ConfigurationError, match=re.escape(message)):
            parse_rmf(before + later, "paste")


def test_an_idle_channel_that_fits_two_ways_is_idle() -> None:
    line = channel(UNSHARED + " ".join(["0.0"] * 10), "")
    assert (line.io_per_s, line.read_mb_per_s, line.processor_percent) == (0, 0, 0)


def test_a_heading_says_what_data_are_counted_in() -> None:
    line = channel(WHOLE, GROUPS.replace("(MB/", "(KB/") + NAMES)
    assert (line.read_mb_per_s, line.write_mb_per_s) == (0.0205, 0.0117)


@pytest.mark.parametrize("kind", ["FCP", "FCP_S", "FCV", "FCV_S", "FCVSM", "OSD", "CNC_S", "IQD"])
def test_channels_of_other_types_are_passed_over_and_named(kind: str) -> None:
    # FCP and FCV were taken for FICON, and refused the whole report
    row = WHOLE + f"\n 34 {kind:<6} 1B   16G   Y    3.00   3.00   6.01"
    interval = read(row)
    assert [line.chpid for line in interval.channels] == ["7A"]
    assert mix_of_interval(interval).notes[1:] == (f"Passed over, other types: 34 {kind}.",)


@pytest.mark.parametrize("state", ["", "   OFFLINE", "   NOT INSTALLED", "  DATA UNAVAILABLE"])
@pytest.mark.parametrize("first", [True, False])
def test_channels_without_figures_are_passed_over_and_named(state: str, first: bool) -> None:
    rows = [WHOLE, " 7B FC_S   1B   16G   Y" + state]
    interval = read("\n".join(reversed(rows) if first else rows))
    assert [line.chpid for line in interval.channels] == ["7A"]
    assert mix_of_interval(interval).notes[1:] == ("Passed over, without figures: 7B.",)


DASHES = "  ------ ------ ------ ------ ------ ------ ------"


def test_dashes_are_not_measured_and_no_load() -> None:
    # they counted as 0 MB/s and 0 % busy, and a feature was recommended
    message = (
        "ZVM1 06/02/2024 10.15.00: RMF could not measure the I/Os or MB/s of chpid 7A, and nothing "
        "else was going on"
    )
    for row in (SHARED + DASHES + FICON + ZHPF, SHARED + PARTS + "  ------" * 6):
        with pytest.raises(ConfigurationError, match=message):
            mix_of_interval(read(row))


def test_a_channel_with_dashes_among_others_is_left_out_and_said() -> None:
    rows = WHOLE + "\n" + SHARED.replace("7A", "7B") + DASHES + FICON + ZHPF
    interval = read(rows)
    mix = mix_of_interval(interval)
    assert (mix.unmeasured, [load.name for load in mix.loads]) == (("7B",), ["7A"])
    assert interval.io_per_s == mix.io_per_s == 4510
    assert mix.notes[1:] == (
        "Not measured by RMF: I/Os or MB/s, so left out: chpid 7B.",
        "Not measured by RMF: utilization: chpid 7B.",
    )


def test_utilization_that_was_not_measured_is_not_zero() -> None:
    row = SHARED + DASHES[:23] + PARTS[21:] + FICON + ZHPF
    note = mix_of_interval(read(row)).notes[0]
    assert note.endswith("processor not measured, bus not measured.")


SCREEN = """
                 RMF V2R5   Channel Path Activity          Line 1 of 9
 Samples: 100     System: ZVM2  Date: 06/02/24  Time: 10.20.00  Range: 100   Sec
  Channel Path         Utilization(%)    Read(B/s)  Write(B/s)   FICON Ops   zHPF Ops
 ID No G Type    S    Part  Tot   Bus   Part   Tot  Part   Tot  Rate Actv   Rate Actv
 7A    1B FC_S   Y     4.1   8.2  9.3   10M    21M  800K    5M   310    1   4200    1
 7B    1B FC_S   Y     0.0   1.2  0.3     0      0     0     0    10    1
 34       OSD    Y     0.0   1.2  0.3   10K    20K   10K   20K
"""


def test_the_screen_of_monitor_iii_is_read() -> None:
    (interval,) = parse_rmf(SCREEN, "paste")
    assert interval.name == "ZVM2 06/02/24 10.20.00"
    first, second = interval.channels
    assert (first.generation, first.processor_percent, first.bus_percent) == ("1B", 8.2, 9.3)
    assert (first.read_mb_per_s, first.write_mb_per_s) == (21, 5)
    assert (first.ficon_io_per_s, first.zhpf_io_per_s) == (310, 4200)
    assert (second.ficon_io_per_s, second.has_zhpf) == (10, False)
    assert [line.name for line in interval.passed_over] == ["34"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # 21 MB/s were 21,000,000
        ("Read(B/s)", "", "line 6 column 2: chpid 7A stands below a heading (line 5"),
        # channel 05 was number 7A, and 07 number A
        (" 7A    1B", " 5 7A    1B", "line 6 column 2: '5 7A 1B"),
        (" 7A    1B", "       1B", "line 6 column 8: below G; expected the chpid"),
        (" 7A    1B", " 7 A    1B", "line 6 column 4: 'A 1B"),
        (SCREEN[SCREEN.index("   4200    1"):], "", "chpid 7A has no figures of zHPF, and"),
    ],
)  # fmt: skip
def test_what_the_screen_does_not_tell_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        parse_rmf(SCREEN.replace(old, new), "paste")
