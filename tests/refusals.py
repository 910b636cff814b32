"""What a reader refuses, and how: asserted alike everywhere."""

from collections.abc import Callable
from typing import Final

import pytest

from isfc.errors import ConfigurationError

NO_ROOM: Final = "No space left on device; make room there, or write elsewhere"
"""Of any file, after its name."""


def refused(read: Callable[[], object], message: str) -> None:
    """Assert that ``read`` raises `ConfigurationError`, whose text begins with ``message``."""
    with pytest.raises(ConfigurationError) as caught:
        read()
    assert str(caught.value).startswith(message)
