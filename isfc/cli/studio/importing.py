"""Whatever a site has, pasted or dropped: what it is, and the layout that a command makes of it."""

import re
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from multiprocessing.util import get_temp_dir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct, field, structs

import isfc
from isfc.answers.decision_page import GivenFile, brief, files_table
from isfc.answers.site_asked import SiteAsked, SiteQuestion
from isfc.cli.studio.command_line import Printed, printed
from isfc.cli.studio.tasks import Shown
from isfc.cli.studio.work import Failed, Tell
from isfc.errors.arguments import annotation_of
from isfc.reports.html import macro, table_of

if TYPE_CHECKING:
    from isfc.answers.gathered import Gathered

_FORMS: Final = "cli/studio/page/forms.html"
_SYSTEM: Final = SiteQuestion("system", "Of which system is this console log?", ())
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
    """A file that was dropped, or a text that was pasted."""

    name: str
    data: bytes


class Import(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Files to be made a layout of, or a decision, and what was ``said`` beside them, by options.

    A SYSTEM CONFIG chooses among the CTCs of the layout that the page shows, and what names no CTC
    is of that layout.
    """

    files: list[File]
    said: dict[str, list[str]] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The names of the files."""
        return ", ".join(file.name for file in self.files)

    @property
    def contents(self) -> dict[str, bytes]:
        """The files by their names. Raises `ConfigurationError` for a name that is there twice."""
        found = {Path(file.name).name[:80]: file.data for file in self.files}
        if len(found) < len(self.files):
            raise isfc.ConfigurationError(f"{self.source}: expected a name once")
        return found

    @property
    def about(self) -> tuple[SiteAsked, str | None]:
        """What was said of a site, and the link that was named. Several values have ; between."""
        told: dict[str, Any] = {}
        for option, usual in {**structs.asdict(SiteAsked()), "link": None}.items():
            values = [*filter(None, map(str.strip, self.said.get(option, ())))]
            each = (each.strip() for value in values for each in value.split(";"))
            told[option] = (*each,) if usual == () else ",".join(values) or None
        link = told.pop("link")
        return SiteAsked(**told), link

    @contextmanager
    def in_folder(self) -> Iterator[list[str]]:
        """While the body runs, the process is in a folder with the files, by these names."""
        with TemporaryDirectory(dir=get_temp_dir()) as folder, chdir(folder):
            for name, data in self.contents.items():
                Path(folder, name).write_bytes(data)
            yield [*self.contents]


class Asked(Struct, frozen=True):
    """What has to be known; and of a site's ``files`` the ``options`` that may be said as well."""

    question: SiteQuestion | None
    files: tuple[GivenFile, ...] = ()
    options: tuple[str, ...] = ()

    def record(self, wanted: Import) -> dict[str, Any]:
        """What the page is told: a form, which has what has been said as well."""
        fields = {each: annotation_of(SiteAsked, each).__metadata__[0] for each in self.options}
        table = table_of(files_table(self.files)) if self.files else ""
        said = brief(self.question.text) if self.question else ""
        about, _ = wanted.about
        of = self.question, said, fields, wanted.said, about, table, cabled
        sections = {"asked": macro(_FORMS, "asked", *of), "said": said}
        return {"sections": sections, "html": "", "focus": "#asked input:not([type=hidden])"}


class Open(Exception):
    """A question that nobody has answered yet."""

    def __init__(self, question: SiteQuestion) -> None:
        super().__init__(question.text)
        self.question = question


def stop_at(question: SiteQuestion) -> str:
    """What is asked: it is for the page to answer, which then sends all again."""
    raise Open(question)


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


def gathered(wanted: Import) -> "Gathered | SiteQuestion":
    """What the files of a site make, or the first thing that has to be known of them."""
    from isfc.answers.gathered import Gathered  # decks, which a layout does without

    about, link = wanted.about
    with wanted.in_folder() as names:
        try:
            return Gathered(names, about, stop_at, link)
        except Open as found:
            return found.question


def import_files(tell: Tell, wanted: Import) -> Printed | Failed | Asked:
    """The layout of the texts as TOML, with what the command says of it; or what to ask for."""
    files = wanted.contents
    kind, _ = isfc.file_kind(wanted.files[0].data)
    if kind is isfc.FileKind.DECK:
        found = gathered(wanted)
        if isinstance(found, SiteQuestion):
            return Asked(found)
        return _deck(tell, files, wanted, found.partitions)
    if kind is isfc.FileKind.CONSOLE_LOG:
        return _logs(tell, files, "".join(wanted.said.get("system", ())))
    if kind is isfc.FileKind.CONFIGURATION:
        words = ["import", "config", *files, "--layout", "layout"]
        return printed(tell, words, {**files, "layout": wanted.text.encode()})
    ((name, data),) = files.items()
    text = data.decode("utf-8", "replace")
    isfc.parse_links(text, name)
    return Printed(text, "")


def _deck(
    tell: Tell, files: dict[str, bytes], wanted: Import, partitions: str | None
) -> Printed | Failed:
    about, _ = wanted.about
    said = [word for each in about.ports for word in ("--ports", each)]
    said += ["--partitions", partitions] if partitions else []
    return printed(tell, ["import", "iocp", *files, *said], files)


def _logs(tell: Tell, files: dict[str, bytes], system: str) -> Printed | Failed | Asked:
    words = [f"{system}={name}" for name in files] if system and len(files) == 1 else [*files]
    done = printed(tell, ["import", "islink", *words], files)
    is_asked = isinstance(done, Failed) and "say which system it was" in done.message
    return Asked(_SYSTEM) if is_asked and len(files) == 1 else done
