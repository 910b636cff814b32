"""Serving the page on loopback until Ctrl-C."""

import os
import secrets
import signal
import socket
import webbrowser
from types import FrameType
from typing import Final

import uvicorn

from isfc.cli.output.exits import ENDING_SIGNALS, ExitCode
from isfc.cli.output.streams import show_lines
from isfc.cli.studio.server import Studio
from isfc.cli.studio.work import Work

HOST: Final = "127.0.0.1"
TOKEN_LENGTH: Final = 16
"""Random bytes in the address."""
CONNECTIONS_MAX: Final = 64
"""Connections that wait; a browser has six."""


class _Server(uvicorn.Server):
    """Uvicorn's server, which ends at the first signal, and all its work with it."""

    def __init__(self, config: uvicorn.Config, work: Work) -> None:
        super().__init__(config)
        self._work = work

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End immediately: nothing is wanted any more, and nothing is to be undone."""
        self._work.kill_all()
        os._exit(ExitCode.GOOD)


def serve(text: str, source: str, port: int, *, open_browser: bool) -> None:
    """Serve the page of one layout, and say where; until Ctrl-C, SIGTERM or a closed terminal.

    Raises `OSError` for a port that is taken.
    """
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(CONNECTIONS_MAX)
        bound = listening.getsockname()[1]
        token = secrets.token_urlsafe(TOKEN_LENGTH)
        work = Work()
        app = Studio(work, text, source).app(token, bound)
        config = uvicorn.Config(
            app, log_config=None, access_log=False, lifespan="off", server_header=False
        )
        server = _Server(config, work)
        for each in ENDING_SIGNALS:
            signal.signal(each, server.handle_exit)
        work.warm_up()
        address = f"http://{HOST}:{bound}/{token}/"
        show_lines([f"isfc studio is at {address}", "Ctrl-C ends it."])
        if open_browser:
            webbrowser.open(address)
        server.run(sockets=[listening])
