"""What runs over a link, as a text says it: ``ALPHA-BETA:HL:50``."""

from isfc.arguments import spelt
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection, LinkTraffic
from isfc.layout.whole import find_link
from isfc.link.name import NodeName
from scenarios.runs.experiment import PAIRS_MAX
from scenarios.runs.workload import LinkLoad, load_of


def read_traffic(text: str, collection: Collection) -> LinkLoad:
    """The load that a text says; raises `ConfigurationError`."""
    with within(f"{spelt('traffic')} {text[:60]}"):
        ends, _, rest = text.partition(":")
        workload, _, pairs = rest.rpartition(":")
        client, _, server = ends.upper().partition("-")
        if not (client and server and workload and pairs.isdecimal() and len(pairs) < 9):
            raise ConfigurationError("expected FROM-TO:WORKLOAD:PAIRS, such as ALPHA-BETA:HL:50")
        if not 1 <= int(pairs) <= PAIRS_MAX:
            raise ConfigurationError(f"{pairs} pairs; expected 1 to {PAIRS_MAX}")
        names = NodeName(client), NodeName(server)
        find_link(collection, *names)
        return load_of(LinkTraffic(*names, workload, int(pairs)))
