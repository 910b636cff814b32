"""The compiled package is the same program: it does, step by step, what the source does."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PROGRAM = """
import pickle

import isfc.link
from isfc.trace import DigestSink
from scenarios.catalog import load_layout
from scenarios.run import Experiment, run
from scenarios.workload import find_workload

print(isfc.link.__file__.endswith(".py"))
for layout, name, pairs in (("published-1", "HM", 5), ("published-8", "HY", 100),
                            ("published-16", "HS", 50), ("published-12", "CDU:1000000", 5)):
    sink = DigestSink()
    run(Experiment(load_layout(layout), find_workload(name), pairs, 0.1, 0.05), trace=sink)
    print(sink.hexdigest())
experiment = Experiment(load_layout("published-12"), find_workload("HL"), 5)
print(pickle.loads(pickle.dumps(experiment)) == experiment)
"""


def traces(*folders: Path) -> list[str]:
    path = os.pathsep.join(map(str, folders))
    environment = os.environ | {"PYTHONSAFEPATH": "1", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_compiled_package_leaves_the_same_trace(tmp_path: Path) -> None:
    # a copy, because a build leaves its files beside the source
    source = tmp_path / "source"
    parts = "ctc isfc scenarios setup.cfg setup.py pyproject.toml README.md LICENSE"
    for name in parts.split():
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        source.mkdir(exist_ok=True)
        copy(ROOT / name, source / name)
    compiled = tmp_path / "compiled"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
         "--disable-pip-version-check", "--target", compiled, source],
        env=os.environ | {"ISFC_COMPILE": "1"},
        cwd=source,
        check=True,
    )  # fmt: skip
    interpreted, *expected = traces(ROOT)
    native, *found = traces(compiled)
    assert (interpreted, native) == ("True", "False")
    assert found == expected
