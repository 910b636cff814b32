"""The compiled modules come first while they are as new as the sources, and only then."""

import os
import sys
from pathlib import Path

from tests.waiting import ran
from tools.release.compiled import NAME, path_line

SEES = "import site, sys; site.addsitedir(sys.argv[1]); print(sys.argv[2] in sys.path)"


def seen(project: Path) -> bool:
    """Whether a Python whose site-packages has the file would look among the compiled modules."""
    packages = project / "site-packages"
    packages.mkdir(exist_ok=True)
    (packages / NAME).write_text(path_line(project))
    command = [sys.executable, "-c", SEES, str(packages), str(project / "build" / "compiled")]
    found = ran(command, check=True)
    assert found.stderr == ""
    return found.stdout == "True\n"


def test_changed_sources_are_not_passed_over(tmp_path: Path) -> None:
    source, made = tmp_path / "isfc" / "link" / "lock.py", tmp_path / "build" / "compiled" / "made"
    assert not seen(tmp_path)
    for file in (source, made):
        file.parent.mkdir(parents=True)
        file.touch()
    os.utime(source, (1, 1))
    assert seen(tmp_path)
    os.utime(made, (0, 0))
    assert not seen(tmp_path)


def test_the_file_comes_before_that_of_an_editable_install() -> None:
    assert min("__editable__.isfc-0.1.0.pth", NAME, "easy-install.pth") == NAME
