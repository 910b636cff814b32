"""Where a result comes from: what could explain that another one is different."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any, Final

from ctc.profiles import FEATURES
from isfc.layout.write import format_layout
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts

_DIGITS: Final = 12
"""Hexadecimal digits of a digest: enough to tell layouts and models apart."""


def provenance(
    experiment: Experiment, *, version: str, name: str | None = None, command: str | None = None
) -> dict[str, Any]:
    """What a result was made with, by isfc ``version``; ``name`` is what the layout was called."""
    layout = format_layout(experiment.layout)
    return {
        "version": version,
        "constants": constants_digest(experiment.link, experiment.guests),
        "layout": name,
        "layout_digest": _digest(layout),
        "layout_toml": layout,
        "command": command,
    }


def constants_digest(link: LinkParameters, guests: GuestCosts) -> str:
    """The same for two models if and only if all their constants are."""
    return _digest(repr([plain(each) for each in (link, guests, FEATURES)]))


def plain(value: object) -> object:
    """Constants without their types: compiled, a float that was written as 1 is 1.0."""
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if is_dataclass(value):
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    return str(value)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:_DIGITS]
