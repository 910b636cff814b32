"""What the model is asked for the page: that `isfc plan` says the same, and how often it is run."""

import asyncio
import json
from html import escape
from pathlib import Path
from typing import Any

import pytest

import isfc
from isfc.cli.main import run
from isfc.cli.studio.judgement import judgement
from isfc.cli.studio.tasks import Subject, ask, questions
from isfc.cli.studio.work import Work
from isfc.layout.catalogue import load_layout, read_content
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import build
from tests.decks import mesh_decks
from tests.isfc.cli.studio.loading import loaded_by_asking

pytestmark = pytest.mark.at_length


ONE = read_content("published-1")[0].decode()


@pytest.mark.slow
def test_a_direction_is_run_saturated_and_with_the_pairs_and_not_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs: list[Experiment] = []

    def counted(experiment: Experiment, **other: Any) -> object:
        runs.append(experiment)
        return build(experiment, **other)

    monkeypatch.setattr("scenarios.runs.steady.build", counted)
    monkeypatch.setattr(isfc, "simulate", None)
    asked = questions(Subject(ONE), 3)
    assert [question.sender for question in asked] == ["CLIENT", "SERVER"]
    said = [ask(print, (question, None)) for question in asked]
    assert runs[::2] == runs[1::2]  # each from two beginnings
    assert [(each.client_node, each.pairs) for each in runs[::2]] == [
        ("CLIENT", 500),
        ("CLIENT", 3),
        ("SERVER", 500),
        ("SERVER", 3),
    ]
    assert tuple(said) == isfc.carried(load_layout("published-1"), pairs=3)


@pytest.mark.slow
def test_process_that_asks_the_model_has_all_loaded_that_it_needs() -> None:
    async def told() -> list[list[str]]:
        work = Work()
        work.warm_up()
        return [each async for each in work.stream(loaded_by_asking, (question, None))]

    (question, _) = questions(Subject(ONE), 1)
    assert asyncio.run(told()) == [[]]


@pytest.mark.slow
def test_what_is_left_beside_other_links_of_the_decks_stands_below_the_figures_as_plan_says_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, ports = mesh_decks(("A", "C"), ("B",), chpids=("50",), ctcs=2)
    pair = isfc.import_iocp(texts, partitions="A,B", ports=ports).collection
    subject = Subject(isfc.format_collection(pair))
    known = {one: ask(print, (one, ask(print, (one, None)))) for one in questions(subject, 50)}
    page = judgement(subject, subject, 50, known.get)["capacity"]
    file = tmp_path / "pair.toml"
    file.write_text(subject.text)
    assert run(["plan", str(file), "--json"]) == 0
    (noted,) = (
        note["text"]
        for note in json.loads(capsys.readouterr().out)["notes"]
        if note["kind"] == "others"
    )
    assert escape(noted) in page
