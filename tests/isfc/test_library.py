"""Libraries that may be missing: what is said then, and that it is what the extras ask for."""

import re
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.errors import ConfigurationError
from isfc.errors.loading import EXTRAS, check_library
from tools.release.trial import EXTRAS as TRIED

SETUP = Path(__file__).parents[2] / "setup.cfg"


@pytest.mark.parametrize("module", EXTRAS)
def test_missing_library_is_named_with_the_command_that_installs_it(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_library(module, "--here")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"^--here needs [a-z0-9-]+, which") as caught:
        check_library(module, "--here")
    extra, _ = EXTRAS[module]
    assert str(caught.value).endswith(f"{sys.executable} -m pip install 'isfc[{extra}]'")


def test_report_without_the_library_that_writes_pages_names_it() -> None:
    """The page's own modules were loaded first: a traceback, from Python and for its help too."""
    code = (
        "import sys; sys.modules['markupsafe'] = sys.modules['jinja2'] = None; import isfc\n"
        "sys.argv = ['isfc', 'report', '--help']; from isfc.cli.main import run; run()\n"
        "isfc.report('published-4')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert "Usage: isfc report" in done.stdout
    assert "ConfigurationError: isfc report needs jinja2, which is not installed" in done.stderr


def test_html_without_the_library_that_writes_pages_names_it_before_anything_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It ended with a traceback."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert run(["plan", "published-4", "--rule", "--html", str(tmp_path / "page.html")]) == 2
    assert "--html needs jinja2, which is not installed" in capsys.readouterr().err


@pytest.mark.parametrize("asked", ["strategies", "plugin as p; p.register_profiles()"])
def test_missing_hypothesis_is_named_too(asked: str) -> None:
    code = f"import sys; sys.modules['hypothesis'] = None; import isfc.testing.{asked}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stderr.endswith(
        "needs hypothesis, which is not installed; install it with\n"
        f"{sys.executable} -m pip install 'isfc[testing]'\n"
    )


def test_every_extra_that_a_user_can_lack_is_one_that_is_named() -> None:
    setup = ConfigParser()
    setup.read(SETUP, "utf-8")
    extras = setup["options.extras_require"].keys() - {"all", "dev", "tests"}
    assert setup["options.extras_require"]["report"].strip() == "isfc[measured, plot]"
    named = {extra for extra, _ in EXTRAS.values()}
    assert named == extras - {"live", "report"} == {*TRIED, "testing"}  # live nodes run without it
    every = ", ".join(sorted(extras - {"report", "testing"}))
    assert setup["options.extras_require"]["all"].strip() == f"isfc[{every}]"
    page = (SETUP.parent / "docs" / "install.md").read_text("utf-8")
    assert set(re.findall(r"(?m)^\| `(\w+)` \|", page)) == extras


@pytest.mark.parametrize(("extra", "library"), EXTRAS.values())
def test_extra_that_is_named_brings_the_library(extra: str, library: str) -> None:
    setup = ConfigParser()
    setup.read(SETUP, "utf-8")
    assert re.search(rf"^{library} ", setup["options.extras_require"][extra], re.MULTILINE)


def test_wheel_has_every_file_that_is_no_module() -> None:
    setup = ConfigParser()
    setup.read(SETUP, "utf-8")
    for package, patterns in setup["options.package_data"].items():
        folder = SETUP.parent / package
        held = {path for pattern in patterns.split() for path in folder.glob(pattern)}
        made = {".py", ".pyc", ".so", ".pyd"}  # and the help, which a build writes
        files = {path for path in folder.rglob("*.*") if path.suffix not in made}
        assert {path for path in files if path.parent != folder / "cli" / "help"} <= held
