"""What a link carries while links that its file does not have are busy on its channels.

Decks tell of those (`isfc.layout.other_links`). All links run together, each with
`scenarios.runs.saturation.STATED_PAIRS` pairs each way, as a plan of a file that has all of them.
"""

from dataclasses import replace

from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.note import Note, NoteKind
from isfc.layout.other_links import others_on, say_others, with_others
from scenarios.figures.cluster_plan import plan_experiments
from scenarios.runs.saturation import STATED_PAIRS, SUITE, RunEach
from scenarios.runs.steady import steady_links


def with_others_busy(collection: Collection, link: Layout, run_each: RunEach) -> Layout:
    """The link of a collection, with a note of what it carries beside others that are busy.

    As it is if decks tell of no others. The note says why where that cannot be run.
    """
    others = others_on(collection, link)
    if not others:
        return link
    said = say_others(others)
    try:
        experiment, *_ = plan_experiments(with_others(collection, link))
    except ConfigurationError as error:
        text = f"{said}; what is left with those busy is not run: {error}."
    else:
        (run,) = run_each(steady_links, [experiment])
        rates = " and ".join(
            f"{rate.mb_per_s:,.0f} from {node}"
            for node, rate in zip(link.nodes, run.rates[link.name], strict=True)
        )
        text = (
            f"{said}; with those busy it is about {rates}, in MB/s ({SUITE} with {STATED_PAIRS} "
            "pairs each way on every link)."
        )
    return replace(link, notes=(*link.notes, Note(NoteKind.OTHERS, text)))
