"""What one mix of I/O needs: channels of each feature, and what else."""

from msgspec import Struct

from isfc.answers.io_plan import finite
from isfc.errors import ConfigurationError
from isfc.io.configuration import Protocol
from isfc.io.proposal import proposal, warnings_of
from isfc.io.sizing import Choice, DistanceNeed, RoomNeed, Sizing, SynchronousNeed


class ChannelChoice(Struct, frozen=True):
    """How many channels of one feature a mix needs."""

    feature: str
    protocol: Protocol
    encrypted: bool
    channels: int
    """now"""
    channels_grown: int
    """the following figures are of each of these, with the grown load"""
    processor_percent: float
    bus_percent: float | None
    """null where not known"""
    line_percent_read: float
    line_percent_write: float
    first: str
    """what is full first"""
    first_at_io_per_s: float
    """of all of them"""

    @property
    def name(self) -> str:
        """``16SA zHPF encr``: in a table."""
        protocol = {Protocol.ZHPF: "zHPF", Protocol.FICON: "FICON"}[self.protocol]
        return f"{short_name(self.feature)} {protocol}{' encr' * self.encrypted}"

    @property
    def line_percent(self) -> float:
        """Of the fuller direction."""
        return max(self.line_percent_read, self.line_percent_write)


class SapsNeeded(Struct, frozen=True):
    """The SAPs of a z15 for a mix that has grown."""

    saps: int | None
    """those that there are, or as few as are enough; null: no machine has enough"""
    busy_percent: float | None
    """null: they cannot do it"""
    given: bool
    """whether the mix says how many there are"""


class MixNeeds(Struct, frozen=True):
    """What a mix needs."""

    name: str
    io_per_s: float
    mb_per_s_read: float
    """10^6 bytes"""
    mb_per_s_write: float
    assumed: tuple[str, ...]
    """what was assumed of the load, and what the mix has today"""
    left_out: tuple[str, ...]
    """chpids whose load RMF could not measure"""
    best: ChannelChoice
    """the same as one of `choices`"""
    choices: tuple[ChannelChoice, ...]
    """each"""
    distances: tuple[DistanceNeed, ...]
    saps: SapsNeeded
    synchronous: SynchronousNeed | None
    """null if no reads fit zHyperLink"""
    rooms: tuple[RoomNeed, ...]
    proposal: str | None
    """the best as a configuration, which `isfc io plan` takes; null where several are sized, and
    where none can be so large"""
    warnings: tuple[str, ...]
    """what `isfc io plan` warns of it: sizing leaves open exchanges out, for one; or why there is
    none"""


def needs_of(sizing: Sizing, *, alone: bool) -> MixNeeds:
    """The record of a mix that was sized; one that is ``alone`` has a proposal."""
    mix, proposed = sizing.mix, _proposed(sizing) if alone else (None, ())
    return MixNeeds(
        *(mix.name, mix.io_per_s, mix.read_mb_per_s, mix.write_mb_per_s, mix.notes, mix.unmeasured),
        _choice(sizing.best),
        tuple(map(_choice, sizing.choices)),
        sizing.distances,
        SapsNeeded(sizing.saps.saps, finite(sizing.saps.busy_percent), mix.saps is not None),
        sizing.synchronous,
        sizing.rooms,
        *proposed,
    )


def _proposed(sizing: Sizing) -> tuple[str | None, tuple[str, ...]]:
    """The best as a configuration, and what is to be said against it; or why there is none."""
    try:
        text = proposal(sizing)
        return text, tuple(warnings_of(text, sizing.guidelines))
    except ConfigurationError as error:
        return None, (f"No configuration can be so large: {error}",)


def _choice(choice: Choice) -> ChannelChoice:
    use, first = choice.use, (choice.first, choice.first_at_io_per_s)
    counts = choice.channels, choice.channels_grown
    return ChannelChoice(
        *(choice.feature, choice.protocol, choice.encrypted, *counts, 100 * use.processor),
        None if use.bus is None else 100 * use.bus,
        *(100 * use.line_read, 100 * use.line_write, *first),
    )


def short_name(feature: str) -> str:
    """``16SA``: of a feature of FICON Express."""
    return feature.removeprefix("FICON Express")
