"""isfc that gives a TCP connection up after 3 s, not 30: for tests that wait longer than that."""

from typing import Final

from isfc.cli.script import main
from isfc.live import connection, forward

UNCONFIRMED_MS: Final = 3_000
CHECK_S: Final = 0.5

if __name__ == "__main__":
    setattr(connection, "UNCONFIRMED_MS", UNCONFIRMED_MS)  # noqa: B010  # which is `Final`
    setattr(forward, "CHECK_S", CHECK_S)  # noqa: B010
    raise SystemExit(main())
