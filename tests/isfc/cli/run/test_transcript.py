"""What CP says, as a console shows it."""

from isfc.cli.run.command import transcript_lines
from scenarios.runs.operation import ConsoleEntry


def test_commands_stand_out_and_times_stand_in_a_column() -> None:
    entries = [
        ConsoleEntry(2.5, "ATLANTA", "DEACT ISLINK 6003", 0, ("Link 6003 deactivated.",)),
        ConsoleEntry(
            2.5, "ATLANTA", None, None, ("HCP2707I Link 6003 deactivated by user OPERATOR",)
        ),
        ConsoleEntry(86_400.000_001, "2NDI", None, None, ("HCP2703I one", "HCP2705I two")),
        ConsoleEntry(86_400.5, "2NDI", "", 0, ()),
    ]
    assert list(transcript_lines(entries)) == [
        "    2.500000 ATLANTA  > DEACT ISLINK 6003",
        "Link 6003 deactivated.",
        "    2.500000 ATLANTA    HCP2707I Link 6003 deactivated by user OPERATOR",
        "86400.000001 2NDI       HCP2703I one",
        "86400.000001 2NDI       HCP2705I two",
        "86400.500000 2NDI     > ",
    ]
