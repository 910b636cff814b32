"""Printing: width, plainness, and an output that takes no more."""

import errno
import io
import json
import signal
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from isfc.cli.output.file import write_file
from isfc.cli.output.streams import (
    ExitCode,
    pipe_may_break,
    show,
    show_csv,
    show_error,
    show_json,
    show_lines,
    show_log,
)
from isfc.reports.terminal import PIPED_WIDTH, open_console
from tests.isfc.cli.conftest import Terminal


class Closed(io.StringIO):
    """A pipe whose reader has gone away."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


class Full(io.StringIO):
    """A file on a full disk."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def long_table() -> Table:
    table = Table("text")
    table.add_row("word " * 40)
    return table


def test_piped_output_is_80_columns_wide_whatever_the_shell_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    show(long_table())
    assert max(map(len, capsys.readouterr().out.splitlines())) == PIPED_WIDTH == 80


def test_piped_output_has_no_colours_and_no_trailing_blanks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as many pipelines have it
    show(Text("red  ", "bold red"), "", "plain")
    assert capsys.readouterr().out == "red\n\nplain\n"


def test_lines_are_printed_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    long = "word " * 40 + "[bold]"
    show_lines(iter([long, ""]))
    assert capsys.readouterr().out == f"{long}\n\n"


def test_csv_quotes_what_needs_it_and_leaves_none_empty(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_csv([{"a": 1, "b": None, "c": "x,y"}, {"a": 0.5, "b": "", "c": "z"}])
    assert capsys.readouterr().out == 'a,b,c\n1,,"x,y"\n0.5,,z\n'


def test_terminal_gets_colours_in_its_own_width(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.delenv("NO_COLOR", raising=False)
    show(Text("red", "red"), long_table())
    assert terminal.getvalue().startswith("\x1b[31mred\x1b[0m\n")
    lines = map(Text.from_ansi, terminal.getvalue().splitlines())
    assert max(line.cell_len for line in lines) == 50


def test_text_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    show("[red]:smile: 6000")
    assert capsys.readouterr().out == "[red]:smile: 6000\n"


def test_json_is_ascii_in_the_order_of_its_keys(capsys: pytest.CaptureFixture[str]) -> None:
    record = {"b": 1, "a": ["Zürich", None, 1.5]}
    show_json(record)
    out = capsys.readouterr().out
    assert out.isascii()
    assert out.endswith("\n")
    assert out.index('"b"') < out.index('"a"')
    assert json.loads(out) == record


def test_json_has_no_halves_of_characters(capsys: pytest.CaptureFixture[str]) -> None:
    record = {"name": "b\udcff\ud83d.toml", "kept": "\U0001f600 \\udcff é"}
    show_json(record)
    text = capsys.readouterr().out
    text.encode("ascii")
    again = json.loads(text)
    assert again == {"name": "b\\udcff\\ud83d.toml", "kept": record["kept"]}


def test_file_takes_what_is_no_character(tmp_path: Path) -> None:
    write_file(tmp_path / "page", "b\udcff é\n")
    assert (tmp_path / "page").read_bytes() == b"b\\udcff \xc3\xa9\n"


def test_json_has_no_numbers_that_json_does_not_know() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        show_json({"mb_per_s": float("nan")})


def test_errors_go_to_stderr_under_the_commands_name(capsys: pytest.CaptureFixture[str]) -> None:
    show_error("link.toml: [fibre.1] chpid: missing")
    assert capsys.readouterr() == ("", "isfc: link.toml: [fibre.1] chpid: missing\n")


def test_log_lines_go_to_stderr_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    show_log('{"event": "[link-up]"}')
    assert capsys.readouterr() == ("", '{"event": "[link-up]"}\n')


def test_console_on_stderr_writes_there(capsys: pytest.CaptureFixture[str]) -> None:
    open_console(stderr=True).print("progress")
    assert capsys.readouterr() == ("", "progress\n")


class ClosedTerminal(Closed, Terminal):
    """A terminal whose window has gone."""


@pytest.mark.parametrize("stream", [Closed, ClosedTerminal])
def test_broken_pipe_ends_the_command_quietly(
    stream: type[io.StringIO],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.stdout", stream())
    with pytest.raises(SystemExit) as shown:
        show("text")
    with pytest.raises(SystemExit) as printed:
        show_json({})
    assert shown.value.code == printed.value.code == ExitCode.BROKEN_PIPE
    assert capsys.readouterr().err == ""


def test_broken_pipe_of_windows_ends_the_command_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("sys.stdout", io.StringIO())
    with pytest.raises(SystemExit) as ended, pipe_may_break():
        raise OSError(errno.EINVAL, "Invalid argument")
    assert ended.value.code == ExitCode.BROKEN_PIPE


def test_full_disk_is_for_the_caller_to_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", Full())
    with pytest.raises(OSError, match=r"No space left.*standard output"):
        show("text")


def test_file_that_fails_while_lines_are_shown_is_the_one_that_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as failed:
        show_lines(line for path in [tmp_path / "gone"] for line in path.open())
    assert failed.value.filename == str(tmp_path / "gone")


def test_output_to_nowhere_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)  # as after >&-
    assert isinstance(open_console(), Console)
    show("text")
    show_json({})


def test_what_others_say_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    nasty = "\x1b]0;title\x07 \x7f \u202e \x9b2J \r caf\u00e9"
    shown = r"\x1b]0;title\x07 \x7f \u202e \x9b2J \r caf\u00e9".replace(r"\u00e9", "\u00e9")
    show_lines([nasty, "plain"])
    show_log(f"two\n{nasty}")
    captured = capsys.readouterr()
    assert captured.out == f"{shown}\nplain\n"
    assert captured.err == f"two\n{shown}\n"


def test_codes_of_a_death_by_signal_are_the_shells() -> None:
    assert ExitCode.INTERRUPTED == 128 + signal.SIGINT
    assert ExitCode.BROKEN_PIPE == 128 + signal.SIGPIPE
