"""Times of a run as people write them: ``5ms``, ``800us``, ``1.5s``."""

import re
from decimal import Decimal
from typing import Final

_TIME: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(us|ms|s)")
_UNITS_NS: Final = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def read_time_ns(text: str) -> int | None:
    """The nanoseconds of a time such as ``5ms``; None if ``text`` is none."""
    found = _TIME.fullmatch(text)
    return None if found is None else round(Decimal(found[1]) * _UNITS_NS[found[2]])
