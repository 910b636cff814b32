"""The help of every command as text, and the page for each that is made from it.

``python -m tools.pages.commands`` writes ``isfc/cli/help``, or the folder that is named: what
``isfc COMMAND --help`` prints in 80 columns and more. From there `isfc.cli.written_help` prints it
without loading the parser. `setup.py` runs it for a wheel.

``make site`` has pages written (``docs/conf.py``): ``docs/commands/NAME.md`` for every command of
`isfc.cli.main.COMMANDS`, subcommands included, and their index. What a page says is the help of the
command; its example is the first that a page about the topic shows, where a test runs it.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import typer
from typer.main import get_command

from isfc.cli import written_help
from isfc.cli.main import PANELS, app, load_command
from isfc.reports.text import plain
from tools import DOCS
from tools.pages.console import blocks
from tools.tables import markdown_table

FOLDER: Final = DOCS / "commands"
MARKER: Final = "<!-- made by make site -->"

TOPICS: Final = {
    "plan": ("tutorial.md", "loss.md", "layouts.md"),
    "new": ("layouts.md",),
    "export": ("import.md", "changing.md"),
    "change": ("changing.md",),
    "show": ("layouts.md",),
    "run": ("run.md", "timeline.md", "faults.md", "cp.md"),
    "relocate": ("relocation.md",),
    "evacuate": ("cluster.md", "relocation.md"),
    "collide": ("collisions.md",),
    "replay": ("replay.md", "fidelity.md"),
    "node": ("live.md",),
    "measured": ("prove.md", "measured.md"),
    "cp": ("live.md", "cp.md"),
    "up": ("live.md", "monitoring.md"),
    "io plan": ("io-sizing.md", "io-advice.md"),
    "io run": ("io-run.md", "io-sizing.md"),
    "io beside": ("io-run.md",),
    "io": ("io-sizing.md",),
}
"""The pages that tell what a command is for, by the command, or by the group it belongs to; of all
others it is the page of that name."""


class Listed(NamedTuple):
    """A command that can be given, or a group: ``import iocp``, and typer's object of it."""

    name: str
    command: Any

    @property
    def file(self) -> str:
        """The name of its page."""
        return f"{self.name.replace(' ', '-')}.md"

    @property
    def topics(self) -> tuple[str, ...]:
        """The pages about it, or about its group."""
        group = self.name.split()[0]
        return TOPICS.get(self.name) or TOPICS.get(group) or (f"{group}.md",)


@cache
def listed() -> tuple[Listed, ...]:
    """Every command in the order of ``isfc --help``, a group's in the place of the group."""
    return tuple(_listed())


def _listed() -> Iterator[Listed]:
    for name in " ".join(PANELS.values()).split():
        command = load_command(name)
        members = getattr(command, "commands", None)
        if members is None:
            yield Listed(name, command)
        else:
            yield from (Listed(f"{name} {member}", found) for member, found in members.items())


def pages() -> dict[str, str]:
    """Every page and the index, by the name of its file."""
    made = {"index.md": _index(), **{one.file: _page(one) for one in listed()}}
    return {name: "\n\n".join(paragraphs) + "\n" for name, paragraphs in made.items()}


def _index() -> Iterator[str]:
    yield MARKER
    yield "# Commands"
    yield "What `isfc COMMAND --help` prints, a page for each command."
    does = (plain((one.command.help or "").partition("\n\n")[0]) for one in listed())
    rows = zip((f"[`isfc {one.name}`]({one.file})" for one in listed()), does, strict=True)
    yield markdown_table(("command", "does"), rows).rstrip()
    names = [one.file.removesuffix(".md") for one in listed()]
    yield "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])


def _page(one: Listed) -> Iterator[str]:
    yield MARKER
    yield f"# isfc {one.name}"
    yield _code(texts()[written_help.help_file(one.name.split())].strip())
    yield from _example(one)
    yield "## More"
    more = {f"../{topic}": _title(topic) for topic in one.topics}
    more["../exit-codes.md"] = "All exit codes"
    yield "\n".join(f"- [{title}]({page})" for page, title in more.items())


def _code(text: str) -> str:
    return f"```text\n{text}\n```"


def _example(one: Listed) -> Iterator[str]:
    """The first command line of its topics that uses it."""
    for topic in one.topics:
        for block in blocks(topic, (DOCS / topic).read_text("utf-8")):
            for step in block:
                if re.match(rf"isfc {one.name}(?!\S)", step.command):
                    yield "## Example"
                    yield f"What it prints stands in [{_title(topic)}](../{topic})."
                    yield _code(step.command)
                    return


@cache
def _title(topic: str) -> str:
    """The heading of a page, without what Markdown makes of it."""
    heading = re.search(r"(?m)^# (.*)$", (DOCS / topic).read_text("utf-8"))
    assert heading is not None, topic
    return heading[1].replace("`", "")


@cache
def texts() -> dict[str, str]:
    """Every help, the groups' and that of ``isfc`` itself included, by the name of its file."""
    return dict(_texts(get_command(app), None, ()))


def _texts(
    command: Any, parent: typer.Context | None, words: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    settings = command.context_settings | {"terminal_width": written_help.COLUMNS - 2}
    context = typer.Context(
        command, parent=parent, info_name=words[-1] if words else "isfc", **settings
    )
    yield written_help.help_file(words), command.get_help(context) + "\n"
    for name, member in getattr(command, "commands", {}).items():
        found = member if words else load_command(name)
        yield from _texts(found, context, (*words, name))


def write(folder: Path, made: Mapping[str, str]) -> None:
    """Write files by their names; remove those of their kind whose commands are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*" + Path(next(iter(made))).suffix):
        if stale.name not in made:
            stale.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    write(Path(*sys.argv[1:] or [written_help.FOLDER]), texts())
