"""The tree of link errors, and what they carry."""

import pickle
from collections.abc import Iterator
from copy import copy

import pytest

from isfc.deck.cabling import SeveralCablings
from isfc.errors import (
    AnswerRefused,
    Backpressure,
    ConfigurationError,
    IsfcError,
    JournalError,
    LocalProtocolError,
    RemoteProtocolError,
    WireError,
)
from isfc.layout.site import SiteProfile
from isfc.live.control import BadRequest
from isfc.programs.protocol import ConversationSevered, SeverCode
from isfc.programs.verification import VerificationError
from isfc.site.figures import BadFigure
from scenarios.figures.site_exchanges import QuietLink
from scenarios.search.site_fitted import FitRefused, Fitted

ERRORS = [
    ConfigurationError("x"),
    LocalProtocolError("x"),
    RemoteProtocolError("x"),
    WireError("x", offset=1),
    Backpressure("x", depth=1, limit=2),
    JournalError("x", offset=1),
    BadRequest("x"),
    BadFigure("x"),
    SeveralCablings("x", ("A:50=C0",)),
    QuietLink("x"),
    VerificationError("x"),
    AnswerRefused("x"),
    FitRefused(Fitted(SiteProfile("made", {}, (), 1, ""), ())),
    ConversationSevered(SeverCode.LINK, "x"),
]


def kinds(root: type[IsfcError]) -> Iterator[type[IsfcError]]:
    yield root
    for kind in root.__subclasses__():
        yield from kinds(kind)


@pytest.mark.parametrize("error", ERRORS)
def test_error_goes_to_another_process_as_it_is(error: IsfcError) -> None:
    # a worker whose error cannot be read there takes all others with it
    for again in (pickle.loads(pickle.dumps(error)), copy(error)):
        assert type(again) is type(error)
        assert (str(again), vars(again)) == (str(error), vars(error))


def test_no_kind_of_error_is_left_out() -> None:
    ours = {kind for kind in kinds(IsfcError) if kind.__module__.partition(".")[0] != "tests"}
    assert {type(error) for error in ERRORS} == ours - {IsfcError}


@pytest.mark.parametrize("error", ERRORS[:6])
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
