"""The command as a whole: help, version, errors, exit codes, completion."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from isfc import __version__, cli
from isfc.cli.main import COMMANDS, GONE, PANELS, Subgroup, load_command, run
from tests.isfc_process import isfc
from tests.refusals import NO_ROOM
from tools.checks.tidy import FLOORS


def python(code: str, *arguments: str) -> tuple[int, str, str]:
    """How a Python of its own ends, and what it says."""
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr() == (f"isfc {__version__}\n", "")


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_names_the_commands_and_where_to_begin(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([option]) == 0
    out = capsys.readouterr().out
    assert "Show who writes on which CTC" in out
    assert "isfc plan published-12" in out
    assert "..." not in out.partition("Layout:")[2]  # no summary is cut short
    assert max(map(len, out.splitlines())) <= 80


def test_help_lists_every_command_once_by_its_job(capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(" ".join(PANELS.values()).split()) == sorted(COMMANDS)
    run(["--help"])
    lines = capsys.readouterr().out.splitlines()
    for panel, names in PANELS.items():
        shown = lines[lines.index(f"{panel}:") + 1 :]
        assert [line.split()[0] for line in shown[: shown.index("")]] == names.split()


@pytest.mark.parametrize("group", ["import", "io", "journal", "measured"])
def test_help_of_a_group_cuts_no_summary_short(
    group: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([group, "--help"]) == 0
    assert "..." not in capsys.readouterr().out.partition("Commands:")[2]


def test_no_command_shows_the_help_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    run(["--help"])
    help_text = capsys.readouterr().out
    assert run([]) == 2
    assert capsys.readouterr() == (help_text, "")


@pytest.mark.parametrize("words", GONE)
def test_what_is_gone_names_what_does_it_now(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words.split()[1:]) == 2
    assert f"{words.split()[-1]} is gone: use {GONE[words]}" in capsys.readouterr().err


def test_help_of_a_command_explains_its_argument(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "--help"]) == 0
    assert "LAYOUT  A layout file (TOML), or the name of a shipped" in capsys.readouterr().out


def test_help_is_quick_because_it_loads_nothing_else() -> None:
    _, said, _ = python("import sys, isfc.cli.main; print(*sys.modules)")
    loaded = {name.partition(".")[0] for name in said.split()}
    assert "typer" in loaded
    assert not loaded & {"rich", "msgspec", "scenarios", "uvloop"}


@pytest.mark.parametrize("name", COMMANDS)
def test_summary_of_a_command_is_the_first_line_of_its_own_help(name: str) -> None:
    assert load_command(name).help.splitlines()[0] == COMMANDS[name].summary


def test_every_room_above_the_shared_ones_is_of_a_command() -> None:
    rooms = {path.stem for path in Path(cli.__path__[0]).glob("[!_]*")} - {"help", "script"}
    shared = {room for floor in FLOORS["isfc.cli"] for room in floor.split()}
    listed = [
        each
        for named in COMMANDS.values()
        for each in (named.members.values() if isinstance(named, Subgroup) else [named])
    ]
    paths = [each.path for each in listed if not each.is_capability]
    found = {
        each.partition(".")[0] for each in (*paths, *(own for one in listed for own in one.own))
    }
    assert found - shared == rooms - shared


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["plan"], "Missing argument 'LAYOUT'.\nTry 'isfc plan --help'."),
        (["plan", "--fast"], "No such option: --fast\nTry 'isfc plan --help'."),
        (["plan", "a", "b"], "Got unexpected extra argument(s) (b)\nTry 'isfc plan --help'."),
        (["plann"], "No such command 'plann'. Did you mean 'plan'?\nTry 'isfc --help'."),
        (["--fast"], "No such option: --fast\nTry 'isfc --help'."),
    ],
)  # fmt: skip
def test_usage_errors_are_two_lines(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert capsys.readouterr() == ("", f"isfc: {complaint}\n")


def test_interrupt_ends_with_the_code_of_its_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("isfc.answers.plan.open_links", interrupt)
    assert run(["plan", "published-4"]) == 130


@pytest.mark.parametrize("module", ["typer", "msgspec", "isfc/layout/plan"])
def test_interrupt_while_modules_are_loaded_says_nothing(tmp_path: Path, module: str) -> None:
    # a module of that name, found first, is where Ctrl-C comes
    shadow = tmp_path / f"{Path(module).name}.py"
    shadow.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhile True: pass\n")
    code = (
        "import importlib.util, sys, runpy\n"
        "class Finder:\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        if name == {module.replace('/', '.')!r}:\n"
        f"            return importlib.util.spec_from_file_location(name, {str(shadow)!r})\n"
        "sys.meta_path.insert(0, Finder)\n"
        "sys.argv = ['isfc', 'plan', 'published-4']\n"
        "runpy.run_module('isfc', run_name='__main__')\n"
    )
    assert python(code) == (130, "", "")


def test_interrupt_before_the_package_is_loaded_says_nothing() -> None:
    code = """
import os, signal, sys

class Slow:
    def find_spec(self, name, *_):
        if name.startswith("isfc.cli.output"):
            os.kill(os.getpid(), signal.SIGINT)
            while True: pass

sys.meta_path.insert(0, Slow())
import isfc.cli.script
"""
    assert python(code) == (-signal.SIGINT, "", "")  # 130 to a shell


def test_script_is_the_command() -> None:
    script = "import isfc.cli.script as it; raise SystemExit(it.main())"
    assert python(script, "--version") == (0, f"isfc {__version__}\n", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_after_the_end_of_a_command_does_not_change_its_code(number: int) -> None:
    code = (
        "import os, sys; from isfc.cli.script import main\n"
        "sys.argv = ['isfc', 'show', 'published-4']; code = main()\n"
        f"os.kill(os.getpid(), {int(number)}); sys.exit(code)\n"
    )
    ended, _, errors = python(code)
    assert (ended, errors) == (0, "")


def test_interrupt_that_is_ignored_stays_so() -> None:
    code = (
        "import signal; from isfc.cli.output.streams import interrupts_quit, interrupts_raise\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "interrupts_quit(); interrupts_raise()\n"
        "assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN\n"
    )
    assert python(code) == (0, "", "")


def test_too_little_memory_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("isfc.answers.plan.make_plan", fail)
    assert run(["plan", "published-4"]) == 1
    assert capsys.readouterr().err == "isfc: there is not enough memory\n"


def test_bug_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_: object) -> None:
        raise AssertionError("ours")

    monkeypatch.setattr("isfc.answers.plan.make_plan", stumble)
    with pytest.raises(AssertionError, match="ours"):
        run(["plan", "published-4"])


@pytest.mark.parametrize("words", ["", "run", "io", "io plan"])
def test_help_that_the_parser_cannot_write_names_stdout(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert run([*words.split(), "--help"]) == 1
    assert capsys.readouterr().err == f"isfc: standard output: {NO_ROOM}\n"


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        ("--version", {}),
        ("plan --help", {}),
        ("io plan published-1 --help", {}),
        ("--show-completion bash", {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}),
        ("", {"_ISFC_COMPLETE": "source_bash"}),
        ("", {"_ISFC_COMPLETE": "complete_bash", "COMP_WORDS": "isfc pl", "COMP_CWORD": "1"}),
        ("plan published-16 --rule", {}),
        ("plan published-16 --rule --json", {}),
    ],
)
@pytest.mark.parametrize("broken", [False, True])
def test_what_nobody_takes_ends_it_and_is_said_unless_the_reader_went_away(
    words: str, environment: dict[str, str], broken: bool
) -> None:
    if broken:
        reader, stdout = os.pipe()
        os.close(reader)
    else:
        stdout = os.open("/dev/full", os.O_WRONLY)
    ended = isfc(*words.split(), environment=environment, stdout=stdout)
    os.close(stdout)
    full = (1, f"isfc: standard output: {NO_ROOM}\n")
    assert (ended.returncode, ended.stderr) == ((141, "") if broken else full)


@pytest.mark.parametrize(
    "words",
    [
        "plan published-16 --rule",
        "run published-8 --workload HM --pairs 5 --seconds 0.02 --warmup 0.01 --json",
    ],
)
def test_output_is_the_same_in_every_process(words: str) -> None:
    varied = ("PYTHONHASHSEED", "COLUMNS")
    runs = [isfc(*words.split(), environment=dict.fromkeys(varied, seed)) for seed in ("1", "99")]
    assert runs[0].returncode == 0
    assert runs[0].stdout == runs[1].stdout


def test_output_needs_no_more_than_ascii() -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii:strict"}
    assert isfc("plan", "published-16", "--rule", environment=ascii_only).returncode == 0


def test_layouts_are_completed_in_the_shell() -> None:
    asked = {"_ISFC_COMPLETE": "complete_bash", "COMP_WORDS": "isfc plan published-1"}
    said = isfc(environment={**asked, "COMP_CWORD": "2"})
    assert said.stdout.split() == [f"published-{count}" for count in (1, 10, 12, 14, 16)]


def test_choices_of_an_option_that_is_missing_are_listed_without_escapes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["export", "atlanta-boston"]) == 2
    said = capsys.readouterr().err
    assert "\\t" not in said
    assert "\n  toml\n" in said
