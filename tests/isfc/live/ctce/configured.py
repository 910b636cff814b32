"""Hercules' configurations as tests write them: texts by the names of systems and of files."""

from collections.abc import Mapping

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
