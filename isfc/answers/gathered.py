"""What a site gave: files of any kind, in any order, and the layout that they make.

What has to be known and no file says is asked, or becomes a part of the decision that names the
option; so does a file that is of no use. Whatever else there is stays of use.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar

from ctc.address import CtcError, format_rdev
from isfc.answers.consoles import SystemConsole, down, ends, of_each_system, read_console
from isfc.answers.decision_page import DecisionPart, GivenFile, brief
from isfc.answers.given import links_of
from isfc.answers.guest import read_guests
from isfc.answers.site_asked import ASKED_OF, Ask, SiteAsked, SiteQuestion
from isfc.deck.cabling import SeveralCablings
from isfc.deck.console import down_remark
from isfc.deck.deck import Deck, choose_systems, find_system
from isfc.deck.imported import Imported, NamedText
from isfc.deck.importing import import_config, import_iocp, import_islink
from isfc.deck.listing import read_deck
from isfc.deck.meeting import meeting, ports_of
from isfc.deck.place import decode
from isfc.errors import IsfcError
from isfc.errors.in_words import counted, first_listed, listed
from isfc.layout.build import is_assumed
from isfc.layout.catalogue import (
    AnyLayout,
    given_collection,
    is_there,
    read_content,
    shipped_layouts,
)
from isfc.layout.checked_toml import read_bytes, within
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair
from isfc.link.name import NodeName
from isfc.site.file import MONWRITE_LENGTH_MAX
from isfc.site.file_kind import FileKind, file_kind
from scenarios.moves.guest import Limits
from scenarios.moves.leaving import Tenant

_T = TypeVar("_T")
_NAMED: Final = 6
_PASTED: Final = (FileKind.DECK, FileKind.CONSOLE_LOG, FileKind.CONFIGURATION)
"""Of what the text is kept; the others are read again by what reads them."""
_NAMED_BY_NODE: Final = (FileKind.CONSOLE_LOG, FileKind.CONFIGURATION, FileKind.PORTS)
"""Of what NODE=FILE says whose it is."""

_EXPECTED: Final = "a file that a site has, such as an IOCP deck, a console log or a layout"

MOVED: Final = "Moving the guests"
ORDERED: Final = "What to order"
"""Parts of which something may have to be known."""


class Gathered:
    """What files hold by their kinds, and the links that they make: as they are, as they are to be.

    Each file is named by its path; ``NODE=PATH`` says of a log or of ports whose they are. All that
    has to be known is asked here, before anything is run: so ``leave``, and which ``link``.
    """

    def __init__(
        self, files: Sequence[str | Path], about: SiteAsked, ask: Ask, link: str | None = None
    ) -> None:
        self._about, self._ask = about, ask
        self.leave, self.link = about.leave, link
        self._said: dict[str, tuple[FileKind, str]] = {}
        self._first: dict[tuple[str, bytes], str] = {}
        self._texts: dict[FileKind, list[NamedText]] = {kind: [] for kind in FileKind}
        self.doubts: list[DecisionPart] = []
        self.remarks: list[str] = []
        self._systems: tuple[str, ...] = ()
        self.partitions = about.partitions
        self.now: Collection | None = None
        self.then: Collection | None = None
        self.down: set[tuple[str, CtcPair]] = set()
        self.tenants: Sequence[Tenant] = ()
        for file in files:
            self._know(str(file))
        self._make_links()
        self._read_guests()
        self._choose()
        for option, kinds in ASKED_OF.items():
            if getattr(about, option) and not any(self._texts[kind] for kind in kinds):
                said = f"--{option}: expected {listed(sorted(kind.value for kind in kinds), 'or')}"
                self._doubt("An option that has no effect", said)

    @property
    def files(self) -> tuple[GivenFile, ...]:
        """Each with what became of it."""
        return tuple(GivenFile(name, kind.value, said) for name, (kind, said) in self._said.items())

    def paths(self, kind: FileKind) -> list[str]:
        """The files of a kind."""
        return [text.file for text in self._texts[kind]]

    def _asked(self, title: str, question: SiteQuestion) -> str | None:
        """The answer; if nobody is there it is a doubt, which names options."""
        answer = self._ask(question)
        if not answer:
            self._doubt(title, brief(question.text), question.options)
        return answer or None

    def tried(
        self, title: str, make: Callable[[], _T], but: tuple[type[IsfcError], ...] = ()
    ) -> _T | None:
        """What is made; None where that cannot be, which is a doubt, ``but`` for some errors."""
        try:
            return make()
        except (IsfcError, CtcError) as error:
            if isinstance(error, but):
                raise
            self._doubt(title, str(error))
            return None

    def _doubt(self, title: str, problem: str, options: Sequence[str] = ()) -> None:
        self.doubts.append(DecisionPart(title=title, problem=problem, options=tuple(options)))

    def _know(self, name: str) -> None:
        """Read a file and tell what it is."""
        node, equals, path = name.partition("=")
        if not equals or is_there(Path(name)):
            node, path = "", name
        data = self.tried("A file that cannot be read", lambda: _content(path))
        if data is None:
            self._said[name] = FileKind.OTHER, "cannot be read"
            return
        kind, remedy = file_kind(data)
        content = node, sha256(data).digest()
        if (first := self._first.setdefault(content, path)) != path or name in self._said:
            self._said[name] = kind, "given twice" if first == path else f"the same as {first}"
            self.remarks.append(f"{name}: {self._said[name][1]}, and read once.")
            return
        self._said[name] = kind, remedy * (kind is FileKind.OTHER)
        if kind is FileKind.OTHER:
            nothing = "nothing that a site has of its links" if data.strip() else "is empty"
            text = f"{path}: {remedy or nothing}; expected "
            text += listed([each.value for each in FileKind if each is not kind], "or")
            self._doubt("A file that is not recognised", text)
        elif node and kind not in _NAMED_BY_NODE:
            text = f"{name}: {kind.value} says itself whose it is; expected {path}"
            self._doubt("A name that has no effect", text)
        text = decode(data, path) if kind in _PASTED else ""
        self._texts[kind].append(NamedText(text, path, node))

    def _make_links(self) -> None:
        decks = self._texts[FileKind.DECK]
        logs = self._texts[FileKind.CONSOLE_LOG]
        every = [self.tried("A console log", partial(read_console, log)) for log in logs]
        consoles = self._of_each_system([each for each in every if each is not None])
        if decks:
            self.now = self._of_decks(decks, consoles)
            consoles = self._of_each_system(consoles)
        if consoles and not decks:
            make = partial(self._of_logs, [each.log for each in consoles])
            self.now = self.tried("Console logs that make no link", make)
        for text in self._texts[FileKind.LAYOUT]:
            read = partial(given_collection, text.file, links_of)
            links = self.tried("A layout that is none", read)
            if self.now is None and not decks:
                self.now = links
            elif self.then is None:
                self.then = links
            else:
                said = f"{text.file}: a third layout; expected one that is, and one that is to be"
                self._doubt("A layout too many", said)
        if self.now is None:
            if not self.doubts:
                said = "None of the files says which CTCs there are; expected IOCP decks, console "
                self._doubt("No link", f"{said}logs or a layout.")
            return
        if configs := self._texts[FileKind.CONFIGURATION]:
            given, now = self.now, self.now
            chosen = self.tried("Statements", lambda: import_config(configs, now).collection)
            self.now = chosen or given
        if decks and consoles:
            self.now = self._as_consoles_say(self.now, consoles)
        self.down = down(self.now, consoles)
        for console in consoles if not decks else ():
            left = [
                each for each in console.devices if each.is_down and not [*ends(self.now, each)]
            ]
            if left:
                said = f"{console.log.file}: {counted(len(left), 'CTC')} Down, of which no mate is "
                self._doubt("CTCs that are Down", f"{said}known: what follows is without them")

    def _of_each_system(self, consoles: Sequence[SystemConsole]) -> list[SystemConsole]:
        """One of each system, as far as the logs and the links known tell whose they are."""
        kept, by_time, untold = of_each_system(consoles, self.now)
        self.remarks += by_time
        for said in untold:
            self._doubt("Two logs of one system", said)
        return kept

    def _of_logs(self, logs: Sequence[NamedText]) -> Collection:
        about = self._about
        return self._remarked(import_islink(logs, cec=about.cec, feature=about.feature))

    def _remarked(self, found: Imported) -> Collection:
        """The links of an import, of which what was assumed or left out is kept."""
        self.remarks += [each.removeprefix("isfc: note: ") for each in found.remarks]
        profiles = [fibre.profile for link in found.collection.links for fibre in link.fibres]
        for feature in dict.fromkeys(each.feature for each in profiles if is_assumed(each)):
            said = f"{feature} is assumed where nothing says the chpids' feature"
            self.remarks.append(f"{said}: --feature says it.")
        if left := [each for each in found.unpaired if not each.is_expected]:
            first, count = left[0], counted(len(left), "device")
            where = f"{first.node} {format_rdev(first.device.rdev)}, {first.text}"
            self.remarks.append(f"{count} of the decks in no link; the first: {where}")
        return found.collection

    def _of_decks(
        self, decks: Sequence[NamedText], consoles: Sequence[SystemConsole]
    ) -> Collection | None:
        """Of the partitions that are named, or the only two; what is not told is asked."""
        every = self.tried("A deck", lambda: [read_deck(text, text.file) for text in decks])
        if every is None:
            return None
        owned = [
            [name for name, each in deck.partitions.items() if each.mif is not None]
            for deck in every
        ]
        names = _told_apart(owned)
        partitions = self.partitions
        if partitions is None and (len(names) > 2 or any("=" in name for name in names)):
            partitions = self.partitions = self._joined(every, names, consoles)
        self._systems = tuple(partitions.split(",") if partitions else names)
        if partitions is None and len(names) > 2:
            return None
        entries = (partitions or ",".join(names)).upper().split(",")
        joined = {entry.rpartition("=")[2].rpartition(":")[2].strip() for entry in entries}
        for text, found in zip(decks, owned, strict=True):
            if not joined & {*found}:
                said = f"{text.file}: none of its partitions is joined, which are "
                said += first_listed(found, _NAMED)
                self._doubt("A deck of another machine", said)
        ports = [*self._about.ports]
        ports += [f"{each.node}={each.file}" for each in self._texts[FileKind.PORTS] if each.node]

        def shown() -> list[str]:
            mates = [
                (owner, each.rdev, each.partner, each.partner_rdev)
                for console in consoles
                for owner, each in console.shown
                if each.partner_rdev is not None
            ]
            return ports_of(choose_systems(partitions, every), mates)

        return self._paired(decks, partitions, ports, shown)

    def _joined(
        self, decks: Sequence[Deck], names: Sequence[str], consoles: Sequence[SystemConsole]
    ) -> str | None:
        """The partitions that consoles name, or the only two that meet or that files name."""
        met = {each.node for each in meeting([find_system(name, decks) for name in names])}
        may = [name for name in names if name.partition("=")[0] in met] or [*names]
        shown = [name for name in names if any(name in each.systems for each in consoles)]
        told = [name for name in may if name in self._named(names)]
        reasons = {
            "the console logs name them": shown,
            "no others have CTCs that lead to each other": may,
            "the files and options name them": told,
        }
        for why, found in reasons.items():
            if len(found) == 2 or (found is shown and found[1:]):
                self.remarks.append(f"{listed(found)} are joined, as {why}: --partitions says it.")
                return ",".join(found)
        text = f"Which partitions are joined, of {', '.join(may)}"
        return self._asked("Which partitions", SiteQuestion("partitions", text, tuple(may), 2))

    def _named(self, names: Sequence[str]) -> set[str]:
        """The systems that guests leave or are at, and those whose loads are there."""
        found = {each.upper() for each in self.leave}
        for file in self.paths(FileKind.LOADS):
            heads = _content(file).decode("utf-8", "replace").partition("\n")[0]
            found |= {head.strip().upper() for head in heads.split(",")}
        for file in self.paths(FileKind.GUESTS):
            with suppress(IsfcError):
                guests = read_guests(Path(file), Limits(), [NodeName(name) for name in names])
                found |= {each.source for each in guests if each.source}
        return found

    def _paired(
        self,
        decks: Sequence[NamedText],
        partitions: str | None,
        ports: list[str],
        shown: Callable[[], list[str]],
    ) -> Collection | None:
        """The links of decks; of several cablings the one that mates are ``shown`` by, or asked."""
        feature, title = self._about.feature, "How it is cabled"
        read = partial(import_iocp, decks, partitions=partitions, ports=ports, feature=feature)
        try:
            found = self.tried("Decks that make no link", read, (SeveralCablings,))
        except SeveralCablings as error:
            if more := shown():
                said = "It is cabled as the mates are that the console logs show: --ports "
                self.remarks.append(said + ",".join(more))
                return self._paired(decks, partitions, [*ports, *more], list)
            answer = self._asked(title, SiteQuestion("ports", str(error), error.choices))
            return self._paired(decks, partitions, [*ports, answer], shown) if answer else None
        return self._remarked(found) if found else None

    def _as_consoles_say(self, decks: Collection, consoles: Sequence[SystemConsole]) -> Collection:
        """The links of decks with the CTCs that consoles show; what else these show is a doubt."""
        shown: set[tuple[str, CtcPair]] = set()
        for console in consoles:
            file, seen = console.log.file, console.devices
            found = [[(link, ctc) for _, link, ctc in ends(decks, each)] for each in seen]
            shown |= {each for some in found for each in some}
            if said := down_remark(each for each, some in zip(seen, found, strict=True) if some):
                self.remarks.append(f"{file}: {said}")
            if strangers := found.count([]):
                which = "none" if strangers == len(seen) else f"not {strangers}"
                said = f"{file}: of {counted(len(seen), 'CTC')} {which} is in the decks"
                self._doubt("A console or a deck of another machine", said)
        links = []
        for link in decks.links:
            kept = tuple(ctc for ctc in link.ctcs if (link.name, ctc) in shown)
            if 0 < len(kept) < len(link.ctcs):
                said = f"the consoles show {len(kept)} of the {counted(len(link.ctcs), 'CTC')}"
                self.remarks.append(f"{link.name}: {said} of the decks; the others are left out.")
            links.append(link.with_ctcs(kept) if kept else link)
        return replace(decks, links=tuple(links))

    def _read_guests(self) -> None:
        systems = self.now.systems if self.now else [NodeName(each) for each in self._systems]
        for file in self.paths(FileKind.GUESTS) if systems else ():
            read = partial(read_guests, Path(file), Limits(), systems)
            self.tenants = [*self.tenants, *(self.tried("Guests", read) or ())]

    def _choose(self) -> None:
        """Which system the guests leave if they do not say where they are, and which link."""
        now = self.now
        systems = now.systems if now else self._systems
        names = tuple(link.name for link in now.links) if now else ()
        if self.tenants and not self.leave and not any(each.source for each in self.tenants):
            text = f"Which system the guests leave, of {', '.join(systems)}"
            said = self._asked(MOVED, SiteQuestion("leave", text, systems))
            self.leave = said.split(",") if said else ()
        if self._about.decide is not None and self.link is None and names[1:]:
            text = f"Which link is to carry it, of {', '.join(names)}"
            self.link = self._asked(ORDERED, SiteQuestion("link", text, names))


def holds_layout(given: AnyLayout) -> bool:
    """Whether it is a layout, or nothing that is there, which is for a layout's reader to say."""
    is_path = isinstance(given, str | Path) and "\n" not in str(given)
    path = Path(str(given))
    if not is_path or not (path.is_file() or path.is_dir()):
        return True
    return file_kind(_content(str(given)))[0] is FileKind.LAYOUT


def _content(path: str) -> bytes:
    """What a file or a shipped layout holds."""
    if path in shipped_layouts():
        return read_content(path)[0]
    with within(path):
        return read_bytes(Path(path), _EXPECTED, MONWRITE_LENGTH_MAX)


def _told_apart(decks: Sequence[Sequence[str]]) -> list[str]:
    """The partitions of all decks, with the number of their deck where a name is in several."""
    names = [name for found in decks for name in found]
    return [
        name if names.count(name) == 1 else f"{name}{number}={number}:{name}"
        for number, found in enumerate(decks, start=1)
        for name in found
    ]
