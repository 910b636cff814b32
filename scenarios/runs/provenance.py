"""Where a result comes from: what could explain that another one is different."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from hashlib import sha256
from typing import Final

from msgspec import Struct, structs

from ctc.profiles import FEATURES
from isfc.layout.write import format_layout
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts

_DIGITS: Final = 12
"""Hexadecimal digits of a digest: enough to tell layouts and models apart."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a result was made with."""

    version: str
    """of isfc"""
    constants: str
    """a digest of all constants of the model"""
    layout: str | None
    """as it was called"""
    layout_digest: str
    layout_toml: str
    """the layout itself"""
    command: str | None


def provenance(
    experiment: Experiment, *, version: str, name: str | None = None, command: str | None = None
) -> Provenance:
    """What a result was made with, by isfc ``version``; ``name`` is what the layout was called."""
    layout = format_layout(experiment.layout)
    constants = constants_digest(experiment.link, experiment.guests)
    return Provenance(version, constants, name, _digest(layout), layout, command)


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
    if isinstance(value, Struct):
        return plain(structs.asdict(value))
    if is_dataclass(value):
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    return str(value)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:_DIGITS]
