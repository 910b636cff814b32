"""I/O Queuing Activity: an I/O processor's figures, and whether they can be of one line."""

from dataclasses import dataclass
from typing import Final

from isfc.errors import ConfigurationError
from isfc.io.rmf_words import Word, continues, expect, is_number, starts_iop, values_from

WHOLE_SYSTEM: Final = "SYS"
"""The name of the line that sums up the I/O processors."""

_VALUES: Final = ("ACTIVITY RATE", "AVG Q LNGTH", "% IOP BUSY", "I/O START", "INTERRUPT")
_CAUSES: Final = 4
_RETRIES: Final = 2 * (_CAUSES + 1)
_FIGURES: Final = len(_VALUES) + _RETRIES
_PERCENT_MAX: Final = 100.5


@dataclass(frozen=True, slots=True)
class IopLine:
    """An I/O processor in I/O Queuing Activity; ``SYS`` is the whole system."""

    iop: str
    busy_percent: float | None
    starts_per_s: float | None
    interrupts_per_s: float | None


def read_iop(words: list[Word], start: int) -> tuple[IopLine, int]:
    """The IOP that begins at ``start``, and where its line ends.

    Raises `ConfigurationError` where its figures cannot be those of one line.
    """
    values, end = values_from(words, start + 1, _FIGURES + 1, words[start], starts_iop)
    texts = [word.text for word in words[end - _RETRIES : end]]
    shares = values[2:3]
    if len(values) == _FIGURES + 1:
        shares.append(values.pop(3))  # % CMPR BUSY, which later releases have
    used = values[: len(_VALUES)]
    expect(used, _VALUES, words[start], f"IOP {words[start].text}")
    if len(values) != _FIGURES or any((share or 0.0) > _PERCENT_MAX for share in shares):
        raise ConfigurationError(
            f"{words[start].place}: IOP {words[start].text} has {len(values)} figures, "
            f"% IOP BUSY {shares[0]}; expected {_FIGURES}, and at most 100: is one missing?"
        )
    if problem := _of_retries(texts, values[-_RETRIES:]):
        raise ConfigurationError(
            f"{words[start].place}: IOP {words[start].text}: {problem}: are columns shifted?"
        )
    if end < len(words) and continues(words, end):
        raise ConfigurationError(
            f"{words[end].place}: IOP {words[start].text} has more than {_FIGURES} "
            "figures; expected a line for each IOP"
        )
    name = words[start].text
    _, _, busy, starts, interrupts = used
    iop = WHOLE_SYSTEM if name.startswith("S") else name
    return IopLine(iop, busy, starts, interrupts), end


def _of_retries(texts: list[str], values: list[float | None]) -> str | None:
    """What the last figures of an IOP cannot be; None if they can.

    They are two groups, shares and retries an SSCH, each for all causes and by its four causes.
    """
    for name, at in (("% I/O REQUESTS RETRIED", 0), ("RETRIES / SSCH", _CAUSES + 1)):
        group = slice(at, at + _CAUSES + 1)
        decimals = {len(text.partition(".")[2]) for text in texts[group] if is_number(text)}
        if len(decimals) > 1:
            return f"{name} is {', '.join(texts[group])}; expected as many decimals in each"
        whole, *causes = (value or 0.0 for value in values[group])
        off = (_CAUSES + 1) * 10.0 ** -max(decimals, default=0)
        if abs(whole - sum(causes)) > off:
            return f"ALL of {name} is {whole:g}; expected what its causes make, {sum(causes):g}"
    return None
