"""The workloads that the published documents measure, by name.

Each gives keys of an ``[[io]]`` table: what the table says itself goes first.
"""

from collections.abc import Mapping
from typing import Any, Final

from isfc.errors import ConfigurationError
from isfc.layout.closest import expected

BLOCK_27K: Final = 27_648
"""Bytes: half a track of a 3390, what SAS and BSAM like best."""

NAMED_WORKLOADS: Final[Mapping[str, Mapping[str, Any]]] = {
    "read-4k": {"block": 4096, "read_percent": 100},
    "write-4k": {"block": 4096, "read_percent": 0},
    "read-128k": {"block": 4096, "blocks": 32, "read_percent": 100},
    "write-128k": {"block": 4096, "blocks": 32, "read_percent": 0},
    "sequential-128k": {"block": 4096, "blocks": 32, "read_percent": 50},
    "castout": {"block": 4096, "blocks": 64, "read_percent": 0},
    "mix": {"block": 4096, "read_percent": 70, "cache_hit_percent": 90},
    "sas-random": {"block": BLOCK_27K, "read_percent": 100, "outstanding": 64},
    "sas-sequential": {"block": BLOCK_27K, "blocks": 2, "read_percent": 100, "outstanding": 8},
    "vsam-nsr": {"block": 4096, "read_percent": 100, "outstanding": 1},
    "streams-out": {"protocol": "tcp", "block": 20_971_520, "read_percent": 0},
    "streams-in": {"protocol": "tcp", "block": 20_971_520, "read_percent": 100},
    "streams-mixed": {"protocol": "tcp", "block": 20_971_520, "read_percent": 50},
}
"""Keys and values as they stand in TOML.

``read-4k`` to ``sequential-128k``: the I/O drivers of the FICON Express16SA report (its large
sequential mix reads and writes as much). ``castout``: Db2's, 64 pages of 4K. ``mix``: assumed,
a common online load. SAS: half-track blocks; its sequential
reads chain the two of a track (derived: the channel utilization of both protocols fits that).
``vsam-nsr``: one read after the other. ``streams``: about 20 MB each, as in the OSA report.
"""


def named_workload(name: str) -> Mapping[str, Any]:
    """The keys of the workload called ``name``. Raises `ConfigurationError` if there is none."""
    try:
        return NAMED_WORKLOADS[name]
    except KeyError:
        raise ConfigurationError(
            f"{name[:40]!r} is unknown; {expected(name, NAMED_WORKLOADS)}"
        ) from None
