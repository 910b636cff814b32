"""What a reader refuses, and how: asserted alike everywhere."""

from collections.abc import Callable

import pytest

from isfc.errors import ConfigurationError


def refused(read: Callable[[], object], message: str) -> None:
    """Assert that ``read`` raises `ConfigurationError`, whose text begins with ``message``."""
    with pytest.raises(ConfigurationError) as caught:
        read()
    assert str(caught.value).startswith(message)
