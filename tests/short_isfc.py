"""isfc with short runs of the model, for tests of what is said of a figure, whatever it is.

As a command, ``python -m tests.short_isfc``, it is isfc in a process of its own; those that it
starts to compute in have short runs too, as they load the main module of the one that started them.
"""

from typing import Any, Final

from scenarios.figures import glance
from scenarios.moves import evacuation
from scenarios.runs import steady

SHORT: Final[list[tuple[Any, str, int]]] = [
    (evacuation, "WARMUP_NS", 20_000_000),
    (steady, "WARMUP_NS", 20_000_000),
    (steady, "_FIRST_LOOK_NS", 10_000_000),
    (steady, "BATCH_NS", 8_000_000),
    (steady, "BATCHES_MAX", steady.BATCHES_MIN),
    (glance, "BEGIN_NS", 40_000_000),
    (glance, "LENGTH_NS", 50_000_000),
]
"""Constants of modules, and what they are then: a tenth of the virtual time, or less."""

if __name__ in ("__main__", "__mp_main__"):
    for module, name, value in SHORT:
        setattr(module, name, value)

if __name__ == "__main__":
    from isfc.cli.script import main

    raise SystemExit(main())
