"""Rules for fibres that are longer than a machine room."""

from collections.abc import Iterator
from typing import Final

from ctc.distance import PORT_CREDITS, credit_bytes_per_s, credits_needed
from ctc.fibre_channel import FRAME_AROUND_LENGTH, FRAME_DATA_LENGTH, Frames, line_ns
from isfc.layout.layout import Fibre
from isfc.layout.rules.rule import Found, Judged, Rule, Severity, Untried


def _beyond_reach(judged: Judged) -> Iterator[Found]:
    alike: dict[tuple[float, float], list[Fibre]] = {}
    for fibre in judged.layout.fibres:
        alike.setdefault((fibre.profile.link_gbps, fibre.km), []).append(fibre)
    for (gbps, km), fibres in alike.items():
        frame_ns = line_ns(Frames(1, FRAME_DATA_LENGTH + FRAME_AROUND_LENGTH), gbps)
        full_mb_per_s = FRAME_DATA_LENGTH * 1e3 / frame_ns
        needed = credits_needed(full_mb_per_s, km, FRAME_DATA_LENGTH, frame_ns)
        if needed > PORT_CREDITS:
            mb_per_s = credit_bytes_per_s(PORT_CREDITS, km, FRAME_DATA_LENGTH, frame_ns) / 1e6
            yield Found(
                f"{judged.place(*fibres)}: the {PORT_CREDITS} buffer credits of a channel's port "
                f"let through {mb_per_s:,.0f} of {full_mb_per_s:,.0f} MB/s each way over {km:g} "
                f"km. {needed:,} are needed for full frames.",
                fibres=tuple(fibres),
            )


RULES: Final = (
    Rule(
        "port-beyond-reach",
        Severity.WARNING,
        "A fibre is longer than the buffer credits of a channel's port reach.",
        "A port sends a frame when it holds a credit, which comes back a round trip later. What "
        "isfc runs knows light's way of 5 us/km, and no credits.",
        "IBM, z15 FICON Express16SA performance: 90 credits a port, enough for 16 Gb/s over 10 km",
        "Put a director with more credits in between.",
        _beyond_reach,
        Untried("the model knows no buffer credits"),
    ),
)
