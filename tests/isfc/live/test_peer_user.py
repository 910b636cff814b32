"""Whose connection it is."""

import asyncio
import os
import socket
import subprocess
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.live import peer_user
from isfc.live.endpoint import TcpEndpoint
from isfc.live.handshake import Refusal, decode_greeting, encode_greeting
from isfc.live.peer_user import foreign_user, uid_in
from isfc.testing.pair import Setup
from tests.live.pair import LiveSide, Run

NOBODY = 65_534

TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1E14 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 100 1
   1: 0100007F:B0F2 0100007F:1E14 01 00000000:00000000 00:00000000 00000000  1000        0 101 1
   2: 0100007F:1E14 0100007F:B0F2 01 00000000:00000000 00:00000000 00000000     0        0 0 1
"""

SPEAK = """\
import socket, sys
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
connection.sendall(bytes.fromhex(sys.argv[2]))
sys.stdout.write(connection.recv(1000).hex())
"""


def test_the_kernels_table_says_who_has_a_connection() -> None:
    assert uid_in(TABLE, "0100007F:B0F2", "0100007F:1E14") == 1000
    assert uid_in(TABLE, "0100007F:1E14", "0100007F:B0F2") is None  # not accepted yet
    assert uid_in(TABLE, "0100007F:B0F3", "0100007F:1E14") is None
    assert uid_in("", "0100007F:B0F2", "0100007F:1E14") is None


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_connection_within_this_process_is_ours(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip(f"there is no {host}")
    with listener, socket.create_connection(listener.getsockname()[:2]) as there:
        here, _ = listener.accept()
        with here:
            assert foreign_user(here) is None
            assert foreign_user(there) is None
            monkeypatch.setattr(os, "getuid", lambda: 12_345)
            assert foreign_user(here) == (
                f"a process of another user, {os.geteuid()}: it takes TLS, or --insecure"
            )
            monkeypatch.setattr(peer_user, "TABLES", {family: Path("/nowhere")})
            reason = foreign_user(here)
            assert reason is not None
            assert reason.startswith("nobody knows")


def test_where_users_cannot_be_told_tls_is_asked_for(
    run_live: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_user, "TABLES", {socket.AF_INET: Path("/nowhere")})

    async def main() -> None:
        side = LiveSide(Setup().definition(0), 1)
        with pytest.raises(ConfigurationError, match=r"by other users: give --cert.*--insecure"):
            await side.attachments.listen(TcpEndpoint("127.0.0.1", 0))
        await side.attachments.listen(TcpEndpoint("127.0.0.1", 0), insecure=True)
        await side.close()

    run_live(main())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("insecure", [False, True])
def test_another_user_of_this_machine_is_refused(run_live: Run, insecure: bool) -> None:
    async def main() -> None:
        first, second = (LiveSide(Setup().definition(here), here + 1) for here in (0, 1))
        endpoint = await first.attachments.listen(TcpEndpoint("127.0.0.1", 0), insecure=insecure)
        assert isinstance(endpoint, TcpEndpoint)
        rdev = second.engine.definition.ctcs[0].device.rdev
        words = (str(endpoint.port), encode_greeting(second.attachments.hello(rdev)).hex())

        def speak() -> bytes:
            command = ("/usr/bin/env", "python3", "-I", "-c", SPEAK, *words)
            told = subprocess.run(command, user=NOBODY, cwd="/", capture_output=True, check=True)
            return bytes.fromhex(told.stdout.decode())

        answer = decode_greeting(await asyncio.to_thread(speak))
        assert isinstance(answer, Refusal) is not insecure
        if isinstance(answer, Refusal):
            assert answer.reason == "a process of another user, 65534: it takes TLS, or --insecure"
        for side in (first, second):
            await side.close()

    run_live(main())
