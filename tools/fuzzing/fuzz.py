"""``python -m tools.fuzzing.fuzz NAME --seconds S``: one target, guided by what its code reaches.

atheris changes inputs of the corpus and keeps those that reach something new, in a folder of its
own. It ends with 1 at the first input that raises what is not documented, takes longer than ten
seconds, or more memory than `MEMORY_MB`; that input is then in the folder, and belongs into the
corpus with its fix.
"""

import sys
from pathlib import Path
from typing import Final

import typer

MEMORY_MB: Final = 1_024
"""Memory that a target may take, with all that it has found, in 2^20 bytes."""
INPUT_LENGTH_MAX: Final = 8_192
"""Bytes of an input."""


def main(target: str, seconds: int = 600, folder: Path = Path(".fuzz")) -> None:
    """Fuzz one target; does not return."""
    import atheris  # not installed for the tests

    with atheris.instrument_imports(include=["ctc", "isfc", "scenarios"]):
        from tools.fuzzing.targets import CORPUS, TARGETS, feed

    if target not in TARGETS:
        raise typer.BadParameter(f"{target}: expected {', '.join(TARGETS)}")
    found = folder / target
    found.mkdir(parents=True, exist_ok=True)
    atheris.Setup(
        [
            sys.argv[0],
            f"-max_total_time={seconds}",
            f"-rss_limit_mb={MEMORY_MB}",
            f"-max_len={INPUT_LENGTH_MAX}",
            "-timeout=10",
            "-print_final_stats=1",
            f"-artifact_prefix={found}/",
            str(found),
            str(CORPUS / target),
        ],
        lambda data: feed(target, data),
    )
    atheris.Fuzz()


if __name__ == "__main__":
    typer.run(main)
