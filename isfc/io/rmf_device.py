"""Direct Access Device Activity: the columns of a device's times, and whether they add up."""

import re
from typing import Final

from isfc.io.rmf_words import Word

DEVICE_TIMES: Final = ("RESP", "IOSQ", "CMR", "DB", "INT", "PEND", "DISC", "CONN")
USED_TIMES: Final = ("RESP", "IOSQ", "PEND", "DISC", "CONN")
DEVICE_SHARES: Final = ("%CONN", "%UTIL", "%RESV", "ALLOC", "%ANY", "%MT")
"""What stands behind them; later releases have no %MT, mount pending."""

_SHARE_WORDS: Final = re.compile(r"DEV DEV DEV (?:NMBR|NUMBER) ANY")
"""How a heading names the others, up to %ANY."""

_SUM_OFF_MS: Final = 2.5
"""Last digits by which RESP and IOSQ + PEND + DISC + CONN may differ: each is rounded."""


def device_columns(words: list[Word], at: int) -> tuple[tuple[str, ...], int]:
    """The columns of a heading of devices from RESP on, and where it ends; none if it is none.

    Earlier releases have no INT, and later ones no %MT.
    """
    end = next((n for n in range(at, min(at + 9, len(words))) if words[n].text == "CONN"), at)
    found = tuple(word.text for word in words[at : end + 1])
    without = tuple(name for name in DEVICE_TIMES if name != "INT")
    if found not in (DEVICE_TIMES, without):
        return (), at
    shares = words[end + 1 : end + len(DEVICE_SHARES)]
    if not _SHARE_WORDS.fullmatch(" ".join(word.text for word in shares)):
        return found, end + 1
    end += 1 + len(shares)
    has_mt = end < len(words) and words[end].text == "MT"
    return (*found, *(DEVICE_SHARES if has_mt else DEVICE_SHARES[:-1])), end


def possible_columns(count: int, known: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The columns that so many figures of a device may be, below a heading that is known or not."""
    every = [
        (*(name for name in DEVICE_TIMES if has_int or name != "INT"), *shares)
        for has_int in (True, False)
        for shares in (DEVICE_SHARES, DEVICE_SHARES[:-1])
    ]
    return [names for names in every if len(names) == count and names[: len(known)] == known]


def adds_up(names: tuple[str, ...], values: list[float | None], unit_ms: float) -> bool:
    """Whether RESP is what it is made of, with or without the delay of interrupts."""
    found = dict(zip(names, values, strict=True))
    parts = [found[name] for name in ("IOSQ", "PEND", "DISC", "CONN")]
    whole = found["RESP"]
    if whole is None or None in parts:
        return True
    total = sum(part for part in parts if part is not None)
    off = _SUM_OFF_MS * unit_ms
    return total - off <= whole <= total + (found.get("INT") or 0.0) + off
