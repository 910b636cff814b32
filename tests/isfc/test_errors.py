"""The tree of link errors, and what they carry."""

import pytest

from isfc.errors import (
    Backpressure,
    ConfigurationError,
    IsfcError,
    LocalProtocolError,
    RemoteProtocolError,
    WireError,
)


@pytest.mark.parametrize(
    "error",
    [
        ConfigurationError("x"),
        LocalProtocolError("x"),
        RemoteProtocolError("x"),
        WireError("x", offset=1),
        Backpressure("x", depth=1, limit=1),
    ],
)
def test_whoever_catches_the_root_catches_all(error: IsfcError) -> None:
    with pytest.raises(IsfcError, match=r"^x"):
        raise error


def test_bytes_that_do_not_decode_are_the_partners_fault() -> None:
    error = WireError("unknown verb 9", offset=12)
    assert isinstance(error, RemoteProtocolError)
    assert error.offset == 12
    assert str(error) == "unknown verb 9 (at byte 12)"


def test_back_pressure_says_how_full_the_queue_is() -> None:
    error = Backpressure("backlog", depth=9, limit=8)
    assert (error.depth, error.limit) == (9, 8)
    assert str(error) == "backlog is full: 9 of 8"
