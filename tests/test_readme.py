"""The pages' commands print what the pages show, and the README's tables are complete."""

import re
import shlex
import subprocess
import time

import pytest

from isfc.cli.output.streams import ExitCode
from isfc.layout.catalogue import shipped_layouts
from isfc.layout.file import parse_layout
from scenarios.published.verdict import left_out
from tests.isfc_process import isfc
from tests.lengthy import few_in_every_run
from tests.limits import AT_LENGTH_S
from tests.waiting import PATIENCE_S
from tools.pages import console

README, EXIT_CODES, LAYOUTS = (
    (console.PROJECT / name).read_text("utf-8")
    for name in (
        "README.md",
        *(f"docs/{page}.md" for page in ("exit-codes", "layouts")),
    )
)
BLOCKS = [
    block
    for page in console.PAGES
    for block in console.blocks(page, (console.PROJECT / page).read_text("utf-8"))
]
MARKS = {
    "slow": [pytest.mark.at_length, pytest.mark.slow],
    "long": [pytest.mark.at_length, pytest.mark.exhaustive],
}
LIVE = sorted(
    (block for block in BLOCKS if block[0].mark == "live"),
    key=lambda block: block[0].page == "docs/cluster.md",  # the last: three systems
)
OF_SHELL = re.compile(r"[|<>&;$*?]")


def ran(command: str) -> str:
    """As `console.run`, but that only what needs a shell has one."""
    program, *words = shlex.split(command)
    if program != "isfc" or OF_SHELL.search(command):
        return console.run(command)
    place = {"environment": console.environment(), "cwd": console.scratch()}
    done = isfc(*words, **place, stderr=subprocess.STDOUT, timeout=AT_LENGTH_S)
    return console.without_progress(done.stdout)


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(
            block,
            id=f"{block[0].page}: {block[0].command}",
            marks=MARKS.get(block[0].mark, []),
        )
        for block in BLOCKS
        if block[0].mark not in ("live", "once")
    ],
)
def test_commands_print_what_the_page_shows(block: list[console.ConsoleCommand]) -> None:
    for step in block:
        printed = console.abridge(ran(step.command), step.shown)
        assert printed == step.shown, "if it should: make docs"


@pytest.mark.parametrize("block", few_in_every_run(LIVE, 2), ids=[block[0].page for block in LIVE])
def test_the_live_session_goes_as_the_page_shows(block: list[console.ConsoleCommand]) -> None:
    first, *others = block
    assert others, "nothing looks at it"
    with console.background(first.command) as said:
        assert said == first.shown, "if it should: make docs"
        for step in others:
            printed, end = "", time.monotonic() + PATIENCE_S
            while printed != step.shown and time.monotonic() < end:
                printed = console.abridge(ran(step.command), step.shown)
            assert printed == step.shown, "if it should: make docs"


def test_make_targets_exist() -> None:
    makefile = (console.PROJECT / "Makefile").read_text("utf-8")
    targets = [
        block[0].command.split()[1]
        for block in BLOCKS
        if (block[0].page, block[0].mark) == ("README.md", "once")
    ]
    assert targets == ["replay", "test"]
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_exit_codes() -> None:
    assert re.findall(r"^\| (\d+) \|", EXIT_CODES, re.MULTILINE) == [str(int(c)) for c in ExitCode]


def test_layout_example() -> None:
    example, *_ = re.findall(r"^```toml\n(.*?)^```$", LAYOUTS, re.MULTILINE | re.DOTALL)
    assert len(parse_layout(example.encode(), "README.md").ctcs) == 6


def test_shipped_layouts_are_named() -> None:
    assert {*shipped_layouts()} <= {*re.findall(r"`([\w-]+)`", LAYOUTS)}


PAGE = """text

```console slow
$ one
old
$ two
a
...
b
```

```console once
$ x
y
```
"""


def test_blocks_of_a_page() -> None:
    assert list(console.blocks("p", PAGE)) == [
        [
            console.ConsoleCommand("p", "one", "old\n", "slow"),
            console.ConsoleCommand("p", "two", "a\n...\nb\n", "slow"),
        ],
        [console.ConsoleCommand("p", "x", "y\n", "once")],
    ]


def test_no_page_finds_what_another_has_written() -> None:
    console.run("echo 1 > best.toml", "README.md")
    assert console.run("cat best.toml", "README.md") == "1\n"
    assert "No such file" in console.run("LC_ALL=C cat best.toml", "docs/size.md")


def test_a_page_is_renewed() -> None:
    printed = {"one": "new\n", "two": "1\n2\n3\n4\n"}
    renewed = console.renewed(PAGE, printed.__getitem__)
    assert renewed == PAGE.replace("old", "new").replace("a\n...\nb", "1\n...\n4")


@pytest.mark.parametrize(
    ("printed", "shown", "abridged"),
    [
        ("1\n2\n", "", "1\n2\n"),
        ("1\n2\n3\n", "a\n...\n", "1\n...\n"),
        ("1\n2\n3\n", "...\nb\n", "...\n3\n"),
        ("1\n2\n3\n", "a\n...\nb\n", "1\n2\n3\n"),
        ("1\n", "a\n...\nb\n", "1\n"),
    ],
)
def test_lines_left_out(printed: str, shown: str, abridged: str) -> None:
    assert console.abridge(printed, shown) == abridged


def test_make_replay_ends_with_the_command_to_try_next() -> None:
    makefile = (console.PROJECT / "Makefile").read_text("utf-8")
    recipe = makefile.partition("\nreplay:")[2].partition("\n\n")[0]
    assert "$(BIN)/isfc plan atlanta-boston" in recipe.splitlines()[-1]
    assert "\nNext: .venv/bin/isfc plan atlanta-boston\n```" in README
    assert any(block[0].command == "isfc plan atlanta-boston" for block in BLOCKS)


def test_readme_says_what_to_expect_of_a_workload_of_ones_own() -> None:
    # its block is not run again when other constants are fitted
    assert f"expect MB/s to be off by: {left_out()}" in " ".join(README.split())
