"""Whatever a site has, pasted or dropped: what it is, and the layout that a command makes of it."""

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

import isfc
from isfc.cli.studio.command_line import Printed, printed
from isfc.cli.studio.work import Failed, Tell
from isfc.reports.html import macro

_FORMS: Final = "cli/studio/page/forms.html"
_CABLING: Final = re.compile(r"^  --ports (\S+)$", re.MULTILINE)
"""The possibilities that the command lists."""
_ASSUMED: Final = re.compile(
    r'^feature = "(.*)" +# assumed.*\n(?:\w+ = .*\n)*?chpid = { (.*) }', re.MULTILINE
)
"""A fibre whose feature no file says: the feature, and its chpids by node."""
_OPTIONS: Final = (
    (r"^isfc: note: ", ""),
    (r"; --json names them", ""),
    (
        r"; 'isfc import islink --chpids .*' says otherwise",
        "; change them in the text of the layout if they have not",
    ),
    (
        r"--cec NAME=(\w+),(\w+) says that the systems are of one CEC, or .* of two",
        r"[cec.NAME] in the text of the layout says which systems are of one CEC, as \1 and \2",
    ),
    (r"\('isfc import iocp --config FILE'\)", "(open them next)"),
    (r"'isfc export' makes others", "Statements as IOCP deck makes others"),
)
"""What the command says of its options, and what the page says instead."""


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text that was pasted or dropped."""

    name: str
    text: str


class Import(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts to be made a layout of.

    ``partitions`` are those of decks, ``ports`` what ``--ports`` is given for them, ``system`` the
    one a single console log is of. A SYSTEM CONFIG chooses among the CTCs of ``layout``, the one
    that the page shows.
    """

    files: list[File]
    layout: str = ""
    partitions: list[str] = []
    ports: list[str] = []
    system: str | None = None

    @property
    def source(self) -> str:
        """The names of the files."""
        return ", ".join(file.name for file in self.files)


class Asked(Struct, frozen=True):
    """The command needs to be told more: partitions, ports or a system, of some ``choices``."""

    what: str
    choices: tuple[str, ...] = ()

    def record(self, wanted: Import) -> dict[str, Any]:
        """What the page is told: a form, which has what has been told as well."""
        choices = [(each, cabled(each)) for each in self.choices]
        sections = {
            "asked": macro(_FORMS, "asked", self.what, choices, wanted),
            "said": macro(_FORMS, "question", self.what),
        }
        return {"sections": sections, "focus": "#asked input:not([type=hidden])"}


def opened(wanted: Import, done: Printed, shown: dict[str, Any]) -> dict[str, Any]:
    """What the page is told of a layout that is ``shown`` now: how large it is, and remarks."""
    lines = re.sub(r"\n {4}", " ", done.err).splitlines()
    is_open = any(
        "left out" in line or (line.startswith("  ") and "as it should" not in line)
        for line in lines
    )
    said = [*map(in_page_words, lines)]
    links = isfc.parse_links(done.out, wanted.source).links
    sections = {
        "asked": "",
        "remarks": macro(_FORMS, "remarks", said, _ASSUMED.findall(done.out), is_open),
        "said": macro(_FORMS, "opened", wanted.source, links),
        "source": macro(_FORMS, "source", wanted.source),
    }
    return shown | {"focus": "#edit-heading", "sections": shown["sections"] | sections}


def in_page_words(line: str) -> str:
    """What the command says of an import, without the names of its options."""
    line = re.sub(r"--ports (\S+)", lambda found: cabled(found[1]), line.strip())
    for option, words in _OPTIONS:
        line = re.sub(option, words, line)
    return line


def cabled(ports: str) -> str:
    """``chpid 40 of BOSTON on port C1``, of ``BOSTON:40=C1``; a partition is left as it is."""
    each = re.sub(r"(\w+):(\w\w)=(\w+):(\w\w)", r"chpid \2 of \1 at chpid \4 of \3", ports)
    return re.sub(r"(\w+):(\w\w)=(\w+)", r"chpid \2 of \1 on port \3", each).replace(",", ", ")


def import_files(tell: Tell, wanted: Import) -> Printed | Failed | Asked:
    """The layout of the texts as TOML, with what the command says of it; or what to ask for."""
    files = {file.name: file.text for file in wanted.files}
    kinds = {isfc.source_kind(file.text) for file in wanted.files}
    if len(kinds) != 1 or (kinds == {isfc.SourceKind.LAYOUT} and len(files) > 1):
        return Failed("expected IOCP decks, console logs, statements or a layout, not some of each")
    (kind,) = kinds
    if kind is isfc.SourceKind.DECK:
        return _decks(tell, files, wanted)
    if kind is isfc.SourceKind.CONSOLE_LOG:
        return _logs(tell, files, wanted.system)
    if kind is isfc.SourceKind.CONFIGURATION:
        words = ["import", "config", *files, "--layout", "layout"]
        return printed(tell, words, {**files, "layout": wanted.layout})
    ((name, text),) = files.items()
    isfc.parse_links(text, name)
    return Printed(text, "")


def _decks(tell: Tell, files: dict[str, str], wanted: Import) -> Printed | Failed | Asked:
    """Two partitions are joined without a question; several cablings are a question."""
    chosen = wanted.partitions or _partitions(files)
    if len(chosen) > 2 and not wanted.partitions:
        return Asked("partitions", tuple(chosen))
    ports = [word for given in wanted.ports for word in ("--ports", given)]
    words = ["import", "iocp", *files, "--partitions", ",".join(chosen), *ports]
    done = printed(tell, words, files)
    cablings = _CABLING.findall(done.message) if isinstance(done, Failed) else []
    return Asked("ports", tuple(cablings)) if cablings else done


def _partitions(files: dict[str, str]) -> Sequence[str]:
    """The partitions of all decks, with the number of their deck where a name is in several."""
    every = [isfc.deck_partitions(text, name) for name, text in files.items()]
    names = [name for names in every for name in names]
    return [
        name if names.count(name) == 1 else f"{name}{number}={number}:{name}"
        for number, found in enumerate(every, start=1)
        for name in found
    ]


def _logs(tell: Tell, files: dict[str, str], system: str | None) -> Printed | Failed | Asked:
    words = [f"{system}={name}" for name in files] if system and len(files) == 1 else [*files]
    done = printed(tell, ["import", "islink", *words], files)
    is_asked = isinstance(done, Failed) and "say which system it was" in done.message
    return Asked("system") if is_asked and len(files) == 1 else done
