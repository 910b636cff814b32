"""Public records copy, and go to other processes: compiled and as source, and before all else."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

import isfc
from tests.isfc.records_made import MADE
from tests.lengthy import few_in_every_run

ROOT: Final = Path(__file__).parents[2]
NO_RECORDS: Final = frozenset(["Edit", "OpenNode", "Conversation"])
"""One is what edits have in common, and the others are live."""

TO_WORKERS: Final = """
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
import isfc

if __name__ == "__main__":
    layout = isfc.load_layout("atlanta-boston")
    for how in ("fork", "spawn"):
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(how)) as pool:
            print(pool.submit(repr, layout).result(100))
"""


def said(form: Path, *words: str) -> str:
    """What Python says, with isfc from a folder."""
    path = os.pathsep.join([str(form), str(ROOT)])
    environment = os.environ | {"PYTHONSAFEPATH": "1", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, *words],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    return done.stdout + done.stderr


@pytest.mark.at_length
@pytest.mark.parametrize("form", few_in_every_run(["compiled", "source"]))
def test_public_records_copy_and_go_to_a_process_that_has_done_nothing_else(
    compiled: Path | None, form: str, tmp_path: Path
) -> None:
    if form == "compiled" and compiled is None:
        pytest.skip("there is no C compiler")
    place = compiled if form == "compiled" and compiled else ROOT
    assert said(place, "-m", "tests.isfc.records_made", str(tmp_path)) == ""
    assert said(place, "-m", "tests.isfc.records_made", str(tmp_path), "read") == ""
    to_workers = tmp_path / "to_workers.py"
    to_workers.write_text(TO_WORKERS)
    assert said(place, str(to_workers)) == f"{isfc.load_layout('atlanta-boston')!r}\n" * 2
    seen: set[str] = set()
    for name in MADE:
        with (tmp_path / name).open("rb") as file:
            seen |= pickle.load(file)[1]
    assert public_records() <= seen


def public_records() -> set[str]:
    """The public classes, but for errors: each has to be met among the records that are made."""
    public = {name: getattr(isfc, name) for name in isfc.__all__ if name not in NO_RECORDS}
    public |= {name: getattr(isfc.measured, name) for name in isfc.measured.__all__}
    return {
        f"{kind.__module__}.{kind.__qualname__}"
        for kind in public.values()
        if isinstance(kind, type) and not issubclass(kind, Exception)
    }
