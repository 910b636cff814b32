"""Devices and I/O processors as RMF prints them, and the interval that lines of one time make.

Each line is read as a whole, with its columns, and whether its figures can be those of one line: a
device of Direct Access Device Activity, whose times add up, and an I/O processor of I/O Queuing
Activity. Channels are in `isfc.io.rmf_channels`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from isfc.io import rmf_text
from isfc.io.rmf_channels import ChannelLine
from isfc.layout.columns import Word
from isfc.layout.pasted import LineAccount

LINES_MISSING: Final = "lines missing"
"""Why a total is passed over: those that make it are not all there."""


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


def device_columns(words: list[Word], at: int) -> tuple[tuple[str, ...], int] | None:
    """The columns of a heading of devices from RESP on, and where it ends; None if it is none.

    Earlier releases have no INT, and later ones no %MT.
    """
    end = next((n for n in range(at, min(at + 9, len(words))) if words[n].text == "CONN"), at)
    found = tuple(word.text for word in words[at : end + 1])
    without = tuple(name for name in DEVICE_TIMES if name != "INT")
    if found not in (DEVICE_TIMES, without):
        return None
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
    values, end = rmf_text.values_from(words, at, most, start, rmf_text.starts_device)
    what = f"device {start.text}"
    if rmf_text.follows_row(words, end, rmf_text.starts_device):
        raise words[end].error(
            f"{what} has more than {len(values)} figures; expected each once: was a part of the "
            "line pasted twice?"
        )
    choices = _possible_columns(len(values), columns)
    if not choices:
        rmf_text.expect(values, columns or (*DEVICE_TIMES, *DEVICE_SHARES), start, what)
    texts = [word.text for word in words[at:end] if "." in word.text]
    unit_ms = max((10.0 ** -len(text.partition(".")[2]) for text in texts[:4]), default=1.0)
    meant = [names for names in choices if is_synchronous or _adds_up(names, values, unit_ms)]
    if not meant:
        raise start.error(
            f"{what}: RESP {values[0]} ms is not IOSQ + PEND + DISC + CONN; expected the same "
            "within rounding: are columns shifted?"
        )
    found, *others = (dict(zip(names, values, strict=True)) for names in meant)
    in_use = max(found["%CONN"] or 0.0, found["%UTIL"] or 0.0)
    if found["RESP"] == 0.0 and in_use > _PERCENT_OFF:
        raise start.error(
            f"{what}: RESP is 0, and the device is in use {in_use} % of the time; expected a "
            "response time: are columns shifted?"
        )
    if not is_synchronous and not _is_in_use(found, unit_ms):
        raise start.error(
            f"{what}: DEV UTIL {found['%UTIL']} % is less than DISC {found['DISC']} ms and CONN "
            f"{found['CONN']} ms make with DEV CONN {found['%CONN']} %; expected as much: are "
            "columns shifted?"
        )
    if any(other[name] != found[name] for other in others for name in USED_TIMES):
        raise start.error(
            f"{what} has {len(values)} figures, which may be those with INT or with MT PEND; "
            "expected them below their headings"
        )
    return found, end


RATE: Final = re.compile(rf"({rmf_text.WHOLE}\.\d{{1,20}})((?<=\.\d{{3}})S)?")
"""S says that I/Os are synchronous, behind all three decimals: it may be a 5 that was misread."""

_NO_FIGURES: Final = frozenset(("OFFLINE", "NOT", "NO", "LCU"))
"""What follows a device that is offline or was not measured, or begins the next line."""


def read_device(
    words: list[Word], start: int, columns: tuple[str, ...]
) -> tuple["DeviceLine | rmf_text.PassedOver", int]:
    """The device that begins at ``start``, below ``columns``, and where its line ends.

    The words between its type and its LCU are optional but for the volume. Raises
    `ConfigurationError` where its figures cannot be those of one line.
    """
    device = words[start].text
    nothing = rmf_text.PassedOver(device, "device", "no figures"), start + 2
    if start + 2 < len(words) and words[start + 2].text in _NO_FIGURES:
        return nothing
    for at in range(start + 3, min(start + 6, len(words) - 1)):
        rate = RATE.fullmatch(words[at + 1].text)
        if words[at].text in _NO_FIGURES:
            return nothing
        if rate and rmf_text.DEVICE.fullmatch(words[at].text):
            found, end = read_times(
                words, at + 2, words[start], columns, is_synchronous=bool(rate[2])
            )
            times = tuple(found[name] for name in USED_TIMES)
            return DeviceLine(device, words[at].text, rmf_text.number_of(rate[1]), times), end
    figures = [word for word in words[start + 2 : start + 20] if "." in word.text]
    if len(figures) >= len(USED_TIMES):
        raise words[start].error(
            f"device {device} has figures, and no LCU and rate in front of them; expected them as "
            "printed"
        )
    return nothing


WHOLE_SYSTEM: Final = "SYS"
"""The name of the line that sums up the I/O processors."""

_VALUES: Final = ("ACTIVITY RATE", "AVG Q LNGTH", "% IOP BUSY", "I/O START", "INTERRUPT")
_CAUSES: Final = 4
_RETRIES: Final = 2 * (_CAUSES + 1)
_FIGURES: Final = len(_VALUES) + _RETRIES


class IopLine(Struct, frozen=True):
    """An I/O processor in I/O Queuing Activity; ``SYS`` is the whole system."""

    iop: str
    starts_per_s: float | None
    figures: tuple[float | None, ...]
    """How busy it was in percent, starts and interrupts a second."""

    @property
    def title(self) -> str:
        """How to speak of it in a message."""
        return f"IOP {self.iop}"


def read_iop(words: list[Word], start: int) -> tuple[IopLine, int]:
    """The IOP that begins at ``start``, and where its line ends.

    Raises `ConfigurationError` where its figures cannot be those of one line.
    """
    values, end = rmf_text.values_from(
        words, start + 1, _FIGURES + 1, words[start], rmf_text.starts_iop
    )
    texts = [word.text for word in words[end - _RETRIES : end]]
    shares = values[2:3]
    if len(values) == _FIGURES + 1:
        shares.append(values.pop(3))  # % CMPR BUSY, which later releases have
    used = values[: len(_VALUES)]
    rmf_text.expect(used, _VALUES, words[start], f"IOP {words[start].text}")
    if len(values) != _FIGURES or any((share or 0.0) > rmf_text.PERCENT_MAX for share in shares):
        raise words[start].error(
            f"IOP {words[start].text} has {end - start - 1} figures up to line "
            f"{words[end - 1].line}, % IOP BUSY {shares[0]}; expected {_FIGURES} or "
            f"{_FIGURES + 1}, and at most 100: is one missing, or has a row a mark?"
        )
    if problem := _of_retries(texts, values[-_RETRIES:]):
        raise words[start].error(f"IOP {words[start].text}: {problem}: are columns shifted?")
    if end < len(words) and rmf_text.continues(words, end):
        raise words[end].error(
            f"IOP {words[start].text} has more than {_FIGURES} figures; expected a line for each "
            "IOP"
        )
    name = words[start].text
    iop = WHOLE_SYSTEM if name.startswith("S") else name
    busy, starts, interrupts = used[2:]
    return IopLine(iop, starts, (busy, starts, interrupts)), end


def _of_retries(texts: list[str], values: list[float | None]) -> str | None:
    """What the last figures of an IOP cannot be; None if they can.

    They are two groups, shares and retries an SSCH, each for all causes and by its four causes.
    """
    for name, at in (("% I/O REQUESTS RETRIED", 0), ("RETRIES / SSCH", _CAUSES + 1)):
        group = slice(at, at + _CAUSES + 1)
        decimals = {
            len(text.partition(".")[2]) for text in texts[group] if rmf_text.is_number(text)
        }
        if len(decimals) > 1:
            return f"{name} is {', '.join(texts[group])}; expected as many decimals in each"
        whole, *causes = (value or 0.0 for value in values[group])
        off = (_CAUSES + 1) * 10.0 ** -max(decimals, default=0)
        if abs(whole - sum(causes)) > off:
            return f"ALL of {name} is {whole:g}; expected what its causes make, {sum(causes):g}"
    return None


class DeviceLine(Struct, frozen=True):
    """A device in Direct Access Device Activity; ``times_ms`` are its `USED_TIMES`, means."""

    device: str
    lcu: str
    io_per_s: float
    times_ms: tuple[float | None, ...]

    @property
    def title(self) -> str:
        """How to speak of it in a message."""
        return f"device {self.device}"


@dataclass(slots=True)
class RmfInterval:
    """What was reported of one system and interval; ``date`` and ``time`` as printed."""

    system: str
    date: str
    time: str
    channels: list[ChannelLine] = field(default_factory=list)
    devices: list[DeviceLine] = field(default_factory=list)
    iops: list[IopLine] = field(default_factory=list)
    passed_over: list[rmf_text.PassedOver] = field(default_factory=list)
    account: LineAccount = field(default_factory=lambda: LineAccount(0), compare=False, repr=False)
    """What became of each line of the text that it was read from."""

    @property
    def io_per_s(self) -> float:
        """All I/Os a second: of the channels if they were reported, else of the devices.

        A channel whose load RMF could not measure is not in it.
        """
        if self.channels:
            return sum(line.io_per_s for line in self.channels if line.has_load)
        return sum(line.io_per_s for line in self.devices)

    @property
    def is_measured(self) -> bool:
        """Whether RMF could measure the load of each channel that it reports."""
        return all(line.has_load for line in self.channels)

    @property
    def name(self) -> str:
        """How to speak of it: ``P34 08/15/2019 09.39.44``."""
        return " ".join(filter(None, (self.system, self.date, self.time))) or "the report"


def busiest(intervals: tuple[RmfInterval, ...]) -> RmfInterval:
    """The interval with the most I/Os a second; there must be one."""
    return max(intervals, key=lambda interval: interval.io_per_s)
