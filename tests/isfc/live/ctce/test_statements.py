"""Hercules' CTCE statements: of 3.13, of 4, what is refused, and what is never passed over."""

import re

import pytest

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.live.ctce.statements import INCLUDES_MAX, CtceStatement
from tests.isfc.live.ctce.configured import disturbed, read, statements
from tests.isfc.live.ctce.test_join import PUBLISHED

FILE = """\
# MVSA
CPUSERIAL 000001
PANTITLE "A, which has CTCE"
0120 3390 mvsres.148
0580 3420 ctce.aws
0700 CTCT 30880 192.168.100.2 30880 2048
0E40 CTCE 31880 192.168.1.202 32880
e41  ctce 31882 0E45=host-b 32882 65536 FICON   # to MVSB
0E42 3088 CTCE =10.0.0.2
0E44 CTCE 31884 1=10.0.0.2 32884
0044 CTCE 31886 1=10.0.0.2 32886
0E46,0E48-0E49 CTCE F46=10.0.0.2
DEFSYM PORT '318'
0E50.2 CTCE $(PORT)80 =h 31900
"""


def plain(found: list[CtceStatement]) -> list[CtceStatement]:
    """Without where they stand."""
    return [each._replace(place="", system="") for each in found]


def test_devices_are_read_from_among_others() -> None:
    """Ports that are not named are 3088; a low RDEV of the partner is a difference."""
    found = statements(FILE)
    assert [each.place for each in found[:3]] == ["A.cnf:7", "A.cnf:8", "A.cnf:9"]
    far = "10.0.0.2"
    assert plain(found) == [
        CtceStatement(Rdev(0xE40), 31880, "192.168.1.202", 32880),
        CtceStatement(Rdev(0xE41), 31882, "host-b", 32882, Rdev(0xE45), "65536 FICON"),
        CtceStatement(Rdev(0xE42), 3088, far, 3088, Rdev(0xE42)),
        CtceStatement(Rdev(0xE44), 31884, far, 32884, Rdev(0xE45)),
        CtceStatement(Rdev(0x44), 31886, far, 32886, Rdev(0x45)),
        CtceStatement(Rdev(0xE46), 3088, far, 3088, Rdev(0xF46)),
        CtceStatement(Rdev(0xE48), 3088, far, 3088, Rdev(0xF46)),
        CtceStatement(Rdev(0xE49), 3088, far, 3088, Rdev(0xF47)),
        CtceStatement(Rdev(0xE50), 31880, "h", 31900, Rdev(0xE50)),
        CtceStatement(Rdev(0xE51), 31880, "h", 31900, Rdev(0xE51)),
    ]
    for each in found:
        assert plain(statements(str(each))) == plain([each])


def test_symbols_of_the_device_are_its_number() -> None:
    """CUU, CCUU and DEVN; a symbol keeps the value that it had where it was defined."""
    text = "DEFSYM P 3\nDEFSYM Q $(P)\nDEFSYM P 4\n0500-0501 CTCE $(Q)1$(CUU) $(DEVN)=h $(P)0000"
    assert [str(each) for each in statements(text)] == [
        "0500 CTCE 31500 0500=h 40000",
        "0501 CTCE 31501 0502=h 40000",
    ]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("0500.4 CTCE 31880 h 31890", "1: 0500.4: expected RDEV=HOST or =HOST"),
        ("05FF.2 CTCE =h", "1: 05FF.2: expected devices of one channel"),
        ("1:0500 CTCE 31880 h 31890", "1: 1:0500: expected devices of one channel and of channel"),
        ("0500 CTCE 80 h 31890", "1: port 80: expected 1024 to 65534"),
        ("0500 CTCE 31880 h 31890 61592 32", "1: '0500 CTCE 31880 h 31890 61592 32': expected"),
        ("0500 CTCE", "1: '0500 CTCE': expected '0E40 CTCE PORT HOST PORT' or '0E40 CTCE RDEV="),
        ("0500 CTCE h", "1: '0500 CTCE h': expected '0E40 CTCE PORT HOST PORT' or"),
        ("0500 CTCE 31880 31890", "1: '0500 CTCE 31880 31890': expected"),
        ("0500 CTCE =h\n# between\n0500 CTCE =h", "3: 0500: A.cnf:1 has it too"),
        ("0500 CTCE $(P) h 31890\nDEFSYM P 31880", r"1: $(P): no DEFSYM before it has that"),
        ("0500 CTCE ${P:=31880} h 31890", "1: ${P:=31880}: no DEFSYM before it has that"),
        ("0500 $(KIND) 31880 h 31890", "1: $(KIND): no DEFSYM before it has that"),
        ("0500 CTCE =h\n31890 62552", "2: '31890 62552': expected it on the line before"),
        ("DEFSYM P '318'0E50 CTCE 31880 h 31890", "1: \"DEFSYM P '318'0E50 CTCE 31880 h 31890\": "),
        ("DEFSYM P '31\n8'", '1: "DEFSYM P \'31": expected DEFSYM, a name and one value'),
        ("0500 CTCE =h\n> 32886", "2: '> 32886': expected it on the line before"),
        ("0500 CTCE =10..0.2", "1: 10..0.2: expected an address, such as 10.0.0.2"),
        ("0500 CTCE =10.0.0.2_32886", "1: 10.0.0.2_32886: expected an address"),
        ("0500 CTCE =10.O.0.Z", "1: 10.O.0.Z: expected an address"),
        ("0E50.2", "1: '0E50.2': expected"),
        ("0E40 CTC**E 31880 10.0.0.2 31890", "1: '0E40 CTC**E 31880 10.0.0.2 31890': expected"),
        ("0E40 C=>TCE 31880 10.0.0.2 31890", "1: '0E40 C=>TCE 31880 10.0.0.2 31890': expected"),
        ("TCE =10.0.0.2", "1: TCE: expected devices of one channel"),
        ("0E46,\n0E48 CTCE =h", "1: 0E46,: expected devices of one channel"),
        ("0E40 C1. TCE 31880 10.0.0.2 31890", "1: '0E40 C1. TCE 31880 10.0.0.2 31890': expected"),
        ("0500 CTCE 31880_10.0.0.2 31890", "1: 31880_10.0.0.2: expected an address"),
        ("0E40 31880 10.0.0.2 31890", "1: '0E40 31880 10.0.0.2 31890': expected"),
        ("E 31880 10.0.0.2 31890", "1: 'E 31880 10.0.0.2 31890': expected"),
        ("0E44 1=10.0.0.2", "1: '0E44 1=10.0.0.2': expected"),
        ("0E44 3088 =10.0.0.2", "1: '0E44 3088 =10.0.0.2': expected"),
        ("0E44,0E48 F46 CTCE=10.0.0.2", "1: '0E44,0E48 F46 CTCE=10.0.0.2': expected"),
        ("0E44 3088 CTTCE =h", "1: '0E44 3088 CTTCE =h': expected"),
        ("0E44 308 8CTCE =h", "1: '0E44 308 8CTCE =h': expected"),
        ("0E44 CT", "1: '0E44 CT': expected"),
        ("0E44", "1: '0E44': expected"),
        ("MAINSIZE 1G\nINCLUDE b.cnf", "2: INCLUDE: b.cnf: cannot be read"),
    ],
)
def test_what_cannot_be_served_is_refused_with_its_line(lines: str, reason: str) -> None:
    """With what was expected."""
    with pytest.raises(ConfigurationError, match=re.escape(f"A.cnf:{reason}")):
        statements(lines)


def test_files_that_include_one_another_end() -> None:
    with pytest.raises(ConfigurationError, match=f"a: expected at most {INCLUDES_MAX} files in"):
        read("INCLUDE a", "A.cnf", {"a": "INCLUDE a"})


def test_a_device_in_a_comment_is_spoken_of() -> None:
    """Marks of a bold line make a comment of it; what only speaks of CTCE is nothing."""
    text = "# 0E40 CTCE =h\n* 4 CTCE devices\n**0E41 CTCE 30880 h 30890**\n# CTCE 30880 is free\n"
    assert [each[:7] for each in read(text, "A.cnf").remarks] == ["A.cnf:1", "A.cnf:3"]


def test_a_device_that_was_joined_to_a_comment_is_spoken_of() -> None:
    found = read("0E40 CTCE =h   # to B0E41 3088 CTCE =h", "A.cnf")
    assert [f"{each:04X}" for each in found.devices] == ["0E40"]
    assert found.remarks == ["A.cnf:1: ' to B0E41 3088 CTCE =h' is a comment: passed over"]


def test_statements_of_other_devices_are_none_of_ctce() -> None:
    others = """\
        CPUMODEL 3090|CNSLPORT 3270|TZOFFSET -0500|0009 3215-C / noprompt|0400.4 3270
        000E 1403 prt.txt fcb=6 crlf|0120 3390 d.cckd sf=d_*.sf cu=3990|0580 3420 ctce.aws
        0420 CTCT 30880 192.168.100.2 30880 2048|0E20 3088 CTCI /dev/net/tun 1500 10.1.1.1
        000C 3505 192.168.1.1:3505 sockdev|0700 LCS -n /dev/net/tun 10.0.0.1"""
    assert not statements(others.replace("|", "\n"))


LINES = sorted(
    {
        line.partition("#")[0].strip()
        for files, _ in PUBLISHED.values()
        for text in files.values()
        for line in text.splitlines()
        if "CTCE" in line
    }
)


@pytest.mark.parametrize("line", LINES)
def test_no_disturbed_statement_is_passed_over_in_silence(line: str) -> None:
    """It is read as a device, refused with its line, or named in a remark; a CTCI is another."""
    silent: list[str] = []
    for text in (text for text in disturbed(line) if "CTCI" not in text):
        try:
            found = read(f"DEFSYM NODE 12\n{text}\n0120 3390 a", "A.cnf")
        except ConfigurationError as error:
            known = re.match(r"A.cnf:[23]: ", str(error)) is not None
        else:
            known = bool(found.devices or found.remarks)
        if not known:
            silent.append(text)
    assert silent == []
