"""Hercules' CTCE statements: of 3.13, of 4, and what is refused."""

import pytest

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.live.ctce.join import CtceStatement, read_statements

FILE = """\
# MVSA
CPUSERIAL 000001
0120 3390 mvsres.148
0E40 CTCE 31880 192.168.1.202 32880
e41  ctce 31882 0E45=host-b 32882 65536 FICON   # to MVSB
0E42 CTCE 10.0.0.2
0E44 CTCE 31884 1=10.0.0.2 32884
0044 CTCE 31886 1=10.0.0.2 32886
"""


def test_devices_are_read_from_among_others() -> None:
    """Ports that are not named are 3088; a low RDEV of the partner is a difference."""
    assert read_statements(FILE, "a.cnf") == [
        CtceStatement(Rdev(0xE40), 31880, "192.168.1.202", 32880),
        CtceStatement(Rdev(0xE41), 31882, "host-b", 32882, Rdev(0xE45)),
        CtceStatement(Rdev(0xE42), 3088, "10.0.0.2", 3088),
        CtceStatement(Rdev(0xE44), 31884, "10.0.0.2", 32884, Rdev(0xE45)),
        CtceStatement(Rdev(0x44), 31886, "10.0.0.2", 32886, Rdev(0x45)),
    ]


@pytest.mark.parametrize("statement", read_statements(FILE, "a.cnf"), ids=str)
def test_what_is_written_is_read_again(statement: CtceStatement) -> None:
    """Line by line."""
    assert read_statements(str(statement), "b.cnf") == [statement]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("0500.4 CTCE 31880 10.0.0.2 31890", "a.cnf:1: 0500.4: expected a line for each device"),
        ("0500 CTCE 80 10.0.0.2 31890", "a.cnf:1: port 80: expected 1024 to 65534"),
        ("0500 CTCE 31880 10.0.0.2 31890 61592 32", "a.cnf:1: 'sml' 32: expected none"),
        ("0500 CTCE", "a.cnf:1: CTCE '': expected a port, a host"),
        ("0500 CTCE 31880 31890", "a.cnf:1: CTCE '31880 31890': expected a port, a host"),
    ],
)
def test_what_cannot_be_served_is_refused_with_its_line(line: str, reason: str) -> None:
    """With what was expected."""
    with pytest.raises(ConfigurationError) as caught:
        read_statements(line, "a.cnf")
    assert str(caught.value).startswith(reason)
