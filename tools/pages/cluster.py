"""The pictures of the guide on clusters.

One is of the shipped cluster, as ``isfc show`` draws it. Each of the others answers a question of
the guide, and is of what the command beside it shows.
"""

from pathlib import Path
from typing import Final

from isfc.cli.drawing.cluster import drawing_svg
from isfc.cli.relocation.evacuate import read_tenants
from isfc.layout.catalogue import load_collection
from isfc.layout.loss import losses as losses_of
from isfc.link.name import NodeName
from scenarios.figures.cluster_plan import cluster_plan
from scenarios.moves.evacuation import Evacuation
from scenarios.moves.moving import move
from scenarios.moves.targets import place_guests
from scenarios.runs.saturation import in_turn
from tools.pages.cluster_pictures import evacuation_svg, losses_svg, together_svg

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
THIRD_MEMBER: Final = DOCS / "cluster" / "third-member.toml"
GUESTS: Final = DOCS / "cluster" / "guests.csv"


def two_cecs() -> str:
    """``isfc show two-cecs -o``."""
    return drawing_svg(cluster=load_collection("two-cecs"))


def together() -> str:
    """``isfc plan docs/cluster/third-member.toml``."""
    return together_svg(cluster_plan(load_collection(str(THIRD_MEMBER)), in_turn))


def losses() -> str:
    """``isfc plan two-cecs --lose``."""
    return losses_svg([*losses_of(load_collection("two-cecs"))])


def evacuation() -> str:
    """``isfc evacuate two-cecs ALPHA --guests docs/cluster/guests.csv --quiet``."""
    collection, source = load_collection("two-cecs"), NodeName("ALPHA")
    placed = place_guests(collection, (source,), read_tenants(GUESTS, collection), {})
    evacuation = Evacuation(collection, (source,), placed)
    outcome = move(evacuation)
    return evacuation_svg(outcome, outcome.figures)


def files() -> dict[Path, str]:
    """The pictures of the guide."""
    return {
        DOCS / "layout-two-cecs.svg": two_cecs(),
        DOCS / "cluster-together.svg": together(),
        DOCS / "cluster-losses.svg": losses(),
        DOCS / "cluster-evacuation.svg": evacuation(),
    }
