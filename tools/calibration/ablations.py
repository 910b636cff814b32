"""What each rule of the model does: the published tables replayed without it, nothing fitted again.

``make fidelity`` switches off one rule at a time (`RULES`) and writes ``docs/ablations.csv``:
figures of `tools.calibration.judge`, with and without it, which ``docs/fidelity.md`` shows. A rule
is switched off by a value of a constant at which it does nothing. A dozen replays of 2 s take some
ten minutes on two idle processors.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tools import DOCS
from tools.calibration.judge import judgement, replay_all
from tools.calibration.knobs import build_constants
from tools.tables import study

SEEDS: Final = 1
SECONDS: Final = 2.0
"""What one replay takes: figures differ by some tenths of a percent from seed to seed then."""

FIGURES: Final = DOCS / "ablations.csv"

SHOWN: Final = {
    "MB/s, several CTCs: median": ("transport", "mb_per_s", "multi-CTC", "median", "%"),
    "MB/s, several CTCs: 90 %": ("transport", "mb_per_s", "multi-CTC", "p90", "%"),
    "MB/s, several CTCs: worst": ("transport", "mb_per_s", "multi-CTC", "worst", "%"),
    "MB/s, one CTC: worst": ("transport", "mb_per_s", "one CTC", "worst", "%"),
    "RDEV util, several CTCs: 90 %": ("transport", "rdev_util_percent", "multi-CTC", "p90", "%"),
    "quiet rows: the worst": ("transport", "collisions_per_s", "quiet", "worst", ""),
    "DISC of writers: median": ("device_reports", "disc_ms", "writing devices", "median", "%"),
    "packages of replies: factor": ("link_activity", "read_pkgs_per_s", "all", "worst", "x"),
}
"""The figures that are kept, and which check of a table each is."""
COLUMNS: Final = ("without", *SHOWN)


RULES: Final[Mapping[str, Mapping[str, float]]] = {
    "a channel takes turns": {"chpid.turn_ns": 0},
    "a channel rolls off with its writers": {"chpid.roll_off": 0},
    "an interrupt takes time": {"chpid.interrupt_ns": 0},
    "the end of a WRITE is told promptly": {"chpid.write_interrupt_ns": 94_200},
    "a guest is dispatched first": {"guests.client_latency_ns": 0},
    "a client's bytes cost time": {"guests.client_ns_per_byte": 0},
    "a received byte costs time": {"link.receive_ns_per_byte": 0},
    "the release of a written byte costs time": {"link.release_ns_per_byte": 0},
    "a package takes a share": {"link.share_length": 0},
    "short links open a CTC later": {
        "link.open_length_exponent": 0,
        "link.open_count_exponent": 0,
    },
    "a long message opens a CTC": {"link.open_message_length": 16 * 2**20},
    "messages count on a single CTC": {"link.single_ctc_message_length": 0},
}
"""The rules that a constant switches off, and the values at which each does nothing."""


def measure(without: tuple[str, Mapping[str, float]]) -> list[tuple[str, ...]]:
    """The line of a model that does without a rule, by `COLUMNS`."""
    name, off = without
    found = {
        (one.table, one.measure, one.of, one.statistic, one.unit): one.reached
        for one in judgement(replay_all(SEEDS, SECONDS, None, build_constants(off)))
    }
    return [(name, *(f"{found[check]:.4g}" for check in SHOWN.values()))]


def files() -> dict[Path, str]:
    """The table: the model as it is, and without each of its rules in turn."""
    return {FIGURES: study(COLUMNS, measure, [("nothing", {}), *RULES.items()])}
