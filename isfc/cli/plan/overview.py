"""``isfc plan`` of many links: one page that leads, before any link is asked for by name."""

from functools import partial

from isfc.answers.cluster import cuts_table, limits_tables, systems_table
from isfc.answers.findings import by_rule, rules_table
from isfc.answers.together import together_decision
from isfc.cli.output.progress import run_all
from isfc.layout.collection import Collection
from isfc.layout.rules.book import find_in
from isfc.layout.sharing import open_questions
from isfc.reports.ranges import range_note
from isfc.reports.report import Report, caveats
from scenarios.figures.cluster_plan import cluster_overview
from scenarios.figures.rates import carry_all
from scenarios.runs.notes import SHARED_UNRANGED, cluster_notes


def overview(collection: Collection, *, rule: bool) -> Report:
    """What all links come to, and what is found; nothing is run for it with ``rule``."""
    carried = None if rule else carry_all(collection, partial(run_all, is_said=True))
    found = cluster_overview(collection, carried)
    findings = find_in(collection)
    every = [("", finding) for of_link in findings.values() for finding in of_link]
    notes = open_questions(collection) if rule else (*cluster_notes(collection), SHARED_UNRANGED)
    remarks, rest = caveats(notes)
    names = [link.name for link in collection.links]
    known = range_note(each.rate for each in found.systems)
    return Report(
        _heading(collection),
        [*together_decision(carried, found.losses, findings, "see What is found")],
        [
            systems_table(found),
            *limits_tables(found),
            cuts_table(found.losses),
            rules_table(by_rule(every), with_texts=False),
        ],
        remarks=[
            (
                f"One link: --link {names[0]} ({len(names)} of them). Each loss by the model: "
                "--lose. All findings: isfc check. All figures, each link alone too: --json."
            ),
            *remarks,
        ],
        notes=[*filter(None, [known]), *rest],
    )


def _heading(collection: Collection) -> str:
    ctcs = sum(len(link.ctcs) for link in collection.links)
    cecs = f" in {len(collection.cecs)} CECs" if collection.cecs else ""
    return f"{len(collection.systems)} systems{cecs}, {len(collection.links)} links, {ctcs} CTCs"
