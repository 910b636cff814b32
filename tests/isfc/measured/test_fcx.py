"""FCX110, the details of a single device, becomes a row of a measurement."""

from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.measured.figures import Reading
from isfc.measured.file import read_measurements
from isfc.measured.measurement import Measurement

DETAILS = """\
 FCX110      CPU 2097  SER 12345  Interval 09:54:00 - 09:55:00    Perf. Monitor

 Detailed Analysis for Device 6000 ( ATTACHED )
 Device type :  CTCA        Function pend.:     .5ms      Device busy   :   98%
 VOLSER      :  ......      Disconnected  :    1.9ms      I/O contention:    0%
 Nr. of LINKs:     ...      Connected     :   13.4ms      Reserved      :    0%
 Last SEEK   :     ...      Service time  :   15.8ms      SENSE SSCH    :    0
 SSCH rate/s :    61.8      Response time :   15.8ms      Recovery SSCH :    0
 Avoided/s   :     ...      CU queue time :     .0ms      Throttle del/s:  ...
 Status: ATTACHED

 Path(s) to device 6000:    40
 Channel path status   :    ON
"""
OTHER = DETAILS.replace("6000", "6001").replace("61.8", "60.0").replace("98%", "95%")


def read(tmp_path: Path, text: str) -> list[Measurement]:
    path = tmp_path / "details.txt"
    path.write_text(text, "utf-8")
    return read_measurements([path], Reading())


def test_details_of_devices_in_one_interval_are_one_measurement(tmp_path: Path) -> None:
    (page,) = read(tmp_path, DETAILS + OTHER)
    assert (page.begin, page.end) == ("09:54:00", "09:55:00")
    first, second = page.devices
    assert (first.rdev, first.io_per_s, first.busy_percent) == (0x6000, 61.8, 98)
    assert (first.pend_ms, first.disc_ms, first.conn_ms, first.serv_ms) == (0.5, 1.9, 13.4, 15.8)
    assert (second.rdev, second.io_per_s) == (0x6001, 60.0)


def test_details_of_two_intervals_are_two_measurements(tmp_path: Path) -> None:
    later = DETAILS.replace("09:54:00 - 09:55:00", "09:55:00 - 09:56:00")
    assert [page.end for page in read(tmp_path, DETAILS + later)] == ["09:55:00", "09:56:00"]


def test_details_of_a_disk_are_left_out(tmp_path: Path) -> None:
    (page,) = read(tmp_path, DETAILS.replace("CTCA ", "3390 ") + OTHER)
    assert [device.rdev for device in page.devices] == [0x6001]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Service time", "", "details of device 6000 lack serv_ms"),
        ("13.4ms", "13,4ms", "'13,4' has a comma"),
        ("98%", "130%", "Busy 130 %"),
        ("15.8ms      SENSE", "25.8ms      SENSE", "Serv 25.8 ms is not Pend + Disc + Conn"),
    ],
)
def test_what_cannot_be_is_refused_by_file_and_line(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, DETAILS.replace(old, new))
    assert "details.txt:3: " in str(caught.value)
    assert problem in str(caught.value)


@pytest.mark.parametrize("left", ["Pe\nrf. Monitor", "Per", "Monitor", "Mon"])
def test_what_is_left_of_the_screens_name_is_no_system(tmp_path: Path, left: str) -> None:
    # a page cut at column 58 was of the system PER
    (page,) = read(tmp_path, DETAILS.replace("Perf. Monitor", left))
    assert page.system is None
