"""Layout files: what is read from a good one, what is said of a bad one."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import format_chpid, format_rdev
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.checked_toml import FILE_LENGTH_MAX, LINE_LENGTH_MAX
from isfc.layout.file import parse_layout
from isfc.layout.layout import Layout
from isfc.layout.write import format_layout

FIBRE_1: Final = """
[fibre.1]
feature = "FICON Express2"
chpid = { ATLANTA = "40", BOSTON = "50" }
"""
SPEED: Final = "link_gbps = 2"
FIBRE_2: Final = f"""
[fibre.2]
feature = "FICON Express4"
{SPEED}
chpid = {{ ATLANTA = "41", BOSTON = "51" }}
"""
CTC_1: Final = """
[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000-6003", BOSTON = "7000-7003" }
"""
CTC_2: Final = """
[[ctc]]
fibre = "2"
rdevs = { ATLANTA = "6020", BOSTON = "6020" }
"""
GOOD: Final = FIBRE_1 + FIBRE_2 + CTC_1 + CTC_2


def parse(text: str) -> Layout:
    return parse_layout(text.encode(), "link.toml")


def complaint(text: str) -> str:
    """What is said of a bad layout, which must be one line that begins with the file."""
    with pytest.raises(ConfigurationError) as caught:
        parse(text)
    message = str(caught.value)
    assert message.isprintable()
    assert message.startswith("link.toml: ")
    return message.removeprefix("link.toml: ")


def test_fibres_have_features_speeds_and_chpids_and_ranges_are_paired_in_order() -> None:
    layout = parse(GOOD)
    read = [(each.name, each.profile.feature, each.profile.link_gbps,
             *map(format_chpid, each.chpids)) for each in layout.fibres]  # fmt: skip
    assert read == [("1", "FICON Express2", 2, "40", "50"), ("2", "FICON Express4", 2, "41", "51")]
    assert [ctc.fibre for ctc in layout.ctcs] == [layout.fibres[0]] * 4 + [layout.fibres[1]]
    pairs = [tuple(map(format_rdev, ctc.rdevs)) for ctc in layout.ctcs]
    assert pairs == [*((f"600{n}", f"700{n}") for n in range(4)), ("6020", "6020")]


def test_a_fibre_has_no_length_unless_it_is_said() -> None:
    layout = parse(GOOD.replace(SPEED, f"{SPEED}\nkm = 12.5"))
    assert [(fibre.km, fibre.way_ns) for fibre in layout.fibres] == [(0, 0), (12.5, 62_500)]
    assert parse(format_layout(layout)) == layout


def test_nodes_are_in_ebcdic_order_wherever_they_stand() -> None:
    layout = parse(GOOD.replace("ATLANTA", "2NDI"))
    assert layout.nodes == ("BOSTON", "2NDI")
    assert format_rdev(layout.ctcs[1].rdevs[0]) == "7000"
    assert format_chpid(layout.fibres[1].chpids[0]) == "50"


@pytest.mark.parametrize(
    ("text", "ctcs"),
    [
        (GOOD.replace("7000-7003", "6000-6003"), 5),  # numbers of the two nodes may be equal
        (FIBRE_1 + CTC_1.replace("6003", "6000").replace("7003", "7000"), 1),
        (FIBRE_1 + CTC_1.replace("6003", "600F").replace("7003", "700F"), 16),
    ],
)
def test_one_to_sixteen_ctcs_are_a_layout(text: str, ctcs: int) -> None:
    assert len(parse(text).ctcs) == ctcs


def test_byte_order_mark_and_windows_lines_are_taken() -> None:
    data = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert parse_layout(data, "link.toml") == parse(GOOD)


@pytest.mark.parametrize(
    ("old", "new", "where", "what"),
    [
        ("Express2", "Express3", "[fibre.1] feature", "expected one of FICON Express, FICON"),
        ('"FICON Express2"', "2", "[fibre.1] feature", "got a number; expected a FICON feature"),
        ("feature", "futeare", "[fibre.1] futeare", "no such key; expected one of feature, chpid"),
        ('feature = "FICON Express2"', "", "[fibre.1] feature", "missing; expected a FICON"),
        ('"40"', '"4G"', "[fibre.1] chpid", "'4G' is not a chpid: expected 1 or 2 hex digits"),
        ('"40"', "40", "[fibre.1] chpid", "got a number; expected the chpid at each node"),
        ('"51"', '"50"', "[fibre.2] chpid", "50 at BOSTON is already in [fibre.1]; expected"),
        ('"6000-', '"G000-', "[[ctc]] #1 rdevs", "'G000' is not a device number: expected"),
        ('"6000-6003"', "6000", "[[ctc]] #1 rdevs", "got a number; expected device numbers"),
        ('"6000-6003"', '"6003-6000"', "[[ctc]] #1 rdevs", "runs backwards: expected the lower"),
        ('"6000-6003"', '"6000-6002"', "[[ctc]] #1 rdevs", "3 at ATLANTA and 4 at BOSTON"),
        ('"6000-6003"', '"6000-6002,6001"', "[[ctc]] #1 rdevs", "6001 is named twice: expected"),
        ('"6020", B', '"6003", B', "[[ctc]] #2 rdevs", "6003 at ATLANTA is already in [[ctc]] #1"),
        ('"6020" }', '"7000" }', "[[ctc]] #2 rdevs", "7000 at BOSTON is already in [[ctc]] #1"),
        ('"1"', '"3"', "[[ctc]] #1 fibre", "there is no [fibre.3]; expected one of 1, 2"),
        ('"1"', "1", "[[ctc]] #1 fibre", "got a number; expected the NAME of a table [fibre.NAME]"),
        ('"2"', '"1"', "[fibre.2]", "carries no CTC; expected a [[ctc]] that names it"),
        ("ATLANTA", "atlanta", "[fibre.1] chpid", "'atlanta' is not a node name: expected 1 to 8"),
        ("ATLANTA", "NEWORLEANS", "[fibre.1] chpid", "'NEWORLEANS' is not a node name: expected"),
        ('"40", BOSTON = "50"', '"40"', "[fibre.1] chpid", "names ATLANTA; expected two nodes"),
        ('"40"', '"40", C = "1"', "[fibre.1] chpid", "names ATLANTA, BOSTON, C; expected"),
        ('{ ATLANTA = "40", BOSTON = "50" }', "{}", "[fibre.1] chpid", "names no node; expected"),
        ('BOSTON = "51"', 'C = "51"', "[fibre.2] chpid", "names ATLANTA, C; expected ATLANTA and"),
        ('BOSTON = "7', 'boston = "7', "[[ctc]] #1 rdevs", "'boston' is not a node name: expected"),
        (', BOSTON = "6020"', "", "[[ctc]] #2 rdevs", "names ATLANTA; expected ATLANTA and BOSTON"),
        ("[fibre.2]", "[fibre]", "[fibre.feature]", "got text; expected a table"),
        ("[[ctc]]", "[[ctcs]]", "ctcs", "no such key; expected one of fibre, ctc"),
        ("[[ctc]]", "[[fibre.2.ctc]]", "[fibre.2] ctc", "no such key; expected one of feature"),
        ("[fibre.1]", '[fibre."\\u001b[2J"]', "[fibre.'\\x1b[2J']", "expected 1 to 32 printable"),
        ("[fibre.1]", '[fibre.""]', "[fibre.'']", "not the name of a fibre; expected 1 to 32"),
        (SPEED, "link_gbps = 4.5", "[fibre.2] link_gbps", "FICON Express4 runs at 4 Gb/s at most;"),
        *((SPEED, f"link_gbps = {speed}", "[fibre.2] link_gbps",
           "out of range; expected Gb/s, a number from 0.1 to 128")
          for speed in (*"nan -nan inf -inf -2 0 0.0 1e-9 1e9".split(), "9" * 400)),
        *((SPEED, f"link_gbps = {value}", "[fibre.2] link_gbps", f"got {kind}; expected Gb/s")
          for value, kind in (('"2"', "text"), ("true", "true or false"), ("[2]", "a list"))),
        *((SPEED, f"km = {km}", "[fibre.2] km", "expected the fibre's length in kilomet")
          for km in ("-1", "1e5", "nan", "true")),
    ],
)  # fmt: skip
def test_error_names_the_place_and_what_was_expected(
    old: str, new: str, where: str, what: str
) -> None:
    assert old in GOOD
    message = complaint(GOOD.replace(old, new))
    place, _, reason = message.partition(": ")
    assert place == where
    assert what in reason


def test_a_fibre_may_be_as_fast_as_its_feature() -> None:
    at_most = parse(GOOD.replace(SPEED, "link_gbps = 4"))
    assert [fibre.profile.link_gbps for fibre in at_most.fibres] == [2, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "fibre: missing; expected a table for each FICON path"),
        (CTC_1, "fibre: missing; expected a table for each FICON path"),
        (FIBRE_1, "ctc: missing; expected a table for each range of CTCs, headed [[ctc]]"),
        ("fibre = {}\nctc = []", "fibre: none; expected a table for each FICON path"),
        ("fibre = 1\nctc = []", "fibre: got a number; expected a table for each FICON path"),
        ("fibre.1 = 1\nctc = []", "[fibre.1]: got a number; expected a table with feature, chpid"),
        (f"ctc = []\n{FIBRE_1}", "[fibre.1]: carries no CTC"),
        (f"ctc = [1]\n{FIBRE_1}", "[[ctc]] #1: got a number; expected a table with fibre, rdevs"),
        (FIBRE_1 + CTC_1.replace("[[ctc]]", "[ctc]"), "ctc: got a table; expected a table for"),
        (GOOD.replace("6000-6003", "6000-600F").replace("7000-7003", "7000-700F"),
         "ATLANTA-BOSTON: 17 CTCs; expected 1 to 16 in a logical link"),
        (f"{GOOD}[fibre", "is not TOML"),
        ("a = 1\nb = x", "is not TOML: Invalid value (at line 2, column"),
        # a dotted key of this length took tomllib all the memory there was
        (".".join("a" * 20_000) + " = 1", "line 1 is too long; expected at most 1000 characters"),
        ((".".join("a" * 400) + " = 1\n") * 1000,
         "line 1 is too long; expected at most 160 characters"),
    ],
)  # fmt: skip
def test_what_is_no_layout_is_refused(text: str, message: str) -> None:
    assert complaint(text).startswith(message)


def test_what_is_not_utf_8_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="is not UTF-8 text"):
        parse_layout("# \ud800")
    with pytest.raises(ConfigurationError, match=r"link.toml: is not UTF-8 text \(at byte 3\)"):
        parse_layout(b"a =\xff", "link.toml")


@pytest.mark.parametrize(
    "line",
    [
        ".".join("a" * (LINE_LENGTH_MAX // 2)) + " = 1",
        "a = " + "[" * (LINE_LENGTH_MAX - 4),
        "a = " + "9" * (LINE_LENGTH_MAX - 4),
    ],
)
def test_strange_lines_within_the_limit_do_no_harm(line: str) -> None:
    assert "too long" not in complaint(line[:LINE_LENGTH_MAX])


@given(st.binary(max_size=200))
def test_any_bytes_are_a_layout_or_a_configuration_error(data: bytes) -> None:
    with pytest.raises(ConfigurationError):
        parse_layout(data, "link.toml")


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_a_layout_as_windows_writes_it_is_read(code: str) -> None:
    assert parse_layout(GOOD.encode(code), "link.toml") == parse(GOOD)


@given(st.integers(0, len(GOOD) - 1), st.sampled_from(list("0\"'[]{}=,.- \nAGé#")))
def test_any_misprint_is_a_layout_or_a_configuration_error(index: int, character: str) -> None:
    with suppress(ConfigurationError):
        parse(GOOD[:index] + character + GOOD[index + 1 :])


def none(path: Path) -> None:
    """No file is made."""


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)  # no machine could hold it


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.write_text(f"{GOOD}x = 1"), "[[ctc]] #2 x: no such key"),
        (none, "cannot be read (No such file or directory); expected a layout file"),
        # file modes do not stop root
        (lambda path: path.symlink_to(path), "cannot be read (Too many levels of symbolic links)"),
        (Path.mkdir, "is a directory; expected a layout file"),
        (lambda path: path.symlink_to("/dev/zero"), "is a device; expected a layout file"),
        (huge, "is too long; expected at most 16777216 bytes"),
        (
            lambda path: path.write_text(("# long" * 25 + "\n") * 7_000),
            f"is too long; expected at most {FILE_LENGTH_MAX} b",
        ),
        pytest.param(
            os.mkfifo if hasattr(os, "mkfifo") else None,
            "is a pipe that nobody writes to; expected a layout file",
            marks=pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders"),
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    make: Callable[[Path], object], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "link.toml"
    make(path)
    with pytest.raises(ConfigurationError) as caught:
        load_layout(path)
    assert str(caught.value).startswith(f"{path}: {reason}")
