"""A disk that is really full: who needs it says which file, why and what helps."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from isfc.cli.main import run
from tests.live.processes import Isfc, isfc
from tests.refusals import NO_ROOM

pytestmark = pytest.mark.slow

LAYOUT = "docs/cluster/third-member.toml"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk; only root can have one."""
    place = tmp_path / "d"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "isfc", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False, timeout=60).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True, timeout=60)


def fill(disk: Path) -> None:
    """Leave room for no byte."""
    with pytest.raises(OSError, match="No space"):
        (disk / "much").write_bytes(bytes(2**20))


def test_a_journal_of_which_nothing_was_written_says_so_and_the_pair_measures(
    tmp_path: Path, disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(disk)
    words = "--workload HS --pairs 5 --seconds 0.1 --warmup 0 --json".split()
    with isfc(tmp_path, "up", "published-4", *words, "--journal", str(disk)) as up:
        assert up.exit_code() == 0
    for name in ("CLIENT", "SERVER"):
        path = disk / f"{name}.journal"
        said = f"journal {path}: {NO_ROOM}. It ends here and nothing of it can be replayed"
        assert said in up.err
        assert path.stat().st_size == 0
        assert run(["journal", "replay", str(path)]) == 1
        assert "is empty: the disk was full" in capsys.readouterr().err


def test_systems_that_cannot_be_detached_for_want_of_room_say_so(
    tmp_path: Path, disk: Path
) -> None:
    fill(disk)
    with isfc(tmp_path, "up", LAYOUT, "--detach", environment={"XDG_RUNTIME_DIR": str(disk)}) as up:
        assert up.exit_code() == 1
        assert up.err == f"isfc: {disk}/isfc/ALPHA-BETA-GAMMA.log: {NO_ROOM}\n"


def test_hardware_of_which_no_note_can_be_kept_is_not_lost(tmp_path: Path, disk: Path) -> None:
    def up(word: str, *more: str) -> Isfc:
        with isfc(tmp_path, "up", LAYOUT, word, *more, environment=there) as found:
            found.exit_code()
        return found

    there = {"XDG_RUNTIME_DIR": str(disk)}
    assert up("--detach").process.returncode == 0
    try:
        assert up("--lose", "ALPHA:40").process.returncode == 0
        fill(disk)
        refused = up("--lose", "BETA:50")
        assert refused.process.returncode == 1
        assert refused.err.endswith(f"/lost: {NO_ROOM}\n")
        restored = up("--restore", "BETA:50")
        assert "--restore BETA:50: is not lost; lost is ALPHA:40" in restored.err
        (disk / "much").unlink()
        assert "ALPHA-GAMMA 8 of 8" in up("--restore", "ALPHA:40").out
    finally:
        assert up("--end").process.returncode == 0
