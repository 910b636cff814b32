"""Hercules' configurations as tests write them: texts by the names of systems and of files."""

from collections.abc import Iterator, Mapping

from isfc.errors import ConfigurationError
from isfc.live.ctce.join import HostPort, JoinedCtc, join_statements
from isfc.live.ctce.statements import CtceStatement, HerculesConfiguration

LISTEN = HostPort("127.0.0.1", 32880)


def read(text: str, source: str, others: Mapping[str, str] | None = None) -> HerculesConfiguration:
    """A configuration, with files that it may include."""

    def lines_of(name: str) -> list[str]:
        if others is None or name not in others:
            raise ConfigurationError(f"{name}: cannot be read")
        return others[name].splitlines()

    found = HerculesConfiguration(source.partition(".")[0], lines_of)
    found.read(text.splitlines(), source)
    return found


def statements(text: str, source: str = "A.cnf") -> list[CtceStatement]:
    """The devices of a text."""
    return [*read(text, source).devices.values()]


def join(
    files: Mapping[str, str], places: Mapping[str, HostPort] | None = None
) -> tuple[list[JoinedCtc], list[str]]:
    """The CTCs of files, and all that is passed over; one in lower case is only included."""
    found = [read(text, name, files) for name, text in files.items() if name[0].isupper()]
    devices = [device for each in found for device in each.devices.values()]
    ctcs, remarks = join_statements(devices, places or {}, LISTEN)
    return ctcs, [*(remark for each in found for remark in each.remarks), *remarks]


def disturbed(line: str) -> Iterator[str]:
    """The line with one slip, or with what programs make of one."""
    for at, each in enumerate(line):
        before, after = line[:at], line[at + 1 :]
        yield from (f"{before}{other}{after}" for other in ("", each * 2, "O", "I", "?", " "))
        yield f"{before}{after[:1]}{each}{after[1:]}"
        if each == " ":
            yield from (
                f"{before}{other}{after}" for other in ("\n", "\t", "&nbsp;", "\xa0", "=\n")
            )
    for before in (
        "> ",
        "| ",
        "*",
        "**",
        "->",
        "- ",
        "12 ",
        "12: ",
        "`",
        '"',
        "<b>",
        "#",
        "\ufeff",
    ):
        yield before + line
        yield before + line + before
    yield from (line + mark for mark in ("\\", ";", ",", "**", "`", " +", "  \\"))
