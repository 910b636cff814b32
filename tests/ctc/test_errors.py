"""The tree of hardware errors."""

import pytest

from ctc.address import BadChpid, BadRdev, CtcError
from ctc.channel import BadFeature


@pytest.mark.parametrize("kind", [BadChpid, BadFeature, BadRdev])
def test_whoever_catches_the_root_catches_all(kind: type[CtcError]) -> None:
    with pytest.raises(CtcError, match=r"^what was expected$"):
        raise kind("what was expected")
    assert issubclass(kind, ValueError)
