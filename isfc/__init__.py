"""ISFC logical links between two z/VM systems, in virtual time and live.

This is the whole public face; docs/api.md shows it at work. Whatever is not named here is private,
but for `isfc.testing`. Nothing is loaded before it is used, so ``import isfc`` takes no time.
"""

from typing import TYPE_CHECKING, Final

from isfc.errors.loading import public_face

if TYPE_CHECKING:
    from isfc import measured as measured
    from isfc.answers.change import change as change
    from isfc.answers.change_page import Change as Change
    from isfc.answers.change_page import ChangeStep as ChangeStep
    from isfc.answers.check import CheckedLink as CheckedLink
    from isfc.answers.check import CheckFinding as CheckFinding
    from isfc.answers.check import check as check
    from isfc.answers.collide import Collisions as Collisions
    from isfc.answers.collide import collide as collide
    from isfc.answers.compare import ComparedLayout as ComparedLayout
    from isfc.answers.compare import Comparison as Comparison
    from isfc.answers.compare import PairOdds as PairOdds
    from isfc.answers.compare import compare as compare
    from isfc.answers.connections import Connections as Connections
    from isfc.answers.connections import connections as connections
    from isfc.answers.drawing import drawing as drawing
    from isfc.answers.evacuate import RollingMaintenance as RollingMaintenance
    from isfc.answers.evacuate import evacuate as evacuate
    from isfc.answers.evacuate import rolling_maintenance as rolling_maintenance
    from isfc.answers.faults_run import FaultsRun as FaultsRun
    from isfc.answers.io_beside import LinkBesideDisks as LinkBesideDisks
    from isfc.answers.io_beside import io_beside as io_beside
    from isfc.answers.io_chart import io_chart as io_chart
    from isfc.answers.io_plan import IoEstimates as IoEstimates
    from isfc.answers.io_plan import io_plan as io_plan
    from isfc.answers.io_run import IoActivity as IoActivity
    from isfc.answers.io_run import io_run as io_run
    from isfc.answers.io_size import IoSizes as IoSizes
    from isfc.answers.io_size import io_size as io_size
    from isfc.answers.journal import JournalInput as JournalInput
    from isfc.answers.journal import JournalReplay as JournalReplay
    from isfc.answers.journal import journal_replay as journal_replay
    from isfc.answers.journal import journal_show as journal_show
    from isfc.answers.link_run import LinkRun as LinkRun
    from isfc.answers.links_run import LinksRun as LinksRun
    from isfc.answers.losses import Left as Left
    from isfc.answers.losses import Losses as Losses
    from isfc.answers.losses import losses as losses
    from isfc.answers.moves import MovedGuest as MovedGuest
    from isfc.answers.moves import Moves as Moves
    from isfc.answers.optimise import optimise as optimise
    from isfc.answers.optimise_report import SearchResult as SearchResult
    from isfc.answers.page.report import report as report
    from isfc.answers.plan import plan as plan
    from isfc.answers.plan_link import PlannedLink as PlannedLink
    from isfc.answers.plan_links import PlannedLinks as PlannedLinks
    from isfc.answers.plan_modelled import ModelledLink as ModelledLink
    from isfc.answers.relocate import relocate as relocate
    from isfc.answers.replay import replay as replay
    from isfc.answers.replay_report import Replayed as Replayed
    from isfc.answers.results import ComparedResults as ComparedResults
    from isfc.answers.results import compare_results as compare_results
    from isfc.answers.run import run as run
    from isfc.answers.running import Look as Look
    from isfc.answers.running import Meanwhile as Meanwhile
    from isfc.answers.simulation import SimulatedLinks as SimulatedLinks
    from isfc.answers.simulation import Simulation as Simulation
    from isfc.answers.simulation import simulate as simulate
    from isfc.answers.simulation import simulate_links as simulate_links
    from isfc.answers.size import LinkSizing as LinkSizing
    from isfc.answers.size import size as size
    from isfc.answers.sweep import Sweep as Sweep
    from isfc.answers.sweep import SweptPlace as SweptPlace
    from isfc.answers.sweep import sweep as sweep
    from isfc.answers.views import RunView as RunView
    from isfc.deck.dpm import import_dpm as import_dpm
    from isfc.deck.export import Exported as Exported
    from isfc.deck.export import export as export
    from isfc.deck.imported import Imported as Imported
    from isfc.deck.importing import import_config as import_config
    from isfc.deck.importing import import_iocp as import_iocp
    from isfc.deck.importing import import_islink as import_islink
    from isfc.deck.listing import deck_partitions as deck_partitions
    from isfc.deck.scheme import Numbering as Numbering
    from isfc.errors import Backpressure as Backpressure
    from isfc.errors import ConfigurationError as ConfigurationError
    from isfc.errors import IsfcError as IsfcError
    from isfc.errors import LocalProtocolError as LocalProtocolError
    from isfc.errors import RemoteProtocolError as RemoteProtocolError
    from isfc.io.charts import Chart as Chart
    from isfc.io.shared import parse_links as parse_links
    from isfc.layout.build import new as new
    from isfc.layout.catalogue import Decks as Decks
    from isfc.layout.catalogue import load_layout as load_layout
    from isfc.layout.catalogue import shipped_layouts as shipped_layouts
    from isfc.layout.collection import Collection as Collection
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
    from isfc.layout.file import parse_layout as parse_layout
    from isfc.layout.layout import CtcPair as CtcPair
    from isfc.layout.layout import Fibre as Fibre
    from isfc.layout.layout import Layout as Layout
    from isfc.layout.loss import pieces as pieces
    from isfc.layout.loss import without as without
    from isfc.layout.parts import Cec as Cec
    from isfc.layout.parts import ChannelEnd as ChannelEnd
    from isfc.layout.parts import LinkTraffic as LinkTraffic
    from isfc.layout.parts import Memory as Memory
    from isfc.layout.plan import Plan as Plan
    from isfc.layout.rules.rule import Finding as Finding
    from isfc.layout.schema import schema as schema
    from isfc.layout.write import format_collection as format_collection
    from isfc.link.message import Traffic as Traffic
    from isfc.link.name import NodeName as NodeName
    from isfc.live.conversation import Conversation as Conversation
    from isfc.live.session import OpenNode as OpenNode
    from isfc.live.session import open_node as open_node
    from isfc.programs.protocol import ConversationLimits as ConversationLimits
    from isfc.programs.protocol import ConversationSevered as ConversationSevered
    from isfc.programs.protocol import SeverCode as SeverCode
    from isfc.reports.figure import Figure as Figure
    from isfc.reports.figure import Interval as Interval
    from isfc.reports.figure import Note as Note
    from isfc.reports.figure import Range as Range
    from isfc.reports.figure import Unit as Unit
    from isfc.site.file_kind import FileKind as FileKind
    from isfc.site.file_kind import file_kind as file_kind
    from scenarios.figures.collide import CollisionOutcome as CollisionOutcome
    from scenarios.figures.rates import ModelledRate as ModelledRate
    from scenarios.figures.rates import carried as carried
    from scenarios.figures.rates import others_busy as others_busy
    from scenarios.moves.guest import GuestMemory as GuestMemory
    from scenarios.moves.guest import GuestPlan as GuestPlan
    from scenarios.moves.guest import Limits as Limits
    from scenarios.moves.leaving import Tenant as Tenant
    from scenarios.runs.at_site import at_site as at_site
    from scenarios.runs.at_site import judge as judge
    from scenarios.runs.notes import plan_notes as plan_notes
    from scenarios.runs.timeline import Io as Io
    from scenarios.runs.timeline import Timeline as Timeline
    from scenarios.runs.workload import Workload as Workload

__version__ = "0.1.0"

_PUBLIC: Final = {
    "isfc.layout.catalogue": "Decks load_layout shipped_layouts",
    "isfc.layout.file": "parse_layout",
    "isfc.io.shared": "parse_links",
    "isfc.layout.write": "format_collection",
    "isfc.site.file_kind": "file_kind FileKind",
    "isfc.deck.listing": "deck_partitions",
    "isfc.deck.dpm": "import_dpm",
    "isfc.deck.imported": "Imported",
    "isfc.deck.importing": "import_iocp import_islink import_config",
    "isfc.deck.export": "export Exported",
    "isfc.layout.build": "new",
    "isfc.layout.schema": "schema",
    "scenarios.runs.at_site": "at_site judge",
    "isfc.answers.drawing": "drawing",
    "isfc.answers.connections": "connections Connections",
    "isfc.deck.scheme": "Numbering",
    "isfc.layout.layout": "Layout Fibre CtcPair",
    "isfc.layout.collection": "Collection",
    "isfc.layout.parts": "Cec ChannelEnd LinkTraffic Memory",
    "isfc.layout.plan": "Plan",
    "isfc.layout.edit": (
        "edit read_edit Edit MoveCtc AddCtc RemoveCtc "
        "SwapRdevs RenumberCtc SetFibre AddFibre TakeAdvice features"
    ),
    "isfc.layout.loss": "pieces without",
    "isfc.answers.change": "change",
    "isfc.answers.change_page": "Change ChangeStep",
    "isfc.answers.check": "check CheckedLink CheckFinding",
    "isfc.layout.rules.rule": "Finding",
    "isfc.reports.figure": "Figure Range Interval Unit Note",
    "isfc.answers.collide": "collide Collisions",
    "isfc.answers.compare": "compare Comparison ComparedLayout PairOdds",
    "isfc.answers.results": "compare_results ComparedResults",
    "isfc.answers.sweep": "sweep Sweep SweptPlace",
    "isfc.answers.simulation": "simulate Simulation simulate_links SimulatedLinks",
    "scenarios.runs.timeline": "Timeline Io",
    "isfc.answers.run": "run",
    "isfc.answers.running": "Look Meanwhile",
    "isfc.answers.link_run": "LinkRun",
    "isfc.answers.links_run": "LinksRun",
    "isfc.answers.faults_run": "FaultsRun",
    "isfc.answers.views": "RunView",
    "isfc.answers.evacuate": "evacuate rolling_maintenance RollingMaintenance",
    "isfc.answers.moves": "Moves MovedGuest",
    "isfc.answers.relocate": "relocate",
    "isfc.answers.plan": "plan",
    "isfc.answers.plan_link": "PlannedLink",
    "isfc.answers.plan_links": "PlannedLinks",
    "isfc.answers.plan_modelled": "ModelledLink",
    "isfc.answers.losses": "losses Left Losses",
    "scenarios.figures.collide": "CollisionOutcome",
    "isfc.answers.optimise": "optimise",
    "isfc.answers.optimise_report": "SearchResult",
    "isfc.answers.size": "size LinkSizing",
    "scenarios.moves.leaving": "Tenant",
    "isfc.answers.page.report": "report",
    "isfc.answers.replay": "replay",
    "isfc.answers.replay_report": "Replayed",
    "scenarios.figures.rates": "carried ModelledRate others_busy",
    "scenarios.runs.notes": "plan_notes",
    "scenarios.runs.workload": "Workload",
    "scenarios.moves.guest": "GuestPlan GuestMemory Limits",
    "isfc.measured": "measured",
    "isfc.answers.io_plan": "io_plan IoEstimates",
    "isfc.answers.io_run": "io_run IoActivity",
    "isfc.answers.io_beside": "io_beside LinkBesideDisks",
    "isfc.answers.io_size": "io_size IoSizes",
    "isfc.answers.io_chart": "io_chart",
    "isfc.io.charts": "Chart",
    "isfc.answers.journal": "journal_show JournalInput journal_replay JournalReplay",
    "isfc.live.session": "open_node OpenNode",
    "isfc.live.conversation": "Conversation",
    "isfc.programs.protocol": "ConversationLimits ConversationSevered SeverCode",
    "isfc.link.message": "Traffic",
    "isfc.link.name": "NodeName",
    "isfc.errors": (
        "IsfcError ConfigurationError LocalProtocolError RemoteProtocolError Backpressure"
    ),
}
"""The modules that define public names, in the order of docs/api.md, each with its names."""

_HOMES, __getattr__, _names = public_face("isfc", _PUBLIC)

if not TYPE_CHECKING:  # a checker has the names of the imports
    __all__ = [*_HOMES]


def __dir__() -> list[str]:
    return [*_names(), "__version__"]
