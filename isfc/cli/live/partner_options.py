"""Where ``isfc node`` meets its partners, and what proves who they are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from isfc.cli.live.tls_options import TlsFiles, mutual_tls
from isfc.cli.output.streams import show_error
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.live.endpoint import Endpoint, parse_endpoint


class PartnerOptions(Struct, frozen=True):
    """Where a node listens, where it goes to, and its PEM files."""

    listen: Annotated[
        str | None,
        typer.Option(metavar="ADDR", help="Wait for the partner at unix:PATH or HOST:PORT."),
    ] = None
    connect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[PARTNER=]ADDR",
            help="Or go to where the partner listens. Of several partners each is named: may be "
            "given again.",
        ),
    ] = None
    cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="This node's certificate (PEM): mutual TLS.")
    ] = None
    key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key.")] = None
    ca: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The CA that signed the partner's.")
    ] = None
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Go beyond this machine without TLS.")
    ] = False

    def tls(self) -> list[TlsFiles | None]:
        """The contexts of the end that listens and of the one that connects, if there are both.

        Warns of ``--insecure`` where nothing is encrypted. Raises `ConfigurationError` for files
        that are missing or not what they should be.
        """
        ways = ((True, self.listen), (False, self.connect))
        found = [
            mutual_tls(self.cert, self.key, self.ca, server=server, report=show_error)
            for server, given in ways
            if given is not None
        ]
        if self.insecure and not any(found):
            show_error("--insecure: whoever reaches this address can read, forge and cut the link")
        return found

    def check_one(self) -> None:
        """Raise `ConfigurationError` unless the only partner is either waited for or gone to."""
        if (self.listen is None) == (self.connect is None):
            raise ConfigurationError("expected either --listen ADDR or --connect ADDR")

    def listening(self) -> Endpoint | None:
        """Where the node listens; None if it does not."""
        return parse_endpoint(self.listen) if self.listen else None

    def connections(self, partners: Sequence[NodeName]) -> dict[NodeName, Endpoint]:
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
