"""``isfc node``: one system of a layout, live, joined to its partner by sockets, or mutual TLS."""

import ssl
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from isfc.cli.live.cp import RunDirOption
from isfc.cli.live.measured_page import run_measured
from isfc.cli.live.options import LiveOptions, ObserveOptions
from isfc.cli.live.running_node import LiveNode
from isfc.cli.options.layout import LayoutArgument
from isfc.cli.options.option import JsonOption, LinkOption, flag, flattened, valued
from isfc.cli.output.streams import show_error
from isfc.engine.journal import journalled
from isfc.errors import ConfigurationError
from isfc.errors.in_words import find_node
from isfc.link.name import NodeName
from isfc.live.endpoint import Endpoint, parse_endpoint
from isfc.live.engine import MakeSystem
from isfc.live.journal_file import JournalWriter, create_journal
from isfc.live.late_writer import LateFile
from isfc.live.opening import Opening
from isfc.system.definition import LinkEndDefinition
from isfc.system.system import System, system_of


class PartnerOptions(Struct, frozen=True):
    """Where a node listens, where it goes to, and its PEM files."""

    listen: Annotated[
        str | None, valued("ADDR", "Wait for the partner at unix:PATH or HOST:PORT.")
    ] = None
    connect: Annotated[
        list[str] | None,
        valued(
            "[PARTNER=]ADDR",
            "Or go to where the partner listens. Of several partners each is named: may be "
            "given again.",
        ),
    ] = None
    cert: Annotated[Path | None, valued("FILE", "This node's certificate (PEM): mutual TLS.")] = (
        None
    )
    key: Annotated[Path | None, valued("FILE", "Its private key.")] = None
    ca: Annotated[Path | None, valued("FILE", "The CA that signed the partner's.")] = None
    insecure: Annotated[bool, flag("--insecure", "Go beyond this machine without TLS.")] = False

    def opening(
        self, options: LiveOptions, partners: Sequence[NodeName], make: MakeSystem
    ) -> Opening:
        """How the node is to meet its partners.

        Warns of ``--insecure`` where nothing is encrypted. Raises `ConfigurationError` for files
        that are missing or not what they should be, and for addresses that do not fit.
        """
        tls, connect_tls = (
            self.tls(server=server) if given is not None else None
            for server, given in ((True, self.listen), (False, self.connect))
        )
        if self.insecure and not (tls or connect_tls):
            show_error("--insecure: whoever reaches this address can read, forge and cut the link")
        listen = parse_endpoint(self.listen) if self.listen else None
        if len(partners) == 1 and (self.listen is None) == (self.connect is None):
            raise ConfigurationError("expected either --listen ADDR or --connect ADDR")
        return Opening(
            listen,
            self._connections(partners),
            dilation=options.factor,
            verify=options.verify,
            tls=tls,
            connect_tls=connect_tls,
            insecure=self.insecure,
            reconnect_s=options.reconnect_s,
            make=make,
        )

    def tls(self, *, server: bool) -> "TlsFiles | None":
        """The contexts for one end; None if none of the three files is given.

        Whose certificate the partner shows is checked once it is there: it must bear the partner's
        node name. Raises `ConfigurationError` as `TlsFiles` does.
        """
        given = {"--cert": self.cert, "--key": self.key, "--ca": self.ca}
        missing = [option for option, path in given.items() if path is None]
        if len(missing) == len(given):
            return None
        if self.cert is None or self.key is None or self.ca is None:
            raise ConfigurationError(f"{' and '.join(missing)} missing: TLS needs all three files")
        return TlsFiles(self.cert, self.key, self.ca, server=server)

    def _connections(self, partners: Sequence[NodeName]) -> dict[NodeName, Endpoint]:
        """Where to go to, by partner, from ``PARTNER=ADDR``; the only one need not be named."""
        found: dict[NodeName, Endpoint] = {}
        for text in self.connect or ():
            name, equals, place = text.partition("=")
            name = name.upper()
            if not (equals and name in partners):
                if len(partners) > 1:
                    raise ConfigurationError(
                        f"--connect {text[:80]}: expected PARTNER=ADDR, with one of "
                        f"{', '.join(partners)}"
                    )
                name, place = partners[0], text
            if name in found:
                raise ConfigurationError(f"--connect: {name} is there twice")
            found[NodeName(name)] = parse_endpoint(place)
        return found


class TlsFiles:
    """Three PEM files, and the context made of them: `__call__` reads those that have changed.

    Files that do not fit are said on stderr; until they do, the context stays as it was.
    Raises `ConfigurationError` for files that are missing or not what they should be.
    """

    def __init__(self, cert: Path, key: Path, ca: Path, *, server: bool) -> None:
        self._cert, self._key, self._ca = cert, key, ca
        self._server = server
        self._seen = self._look()
        self._context = self._read()

    def __call__(self) -> ssl.SSLContext:
        """The context for the next connection."""
        seen = self._look()
        if seen != self._seen:
            self._seen = seen
            try:
                self._context = self._read()
            except ConfigurationError as error:
                show_error(f"{error}; the certificate that was read before stays in use")
        return self._context

    def _look(self) -> list[tuple[int, int, int] | None]:
        """What changes with a file when it is written or replaced; None for one that is gone."""
        return [_identity(path) for path in (self._cert, self._key, self._ca)]

    def _read(self) -> ssl.SSLContext:
        server, cert, key, ca = self._server, self._cert, self._key, self._ca
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # a system's name is not that of its host
        context.verify_mode = ssl.CERT_REQUIRED
        _load(f"--ca {ca}", lambda: context.load_verify_locations(ca))
        files = f"--cert {cert}, --key {key}"
        _load(files, lambda: context.load_cert_chain(cert, key, _no_password))
        return context


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _load(files: str, load: Callable[[], None]) -> None:
    try:
        load()
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        reason = str(error)
        if isinstance(error, ssl.SSLError):
            what = (error.reason or reason).lower().replace("_", " ")
            reason = f"{what}; expected PEM: a certificate, its own key, and the CA's certificate"
        elif isinstance(error, OSError):
            reason = error.strerror or reason
        raise ConfigurationError(f"{files}: {reason}") from None


def _no_password() -> str:
    """A key with a password would stop a node at its start, with nobody to ask."""
    raise ValueError("the key has a password; expected one without")


@flattened
def node(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which system of the layout.")],
    layout: LayoutArgument,
    *,
    link_name: LinkOption = None,
    partner: PartnerOptions,
    options: LiveOptions,
    journal: Annotated[
        Path | None,
        valued(
            "FILE",
            "Record everything the node is given, for isfc journal; of each of several links, "
            "in a file with -PARTNER in its name.",
        ),
    ] = None,
    observed: ObserveOptions,
    run_dir: RunDirOption = None,
    lifeline: Annotated[bool, typer.Option("--lifeline", hidden=True)] = False,
    json: JsonOption = False,
) -> None:
    """Run one system of a layout live, joined to its partners.

    Of two systems one has --listen, the other --connect, here or on another machine; layout, pace
    and workload must be the same. With several links it goes to those of --connect PARTNER=ADDR,
    and others come where it listens. It goes on until Ctrl-C, or measures and ends (--seconds).
    """
    if json and options.seconds is None and not lifeline:
        raise ConfigurationError("--json: expected --seconds, for a result to print")
    links = options.open_links(layout, link_name, quiet=lifeline)
    named = find_node("NAME", name, dict.fromkeys(node for link in links for node in link.nodes))
    own = tuple(link for link in links if named in link.nodes)
    partners = [link.nodes[1 - link.nodes.index(named)] for link in own]
    make = _system_maker(journal, several=len(own) > 1)
    opening = partner.opening(options, partners, make)
    live = LiveNode(own, named, options, opening, lifeline, run_dir, observed)
    run_measured(live.serve, options, own, layout, json=json)


def _system_maker(journal: Path | None, *, several: bool) -> MakeSystem:
    """What makes systems: with ``--journal``, such as record their inputs, a file for each link."""
    if journal is None:
        return system_of
    writers: dict[Path, JournalWriter] = {}

    def make(definition: LinkEndDefinition) -> System:
        path = journal
        if several:
            path = journal.with_name(f"{journal.stem}-{definition.partner}{journal.suffix}")
        if path not in writers:
            writers[path] = JournalWriter(path, show_error, file=LateFile(create_journal(path)))
        return journalled(definition, writers[path])

    return make
