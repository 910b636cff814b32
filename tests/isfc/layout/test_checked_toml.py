"""A file that is too long is refused: it was read in part by readers that did not look."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from isfc.answers.guest import read_guests
from isfc.cli.live.ctce import read_commands
from isfc.errors import ConfigurationError
from isfc.io.rmf import read_rmf
from isfc.layout.checked_toml import FILE_LENGTH_MAX, TEXT_LENGTH_MAX, read_bytes
from isfc.site.monitor_records import read_layouts
from scenarios.faults.fault import read_faults
from scenarios.moves.guest import Limits
from scenarios.runs.own_workload import TRACE_LENGTH_MAX, read_trace

ANY: Final[Any] = None
"""What is asked for only once the file has been read."""

READERS: Final[dict[str, tuple[int, Callable[[Path], Any]]]] = {
    "any": (FILE_LENGTH_MAX, lambda path: read_bytes(path, "text")),
    "ctce --commands": (FILE_LENGTH_MAX, lambda path: read_commands(str(path), ANY)),
    "layouts of monitor records": (FILE_LENGTH_MAX, read_layouts),
    "faults": (
        FILE_LENGTH_MAX,
        lambda path: read_faults(str(path), ANY, ANY, 1),
    ),
    "RMF": (TEXT_LENGTH_MAX, read_rmf),
    "trace": (TRACE_LENGTH_MAX, read_trace),
    "guests": (64 * 1024, lambda path: read_guests(path, Limits())),
}


@pytest.mark.parametrize(("length_max", "read"), READERS.values(), ids=READERS)
def test_a_file_that_is_too_long_is_not_read_in_part(
    tmp_path: Path, length_max: int, read: Callable[[Path], Any]
) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes("# é\n".encode() * (length_max // 5) + b"#" * (length_max % 5 + 1))
    with pytest.raises(ConfigurationError, match=f"too long; expected at most {length_max} bytes"):
        read(path)


def test_a_file_of_just_so_many_bytes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"#" * 7)
    assert read_bytes(path, "text", 7) == b"#######"
