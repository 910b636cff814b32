"""The records that cross the door between software and hardware."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.subchannel import Command, IoTimes, UnitStatus

times_ns = st.integers(0, 10**12)


# published: SA22-7203, 2.13
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("WRITE", 0x01),
        ("READ", 0x02),
        ("NO_OP", 0x03),
        ("SENSE_ADAPTER_STATE", 0x04),
        ("READ_BACKWARD", 0x0C),
        ("SENSE_COMMAND_BYTE", 0x14),
        ("SET_BASIC_MODE", 0x43),
        ("SET_EXTENDED_MODE", 0xC3),
        ("READ_CONFIGURATION_DATA", 0xC4),
        ("PREPARE", 0xE3),
        ("SENSE_ID", 0xE4),
    ],
)
def test_command_has_its_published_code(command: str, code: int) -> None:
    assert Command[command] == code


def test_command_codes_have_the_bits_of_their_class() -> None:
    assert Command.CONTROL & 0b111 == 0b111
    assert Command.WRITE_EOF & 0b11 == Command.WRITE & 0b11 == 0b01
    assert Command.WRITE_EOF >= 0x80  # what tells it from a write
    assert Command.READ & 0b11 == 0b10


def test_unit_status_is_made_of_the_status_bits() -> None:
    attention, busy, channel_end, device_end, unit_check = 0x80, 0x10, 0x08, 0x04, 0x02
    assert channel_end | device_end == UnitStatus.ENDED
    assert busy | attention == UnitStatus.BUSY_ATTENTION
    assert unit_check == UnitStatus.UNIT_CHECK


@given(times_ns, times_ns, times_ns)
def test_service_time_is_pend_disc_and_conn(pend_ns: int, disc_ns: int, conn_ns: int) -> None:
    assert IoTimes(pend_ns, disc_ns, conn_ns).serv_ns == pend_ns + disc_ns + conn_ns
