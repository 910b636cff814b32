"""What a file is, told by its content alone."""

import pytest

from isfc.layout.catalogue import read_content
from isfc.site.file_kind import FileKind, file_kind
from tools import PROJECT

DATA = PROJECT / "tests" / "data"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tests/data/decks/cec-a.iocp", FileKind.DECK),
        ("tests/data/decks/one-cec.listing", FileKind.DECK),
        ("tests/data/logs/boston.txt", FileKind.CONSOLE_LOG),
        ("tests/data/measured/two-pages.txt", FileKind.MEASURED),
        ("docs/measured/H001709C-link.txt", FileKind.MEASURED),
        ("tests/data/rmf/device-activity.txt", FileKind.RMF),
        ("docs/measured/week.csv", FileKind.LOADS),
        ("docs/cluster/guests.csv", FileKind.GUESTS),
        ("docs/cluster/third-member.toml", FileKind.LAYOUT),
        ("docs/io/two-channels.toml", FileKind.LAYOUT),
        ("docs/commands.cp", FileKind.CONFIGURATION),
        ("docs/ablations.csv", FileKind.OTHER),
        ("docs/index.md", FileKind.OTHER),
    ],
)
def test_content_tells_what_a_file_is(name: str, kind: FileKind) -> None:
    assert file_kind((PROJECT / name).read_bytes())[0] is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("rdev,io_per_s\n6000,1\n", FileKind.MEASURED),
        ('"Name";"Memory"\nA;8M\n', FileKind.GUESTS),
        ("[[ctc]\n", FileKind.OTHER),
        ("[fibre.1]\nfeature = \n", FileKind.LAYOUT),
        ("begin\n", FileKind.OTHER),
        ("", FileKind.OTHER),
    ],
)
def test_a_table_is_told_by_its_columns_and_a_layout_with_a_fault_is_one(
    text: str, kind: FileKind
) -> None:
    assert file_kind(text.encode())[0] is kind


def test_what_others_read_is_named_with_the_command_that_does() -> None:
    kind, remedy = file_kind((DATA / "dpm" / "links.json").read_bytes())
    assert kind is FileKind.OTHER
    assert "isfc import dpm" in remedy
    assert file_kind(read_content("atlanta-boston")[0])[0] is FileKind.LAYOUT
