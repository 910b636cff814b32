"""The options of ``isfc run``: what runs over which links, what happens meanwhile, what is seen."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import Struct, structs

from isfc.answers.views import View, check_view, sample_seconds
from isfc.cli.options.experiment import (
    ClientOption,
    SeedOption,
    WorkloadOption,
    make_experiment,
    workload_lines,
)
from isfc.cli.options.formats import AnswerPrinted
from isfc.cli.options.layout import (
    DecksOptions,
    LayoutArgument,
    OpenedFile,
    ProfileOption,
    open_collection,
    open_with_disks,
)
from isfc.cli.options.option import LinkOption, bounded, flag, valued
from isfc.cli.output.file import check_file
from isfc.cli.run.trace import SECONDS_MAX as TRACED_MAX
from isfc.errors import ConfigurationError
from isfc.errors.arguments import SEED_MAX
from isfc.errors.in_words import find_node
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.layout import with_site
from isfc.layout.sharing import with_notes
from isfc.link.name import NodeName
from scenarios.faults.fault import DRAWN_COUNT, Fault, draw_faults, read_faults
from scenarios.runs.experiment import PAIRS_MAX, SECONDS_MAX, WARMUP, Experiment, read_traffic
from scenarios.runs.operation import Transcript, read_script
from scenarios.runs.own_workload import MESSAGE_LENGTH_MAX
from scenarios.runs.result import SEEDS_MAX, Result
from scenarios.runs.run import INTERVAL_MIN, Outcome
from scenarios.runs.workload import (
    TRANSPORT_WINDOW,
    WINDOW_MAX,
    LinkLoad,
    Workload,
    find_workload,
    free_workload,
    load_of,
)

if TYPE_CHECKING:
    from isfc.io.configuration import IoConfiguration


class ChosenRun(Struct, frozen=True):
    """What is to be run: one link, or several ``together``, and what disks on their chpids do.

    ``side`` is the node to measure at, ``layout`` what the command line called the layout.
    """

    layout: str
    experiment: Experiment
    together: bool
    disks: "IoConfiguration | None"
    side: NodeName | None = None

    def at_side(self, outcome: Outcome) -> Result:
        """What the end that was chosen saw."""
        return outcome.link().at(self.side).whole.result


class RunOptions(DecksOptions, frozen=True, kw_only=True):
    """The options of ``isfc run``; what reads them raises `ConfigurationError`."""

    layout: LayoutArgument
    link_name: LinkOption = None
    profile: ProfileOption = None
    traffic: Annotated[
        list[str] | None,
        valued(
            "FROM-TO:WORKLOAD:PAIRS",
            "Run this over a link, as ALPHA-BETA:HL:50: clients on the first node. Repeat it for "
            "several, which run together. The file's [[traffic]] if nothing says what to run.",
        ),
    ] = None
    pairs: Annotated[
        int | None, bounded("N", 1, PAIRS_MAX, "Pairs of guests, one conversation each.")
    ] = None
    workload: WorkloadOption = None
    message: Annotated[
        str | None,
        valued(
            "MIN:MAX:PERCENT",
            "Or one of your own: MIN bytes in PERCENT of the messages, MAX in the others.",
        ),
    ] = None
    reply: Annotated[
        int | None, bounded("BYTES", 1, MESSAGE_LENGTH_MAX, "The replies to your own messages.")
    ] = None
    window: Annotated[
        int | None,
        bounded(
            "N", 1, WINDOW_MAX, "Your own messages outstanding in a conversation; 2 if not given."
        ),
    ] = None
    seconds: Annotated[
        float, bounded("S", INTERVAL_MIN, SECONDS_MAX, "Virtual time that is measured.")
    ] = 10.0
    warmup: Annotated[float, bounded("S", 0, SECONDS_MAX, "Virtual time before that.")] = WARMUP
    seed: SeedOption = 1
    seeds: Annotated[
        int | None,
        bounded("N", 1, SEEDS_MAX, "Repeat with N seeds; show the mean and the spread."),
    ] = None
    client: ClientOption = None
    side: Annotated[
        str | None, valued("NODE", "The node to measure at; the clients' if not given.")
    ] = None
    report: Annotated[
        View | None,
        typer.Option(
            help="Show a view of IBM's report instead: FCX108 DEVICE, link activity, "
            "or the table of ISFC Transport or of APPC/VM runs."
        ),
    ] = None
    interval: Annotated[
        float | None,
        bounded(
            "S",
            INTERVAL_MIN,
            SECONDS_MAX,
            "Virtual time in a row of '--report link'; 1 second if not given.",
        ),
    ] = None
    cp: Annotated[
        str | None,
        valued("FILE", "Give CP commands at times of the run: lines 'at 2.5s [NODE:] COMMAND'."),
    ] = None
    trace: Annotated[
        Path | None,
        valued("FILE", "Write every I/O into FILE (.json), a trace that Perfetto opens."),
    ] = None
    faults: Annotated[
        str | None,
        valued("FILE", "Let things go wrong at times of the run: a TOML file of [[fault]]."),
    ] = None
    fault_seed: Annotated[
        int | None,
        bounded(
            "N", 0, SEED_MAX, f"The same with {DRAWN_COUNT} faults that are drawn from a seed."
        ),
    ] = None
    why: Annotated[
        bool,
        flag("--why", "Show also which constants of the model the rate rests on: it takes runs."),
    ] = False

    @property
    def sample_s(self) -> float | None:
        """Seconds of virtual time in a sample of a view; None if the run is one."""
        return sample_seconds(self.report, self.interval, self.seeds)

    def choose(self, printed: AnswerPrinted) -> ChosenRun:
        """What is to be run, if it can be shown as it is to be."""
        printed.check({}, {"--trace": self.trace})
        more = *printed.files.values(), printed.notes, printed.table
        if self.report and (any(more) or printed.format not in ("", "csv", "json")):
            raise ConfigurationError(
                "--report: expected without --html, --plot, --markdown, --notes, --table"
            )
        sample_seconds(self.report, self.interval, self.seeds)  # refuses what contradicts it
        chosen = self._chosen()
        if self.why and (chosen.together or self.report is not None):
            raise ConfigurationError(
                "--why: of one link as a whole; expected neither traffic nor view"
            )
        if self.report is not None:
            check_view(self.report, chosen.experiment.each_alone)
        return chosen

    def _chosen(self) -> ChosenRun:
        """The links and what runs over them; of one link unless its file or options say traffic."""
        opened = open_collection(self.given(self.layout))
        if self.profile is not None:
            from scenarios.runs.at_site import given_site  # most runs name none

            site, collection = given_site(self.profile), opened.collection
            links = tuple(with_site(link, site) for link in collection.links)
            opened = structs.replace(opened, collection=replace(collection, links=links))
        how: dict[str, Any] = {"seconds": self.seconds, "warmup": self.warmup, "seed": self.seed}
        if (loads := self._loads(opened)) is not None:
            of_one = {"--side": self.side, "--reply": self.reply, "--window": self.window}
            for option, value in of_one.items():
                if value is not None:
                    raise ConfigurationError(
                        f"{option}: of one link; expected it without --traffic and [[traffic]], "
                        "with --workload, --pairs and --link"
                    )
            experiment = make_experiment(Experiment, *loads, **how)
            disks = _sharing(opened.disks, experiment)
            return ChosenRun(self.layout, experiment, True, disks)
        workload = self.choose_workload()
        if self.pairs is None:
            raise ConfigurationError("--pairs is missing: expected how many, such as --pairs 50")
        link, disks = open_with_disks(opened, self.link_name)
        client, side = (
            None if name is None else find_node(option, name, link.nodes)
            for option, name in (("--from", self.client), ("--side", self.side))
        )
        experiment = make_experiment(
            Experiment.of, link, workload, pairs=self.pairs, client=client, **how
        )
        return ChosenRun(self.layout, experiment, False, disks, side)

    def _loads(self, opened: OpenedFile) -> tuple[Collection, tuple[LinkLoad, ...]] | None:
        """The links that are to run together, and what runs over them; None if one is run alone."""
        own: dict[str, object] = {"--workload": self.workload, "--message": self.message}
        own |= {"--pairs": self.pairs, "--from": self.client}
        given = [option for option, value in own.items() if value is not None]
        collection = opened.collection
        if self.traffic:
            if given:
                raise ConfigurationError(f"--traffic and {given[0]}: expected one of them")
            loads = tuple(read_traffic(option, collection) for option in self.traffic)
        elif given or not collection.traffic:
            return None
        else:
            loads = tuple(map(load_of, collection.traffic))
        if self.link_name is None:
            return collection, loads
        with within(opened.source):
            chosen = collection.link(self.link_name, "--link")
        alone = tuple(load for load in loads if {load.client, load.server} == set(chosen.nodes))
        if not alone:
            raise ConfigurationError(
                f"--link {self.link_name[:40]}: no traffic; expected --traffic of it"
            )
        return replace(collection, links=(with_notes(collection, chosen),)), alone

    def choose_workload(self) -> Workload:
        """The workload that is meant; `ConfigurationError` for options that contradict."""
        own = {"--message": self.message, "--reply": self.reply, "--window": self.window}
        given = [option for option, value in own.items() if value is not None]
        if self.workload is not None:
            if given:
                raise ConfigurationError(
                    f"--workload {self.workload[:40]} and {given[0]}: expected a published "
                    "workload or one of your own, not both"
                )
            return find_workload(self.workload)
        if self.message is None or self.reply is None:
            refusal = "no workload: expected --workload, or --message and --reply"
            raise ConfigurationError("\n".join((refusal, "", *workload_lines())))
        window = TRANSPORT_WINDOW if self.window is None else self.window
        try:
            return free_workload(self.message, self.reply, window)
        except ConfigurationError as error:
            reason = str(error).removeprefix("message ")
            raise ConfigurationError(f"{', '.join(given)}: {reason}") from None

    def transcript_of(self, experiment: Experiment) -> Transcript | None:
        """What is to hold the responses to CP commands; None if there are no commands."""
        if self.cp is None:
            return None
        if self.seeds is not None:
            raise ConfigurationError("--cp and --seeds: every run would have responses of its own")
        try:
            return Transcript(read_script(self.cp, experiment))
        except ConfigurationError as error:
            raise ConfigurationError(f"--cp {error}") from None

    def trace_of(self, experiment: Experiment, printed: AnswerPrinted) -> Path | None:
        """The file of the trace that is wanted; None if none is."""
        if self.trace is None:
            return None
        check_file("--trace", self.trace, (".json",), force=printed.force)
        if self.report or printed.format == "csv" or self.seeds:
            raise ConfigurationError("--trace: expected without --report, --csv and --seeds")
        if experiment.seconds > TRACED_MAX:
            raise ConfigurationError(
                f"--trace with {experiment.seconds:g} s: expected --seconds {TRACED_MAX:g} or less"
            )
        return self.trace

    def faults_of(self, experiment: Experiment) -> list[Fault] | None:
        """The faults, from a file or drawn; None if there are to be none."""
        if self.faults is None and self.fault_seed is None:
            return None
        if self.report or self.seeds or self.cp or self.trace:
            raise ConfigurationError(
                f"{'--fault-seed' if self.faults is None else '--faults'}: expected without "
                "--report, --seeds, --cp and --trace"
            )
        where = experiment.collection
        if self.faults is None:
            assert self.fault_seed is not None, "one of them was given"
            return draw_faults(self.fault_seed, where, experiment.begin_ns, experiment.end_ns)
        if self.fault_seed is not None:
            raise ConfigurationError("--fault-seed: expected without --faults, which says them all")
        return read_faults(self.faults, where, experiment.client_node, experiment.end_ns)


def _sharing(disks: "IoConfiguration | None", experiment: Experiment) -> "IoConfiguration | None":
    """The disks, if any is on a chpid of the links."""
    if disks is None:
        return None
    from isfc.io.shared import find_shared  # most files name no disks

    return disks if find_shared(disks, *experiment.collection.links) else None
