"""``isfc studio`` as a process: its address, what it answers, and what is left of it."""

import http.client
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from tests.isfc_process import start
from tests.waiting import PATIENCE_S, wait_for

IDLE_COUNT: Final = 3
"""The command, the server that computations are forked from, and what removes their leavings."""


@dataclass(frozen=True, slots=True)
class RunningStudio:
    """The process of the command, in a session of its own, and the address that it prints."""

    process: subprocess.Popen[str]
    address: str

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and content of the answer; ``path`` is below the token, or begins /."""
        place = urlsplit(self.address)
        connection = http.client.HTTPConnection(place.netloc, timeout=PATIENCE_S)
        whole = path if path.startswith("/") else place.path + path
        text = None if body is None else json.dumps(body)
        with closing(connection):
            connection.request(method, whole, text, headers or {})
            answer = connection.getresponse()
            content = answer.read().decode()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, content

    def post(self, path: str, **body: Any) -> Any:
        """The JSON of an answer; of several lines, a list."""
        _, headers, content = self.request("POST", path, body)
        if headers["content-type"].startswith("application/x-ndjson"):
            return [json.loads(line) for line in content.splitlines()]
        return json.loads(content)

    def processes(self) -> list[int]:
        """All that run in its session."""
        return [
            int(stat.parent.name)
            for stat in Path("/proc").glob("[0-9]*/stat")
            if _session(stat) == self.process.pid
        ]

    def idle(self) -> set[int]:
        """All that run when nothing is computed any more."""
        wait_for(lambda: len(self.processes()) == IDLE_COUNT, "the end of what is computed")
        return set(self.processes())

    def end(self) -> float:
        """Ctrl-C; how many seconds it takes until nothing is left, and the exit code is 0.

        As from a terminal, every process of the group gets the signal.
        """
        begin = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        assert self.process.wait(PATIENCE_S) == 0
        wait_for(lambda: not self.processes(), "the end of all processes of the studio")
        return time.monotonic() - begin


@contextmanager
def studio(
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stderr: int | None = None,
    program: str = "tests.short_isfc",
) -> Iterator[RunningStudio]:
    """The command, until the body ends; ``environment`` is added to that of the tests.

    Its runs are short, but for ``program="isfc"``. It is ended as a user ends it, by Ctrl-C, so
    that nothing is left of it.
    """
    process = start(
        *("studio", *arguments, "--no-browser"),
        module=program,
        environment=environment,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    running = RunningStudio(process, process.stdout.readline().split()[-1])
    try:
        yield running
    finally:
        try:
            if process.poll() is None:
                running.end()
        finally:
            process.kill()  # what ends as it should is gone by now
            process.wait(PATIENCE_S)
            process.stdout.close()


def _session(stat: Path) -> int | None:
    """The session of a process, None if it is gone, or is a zombie."""
    try:
        fields = stat.read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[3])
