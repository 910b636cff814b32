"""Direct Access Device Activity: a device's times, their columns, and whether they add up."""

import re
from collections.abc import Mapping
from typing import Final

from isfc.errors import ConfigurationError
from isfc.io.rmf_words import Word, expect, follows_row, starts_device, values_from

DEVICE_TIMES: Final = ("RESP", "IOSQ", "CMR", "DB", "INT", "PEND", "DISC", "CONN")
USED_TIMES: Final = ("RESP", "IOSQ", "PEND", "DISC", "CONN")
DEVICE_SHARES: Final = ("%CONN", "%UTIL", "%RESV", "ALLOC", "%ANY", "%MT")
"""What stands behind them; later releases have no %MT, mount pending."""

_SHARE_WORDS: Final = re.compile(r"DEV DEV DEV (?:NMBR|NUMBER) ANY")
"""How a heading names the others, up to %ANY."""

_SUM_OFF_MS: Final = 2.5
"""Last digits by which RESP and IOSQ + PEND + DISC + CONN may differ: each is rounded."""

_PERCENT_OFF: Final = 0.05
"""By how much DEV CONN and DEV UTIL may be off: half of the last digit of releases that have one
digit behind the point."""


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


def _possible_columns(count: int, known: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The columns that so many figures of a device may be, below a heading that is known or not."""
    every = [
        (*(name for name in DEVICE_TIMES if has_int or name != "INT"), *shares)
        for has_int in (True, False)
        for shares in (DEVICE_SHARES, DEVICE_SHARES[:-1])
    ]
    return [names for names in every if len(names) == count and names[: len(known)] == known]


def _adds_up(names: tuple[str, ...], values: list[float | None], unit_ms: float) -> bool:
    """Whether RESP is what it is made of, with or without the delay of interrupts."""
    found = dict(zip(names, values, strict=True))
    parts = [found[name] for name in ("IOSQ", "PEND", "DISC", "CONN")]
    whole = found["RESP"]
    if whole is None or None in parts:
        return True
    total = sum(part for part in parts if part is not None)
    off = _SUM_OFF_MS * unit_ms
    return total - off <= whole <= total + (found.get("INT") or 0.0) + off


def _is_in_use(found: Mapping[str, float | None], unit_ms: float) -> bool:
    """Whether a device is in use (DEV UTIL) for all of DISC and CONN, of which DEV CONN has CONN.

    Both are divided alike by the exposures of a PAV; DEV UTIL has the time reserved as well.
    """
    disc, conn, connected, used = (found[name] for name in ("DISC", "CONN", "%CONN", "%UTIL"))
    if disc is None or not conn or connected is None or used is None:
        return True
    least = 1.0 + max(disc - unit_ms, 0.0) / (conn + unit_ms)
    return used + _PERCENT_OFF >= max(connected - _PERCENT_OFF, 0.0) * least


def read_times(
    words: list[Word], at: int, start: Word, columns: tuple[str, ...], *, is_synchronous: bool
) -> tuple[dict[str, float | None], int]:
    """The times of the device that begins at ``start``, behind its rate, and where they end.

    ``columns`` are those of the heading, as far as it is known. Raises `ConfigurationError` where
    a time cannot be told from the others; those of synchronous I/Os are not divided.
    """
    most = len(DEVICE_TIMES) + len(DEVICE_SHARES)
    values, end = values_from(words, at, most, start, starts_device)
    what = f"device {start.text}"
    if follows_row(words, end, starts_device):
        raise ConfigurationError(
            f"{words[end].place}: {what} has more than {len(values)} figures; expected each "
            "once: was a part of the line pasted twice?"
        )
    choices = _possible_columns(len(values), columns)
    if not choices:
        expect(values, columns or (*DEVICE_TIMES, *DEVICE_SHARES), start, what)
    texts = [word.text for word in words[at:end] if "." in word.text]
    unit_ms = max((10.0 ** -len(text.partition(".")[2]) for text in texts[:4]), default=1.0)
    meant = [names for names in choices if is_synchronous or _adds_up(names, values, unit_ms)]
    if not meant:
        raise ConfigurationError(
            f"{start.place}: {what}: RESP {values[0]} ms is not IOSQ + PEND + DISC + "
            "CONN; expected the same within rounding: are columns shifted?"
        )
    found, *others = (dict(zip(names, values, strict=True)) for names in meant)
    in_use = max(found["%CONN"] or 0.0, found["%UTIL"] or 0.0)
    if found["RESP"] == 0.0 and in_use > _PERCENT_OFF:
        raise ConfigurationError(
            f"{start.place}: {what}: RESP is 0, and the device is in use {in_use} % of the time; "
            "expected a response time: are columns shifted?"
        )
    if not is_synchronous and not _is_in_use(found, unit_ms):
        raise ConfigurationError(
            f"{start.place}: {what}: DEV UTIL {found['%UTIL']} % is less than "
            f"DISC {found['DISC']} ms and CONN {found['CONN']} ms make with DEV CONN "
            f"{found['%CONN']} %; expected as much: are columns shifted?"
        )
    if any(other[name] != found[name] for other in others for name in USED_TIMES):
        raise ConfigurationError(
            f"{start.place}: {what} has {len(values)} figures, which may be those with "
            "INT or with MT PEND; expected them below their headings"
        )
    return found, end
