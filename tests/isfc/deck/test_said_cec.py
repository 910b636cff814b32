"""Which systems are of one CEC is asked where a console leaves it open, and told by --cec."""

from dataclasses import replace

import pytest

from isfc.deck.said_cec import one_channel_remarks, with_cecs
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.note import NoteKind
from isfc.layout.sharing import in_use, open_questions, with_notes
from isfc.layout.write import format_collection
from isfc.testing.cluster import mesh
from scenarios.runs.notes import cluster_notes

MESH = parse_collection(mesh(3, shared=True))
"""S1, S2 and S3, each with a chpid 40."""


def noted(collection: Collection) -> list[str]:
    """What is said of one channel or two: of all links together, and of each alone."""
    links = [note for link in collection.links for note in with_notes(collection, link).notes]
    return [
        note.text
        for note in (*cluster_notes(collection), *links)
        if note.kind is NoteKind.ONE_CHANNEL
    ]


def test_what_nobody_has_said_is_asked_and_noted_on_every_figure() -> None:
    (asked,) = one_channel_remarks(MESH)
    assert "chpids of S1 and S2, S1 and S3, S2 and S3 have one number" in asked
    assert len(noted(MESH)) == 1 + len(MESH.links)


def test_of_many_places_a_note_lists_some_and_counts_the_others() -> None:
    (note,) = open_questions(parse_collection(mesh(12, shared=False)))
    assert "; and in 62 more places may be one of a CEC" in note.text
    assert len(note.text) < 500


def test_systems_of_one_cec_have_one_channel_by_one_number() -> None:
    told = with_cecs(MESH, ["EAST=S1,s2", "WEST=S3"])
    assert [list(map(str, channel)) for channel in told.shared_channels] == [["S1 40", "S2 40"]]
    (remark,) = one_channel_remarks(told)
    assert remark.startswith("chpids 40 of EAST are taken for one channel each")
    assert noted(told) == []
    again = parse_collection(format_collection(told))
    assert (again.cecs, again.shared_channels) == (told.cecs, told.shared_channels)


def test_systems_of_cecs_of_their_own_share_nothing() -> None:
    told = with_cecs(MESH, ["A=S1", "B=S2", "C=S3"])
    assert told.shared_channels == ()
    assert [*one_channel_remarks(told)] == noted(told) == []


def test_a_part_of_what_is_said_is_that_of_its_links() -> None:
    told = with_cecs(MESH, ["EAST=S1,S2"])
    apart = in_use(replace(told, links=MESH.links[-1:]))
    assert (apart.links[0].nodes, apart.shared_channels) == (("S2", "S3"), ())


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (["S1,S2"], "expected a name and its systems"),
        (["A=S1", "A=S2"], "each name once"),
        (["A=S1,S1"], "each system in one CEC, once"),
        (["A=S1,S2", "B=S2"], "each system in one CEC, once"),
        (["A=X"], "not a node of this layout"),
    ],
)
def test_what_cannot_be_is_refused(said: list[str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        with_cecs(MESH, said)
