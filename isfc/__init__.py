"""ISFC logical links between two z/VM systems, in virtual time and live.

This is the whole public face; docs/api.md shows it at work. Whatever is not named here is private,
but for `isfc.testing`. Nothing is loaded before it is used, so ``import isfc`` takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from isfc import measured as measured
    from isfc.cli.drawing.cluster import drawing as drawing
    from isfc.cli.html.report import report as report
    from isfc.cli.io.functions import IoResult as IoResult
    from isfc.cli.io.functions import IoSizing as IoSizing
    from isfc.cli.io.functions import io_beside as io_beside
    from isfc.cli.io.functions import io_chart as io_chart
    from isfc.cli.io.functions import io_plan as io_plan
    from isfc.cli.io.functions import io_run as io_run
    from isfc.cli.io.functions import io_size as io_size
    from isfc.cli.io.plan import IoPlanJson as IoPlanJson
    from isfc.cli.io.run import IoRunJson as IoRunJson
    from isfc.cli.journal.document import JournalReplay as JournalReplay
    from isfc.cli.journal.document import journal_replay as journal_replay
    from isfc.cli.journal.document import journal_show as journal_show
    from isfc.cli.results.shared_json import SharedJson as SharedJson
    from isfc.cli.run.functions import SimulatedLinks as SimulatedLinks
    from isfc.cli.run.functions import simulate_links as simulate_links
    from isfc.deck.connections import Connections as Connections
    from isfc.deck.connections import connections as connections
    from isfc.deck.dpm import import_dpm as import_dpm
    from isfc.deck.exported import Exported as Exported
    from isfc.deck.exported import export as export
    from isfc.deck.imported import Imported as Imported
    from isfc.deck.imported import import_config as import_config
    from isfc.deck.imported import import_iocp as import_iocp
    from isfc.deck.imported import import_islink as import_islink
    from isfc.deck.listing import deck_partitions as deck_partitions
    from isfc.deck.renumbered import number as number
    from isfc.deck.scheme import Numbering as Numbering
    from isfc.errors import Backpressure as Backpressure
    from isfc.errors import ConfigurationError as ConfigurationError
    from isfc.errors import IsfcError as IsfcError
    from isfc.errors import LocalProtocolError as LocalProtocolError
    from isfc.errors import RemoteProtocolError as RemoteProtocolError
    from isfc.io.charts import Chart as Chart
    from isfc.io.shared import parse_links as parse_links
    from isfc.layout.catalogue import load_layout as load_layout
    from isfc.layout.catalogue import shipped_layouts as shipped_layouts
    from isfc.layout.change import Step as Step
    from isfc.layout.collection import Cec as Cec
    from isfc.layout.collection import ChannelEnd as ChannelEnd
    from isfc.layout.collection import Collection as Collection
    from isfc.layout.collection import LinkTraffic as LinkTraffic
    from isfc.layout.collection import Memory as Memory
    from isfc.layout.edit import AddCtc as AddCtc
    from isfc.layout.edit import AddFibre as AddFibre
    from isfc.layout.edit import Edit as Edit
    from isfc.layout.edit import MoveCtc as MoveCtc
    from isfc.layout.edit import RemoveCtc as RemoveCtc
    from isfc.layout.edit import RenumberCtc as RenumberCtc
    from isfc.layout.edit import SetFibre as SetFibre
    from isfc.layout.edit import SwapRdevs as SwapRdevs
    from isfc.layout.edit import TakeAdvice as TakeAdvice
    from isfc.layout.edit import edit as edit
    from isfc.layout.edit import features as features
    from isfc.layout.edit import read_edit as read_edit
    from isfc.layout.edit import without as without
    from isfc.layout.file import parse_layout as parse_layout
    from isfc.layout.foreign_text import SourceKind as SourceKind
    from isfc.layout.foreign_text import source_kind as source_kind
    from isfc.layout.layout import CtcPair as CtcPair
    from isfc.layout.layout import Fibre as Fibre
    from isfc.layout.layout import Layout as Layout
    from isfc.layout.lost import pieces as pieces
    from isfc.layout.new import new as new
    from isfc.layout.note import Note as Note
    from isfc.layout.plan import Plan as Plan
    from isfc.layout.rules.rule import Finding as Finding
    from isfc.layout.schema import layout_schema as schema
    from isfc.layout.write import format_collection as format_collection
    from isfc.link.message import Traffic as Traffic
    from isfc.link.name import NodeName as NodeName
    from isfc.live.conversation import Conversation as Conversation
    from isfc.live.session import OpenNode as OpenNode
    from isfc.live.session import open_node as open_node
    from isfc.programs.protocol import ConversationLimits as ConversationLimits
    from isfc.programs.protocol import ConversationSevered as ConversationSevered
    from isfc.programs.protocol import SeverCode as SeverCode
    from isfc.search.decide import Comparison as Comparison
    from isfc.search.decide import change as change
    from isfc.search.decide import check as check
    from isfc.search.decide import collide as collide
    from isfc.search.decide import compare as compare
    from isfc.search.decide import losses as losses
    from isfc.search.decide import optimise as optimise
    from isfc.search.replay import Replayed as Replayed
    from isfc.search.replay import replay as replay
    from isfc.search.result import SearchResult as SearchResult
    from isfc.search.simulation import Simulation as Simulation
    from isfc.search.simulation import simulate as simulate
    from isfc.search.sized import LinkSizing as LinkSizing
    from isfc.search.sizing import size as size
    from isfc.search.sweep import sweep as sweep
    from scenarios.figures.collide import CollisionOutcome as CollisionOutcome
    from scenarios.figures.link_rates import ModelledRate as ModelledRate
    from scenarios.figures.link_rates import carried as carried
    from scenarios.figures.losses import AfterLoss as AfterLoss
    from scenarios.figures.others_busy import others_busy as others_busy
    from scenarios.moves.evacuated import evacuate as evacuate
    from scenarios.moves.evacuated import relocate as relocate
    from scenarios.moves.evacuated import rolling_maintenance as rolling_maintenance
    from scenarios.moves.evacuation import EvacuationOutcome as EvacuationOutcome
    from scenarios.moves.guest import GuestPlan as GuestPlan
    from scenarios.moves.guest_memory import GuestMemory as GuestMemory
    from scenarios.moves.rolling import RollingOutcome as RollingOutcome
    from scenarios.moves.targets import Tenant as Tenant
    from scenarios.moves.vmrelocate import Limits as Limits
    from scenarios.runs.at_site import at_site as at_site
    from scenarios.runs.at_site import plan as plan
    from scenarios.runs.notes import plan_notes as plan_notes
    from scenarios.runs.workload import Workload as Workload

__version__ = "0.1.0"

_HOMES: Final = {
    "load_layout": "isfc.layout.catalogue",
    "shipped_layouts": "isfc.layout.catalogue",
    "parse_layout": "isfc.layout.file",
    "parse_links": "isfc.io.shared",
    "format_collection": "isfc.layout.write",
    "source_kind": "isfc.layout.foreign_text",
    "SourceKind": "isfc.layout.foreign_text",
    "deck_partitions": "isfc.deck.listing",
    "import_dpm": "isfc.deck.dpm",
    "import_iocp": "isfc.deck.imported",
    "import_islink": "isfc.deck.imported",
    "import_config": "isfc.deck.imported",
    "Imported": "isfc.deck.imported",
    "export": "isfc.deck.exported",
    "Exported": "isfc.deck.exported",
    "new": "isfc.layout.new",
    "schema": "isfc.layout.schema:layout_schema",
    "at_site": "scenarios.runs.at_site",
    "drawing": "isfc.cli.drawing.cluster",
    "connections": "isfc.deck.connections",
    "Connections": "isfc.deck.connections",
    "number": "isfc.deck.renumbered",
    "Numbering": "isfc.deck.scheme",
    "Layout": "isfc.layout.layout",
    "Collection": "isfc.layout.collection",
    "Cec": "isfc.layout.collection",
    "ChannelEnd": "isfc.layout.collection",
    "LinkTraffic": "isfc.layout.collection",
    "Memory": "isfc.layout.collection",
    "Fibre": "isfc.layout.layout",
    "CtcPair": "isfc.layout.layout",
    "plan": "scenarios.runs.at_site",
    "Plan": "isfc.layout.plan",
    "edit": "isfc.layout.edit",
    "read_edit": "isfc.layout.edit",
    "Edit": "isfc.layout.edit",
    "MoveCtc": "isfc.layout.edit",
    "AddCtc": "isfc.layout.edit",
    "RemoveCtc": "isfc.layout.edit",
    "SwapRdevs": "isfc.layout.edit",
    "RenumberCtc": "isfc.layout.edit",
    "SetFibre": "isfc.layout.edit",
    "AddFibre": "isfc.layout.edit",
    "TakeAdvice": "isfc.layout.edit",
    "without": "isfc.layout.edit",
    "pieces": "isfc.layout.lost",
    "check": "isfc.search.decide",
    "Finding": "isfc.layout.rules.rule",
    "losses": "isfc.search.decide",
    "AfterLoss": "scenarios.figures.losses",
    "collide": "isfc.search.decide",
    "CollisionOutcome": "scenarios.figures.collide",
    "change": "isfc.search.decide",
    "Step": "isfc.layout.change",
    "compare": "isfc.search.decide",
    "Comparison": "isfc.search.decide",
    "optimise": "isfc.search.decide",
    "SearchResult": "isfc.search.result",
    "size": "isfc.search.sizing",
    "LinkSizing": "isfc.search.sized",
    "evacuate": "scenarios.moves.evacuated",
    "EvacuationOutcome": "scenarios.moves.evacuation",
    "rolling_maintenance": "scenarios.moves.evacuated",
    "Tenant": "scenarios.moves.targets",
    "RollingOutcome": "scenarios.moves.rolling",
    "features": "isfc.layout.edit",
    "report": "isfc.cli.html.report",
    "replay": "isfc.search.replay",
    "Replayed": "isfc.search.replay",
    "carried": "scenarios.figures.link_rates",
    "ModelledRate": "scenarios.figures.link_rates",
    "plan_notes": "scenarios.runs.notes",
    "others_busy": "scenarios.figures.others_busy",
    "Note": "isfc.layout.note",
    "simulate": "isfc.search.simulation",
    "Simulation": "isfc.search.simulation",
    "Workload": "scenarios.runs.workload",
    "simulate_links": "isfc.cli.run.functions",
    "SimulatedLinks": "isfc.cli.run.functions",
    "relocate": "scenarios.moves.evacuated",
    "GuestPlan": "scenarios.moves.guest",
    "GuestMemory": "scenarios.moves.guest_memory",
    "Limits": "scenarios.moves.vmrelocate",
    "sweep": "isfc.search.sweep",
    "measured": "isfc.measured",
    "io_plan": "isfc.cli.io.functions",
    "IoPlanJson": "isfc.cli.io.plan",
    "io_run": "isfc.cli.io.functions",
    "IoRunJson": "isfc.cli.io.run",
    "io_beside": "isfc.cli.io.functions",
    "SharedJson": "isfc.cli.results.shared_json",
    "io_size": "isfc.cli.io.functions",
    "io_chart": "isfc.cli.io.functions",
    "Chart": "isfc.io.charts",
    "IoResult": "isfc.cli.io.functions",
    "IoSizing": "isfc.cli.io.functions",
    "journal_show": "isfc.cli.journal.document",
    "journal_replay": "isfc.cli.journal.document",
    "JournalReplay": "isfc.cli.journal.document",
    "open_node": "isfc.live.session",
    "OpenNode": "isfc.live.session",
    "Conversation": "isfc.live.conversation",
    "ConversationLimits": "isfc.programs.protocol",
    "ConversationSevered": "isfc.programs.protocol",
    "SeverCode": "isfc.programs.protocol",
    "Traffic": "isfc.link.message",
    "NodeName": "isfc.link.name",
    "IsfcError": "isfc.errors",
    "ConfigurationError": "isfc.errors",
    "LocalProtocolError": "isfc.errors",
    "RemoteProtocolError": "isfc.errors",
    "Backpressure": "isfc.errors",
}
"""Each public name, in the order of docs/api.md, and the module that defines it."""

__all__ = [
    "AddCtc",
    "AddFibre",
    "AfterLoss",
    "Backpressure",
    "Cec",
    "ChannelEnd",
    "Chart",
    "Collection",
    "CollisionOutcome",
    "Comparison",
    "ConfigurationError",
    "Connections",
    "Conversation",
    "ConversationLimits",
    "ConversationSevered",
    "CtcPair",
    "Edit",
    "EvacuationOutcome",
    "Exported",
    "Fibre",
    "Finding",
    "GuestMemory",
    "GuestPlan",
    "Imported",
    "IoPlanJson",
    "IoResult",
    "IoRunJson",
    "IoSizing",
    "IsfcError",
    "JournalReplay",
    "Layout",
    "Limits",
    "LinkSizing",
    "LinkTraffic",
    "LocalProtocolError",
    "Memory",
    "ModelledRate",
    "MoveCtc",
    "NodeName",
    "Note",
    "Numbering",
    "OpenNode",
    "Plan",
    "RemoteProtocolError",
    "RemoveCtc",
    "RenumberCtc",
    "Replayed",
    "RollingOutcome",
    "SearchResult",
    "SetFibre",
    "SeverCode",
    "SharedJson",
    "SimulatedLinks",
    "Simulation",
    "SourceKind",
    "Step",
    "SwapRdevs",
    "TakeAdvice",
    "Tenant",
    "Traffic",
    "Workload",
    "at_site",
    "carried",
    "change",
    "check",
    "collide",
    "compare",
    "connections",
    "deck_partitions",
    "drawing",
    "edit",
    "evacuate",
    "export",
    "features",
    "format_collection",
    "import_config",
    "import_dpm",
    "import_iocp",
    "import_islink",
    "io_beside",
    "io_chart",
    "io_plan",
    "io_run",
    "io_size",
    "journal_replay",
    "journal_show",
    "load_layout",
    "losses",
    "measured",
    "new",
    "number",
    "open_node",
    "optimise",
    "others_busy",
    "parse_layout",
    "parse_links",
    "pieces",
    "plan",
    "plan_notes",
    "read_edit",
    "relocate",
    "replay",
    "report",
    "rolling_maintenance",
    "schema",
    "shipped_layouts",
    "simulate",
    "simulate_links",
    "size",
    "source_kind",
    "sweep",
    "without",
]
"""The same names, written out, as type checkers need them; a test compares the two."""


def __getattr__(name: str) -> Any:
    """A public name, from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'isfc' has no attribute {name!r}")
    module, _, other = home.partition(":")
    if module == f"isfc.{name}":
        return import_module(module)
    found = getattr(import_module(module), other or name)
    if isinstance(found, type) and found.__doc__ in (None, "", "mypyc filler docstring"):
        import_module("isfc.documented").document(found)
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
