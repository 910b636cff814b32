"""Rules for collections: what they find, and that they find nothing where all is well."""

import pytest

from isfc.layout.catalogue import given_collection
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.plan import find_all
from tests.isfc.layout.test_file_shared import CLUSTER
from tests.layouts import mesh

IDS = {
    "mesh-incomplete", "members-beyond-ssi", "link-cut-by-one-loss", "channel-shared",
    "member-asymmetric",
}  # fmt: skip


def found(collection: Collection) -> list[tuple[str, str]]:
    """The findings that are about the collection, in the order of its links."""
    return [
        (finding.id, finding.text)
        for link in collection.links
        for finding in find_all(link, collection.beside(link), collection)
        if finding.id in IDS
    ]


def test_a_full_mesh_on_fibres_of_its_own_is_good() -> None:
    assert found(parse_collection(mesh(4, shared=False))) == []


def test_link_shown_alone_has_what_is_found_at_the_first_of_several() -> None:
    collection = given_collection("two-cecs")
    link = collection.link("GAMMA-BETA")
    ids = [
        [finding.id for finding in find_all(link, (), each) if finding.id == "channel-shared"]
        for each in (collection, collection.with_first(link))
    ]
    assert ids == [[], ["channel-shared"] * 2]


def test_systems_without_a_link_are_named_once() -> None:
    text = mesh(3, shared=False)
    text = text[: text.rindex("[[link]]")]
    assert found(parse_collection(text)) == [
        ("mesh-incomplete", "1 pair without a link: S2 and S3.")
    ]


@pytest.mark.parametrize(("count", "said"), [(5, "up to z/VM 7.2"), (9, "at most 8 members")])
def test_more_systems_than_an_ssi_cluster_has_members_are_told_of_once(
    count: int, said: str
) -> None:
    ((rule, text),) = found(parse_collection(mesh(count, shared=False)))
    assert rule == "members-beyond-ssi"
    assert text.startswith(f"{count} systems: ")
    assert said in text


def test_channels_of_several_systems_with_many_ctcs_are_told_of_together() -> None:
    first, second = found(given_collection("two-cecs"))
    assert first == (
        "channel-shared",
        (
            "The channels ALPHA 40 = BETA 40, ALPHA 41 = BETA 41, ALPHA 42 = BETA 42 and "
            "ALPHA 43 = BETA 43 each carry 12 CTCs: 4 of ALPHA-BETA, 2 of ALPHA-DELTA, 2 of "
            "ALPHA-GAMMA, 2 of BETA-DELTA and 2 of BETA-GAMMA. Four fill a chpid."
        ),
    )
    assert second[1].startswith("The channels GAMMA 50 = DELTA 50, GAMMA 51")


def test_a_straight_channel_carries_its_ctcs_twice() -> None:
    texts = dict(found(parse_collection(CLUSTER)))
    assert (
        "40 = BETA 41 carries 29 CTCs, a straight one twice: 8 of ALPHA-BETA, 5"
        in (texts["channel-shared"])
    )


@pytest.mark.parametrize(
    "text",
    [
        "The channel ALPHA 40 = BETA 41 is an end of every fibre.",
        "Director 1 leads every fibre.",
        "The one inter-switch link of path far carries every fibre.",
    ],
)
def test_what_cuts_a_link_by_its_loss_is_named(text: str) -> None:
    assert ("link-cut-by-one-loss", text) in found(parse_collection(CLUSTER))


def test_a_system_with_slower_channels_is_named() -> None:
    text = mesh(3, shared=True)
    assert found(parse_collection(text)) == []
    slow = mesh(3, shared=False).replace("Express4", "Express2", 1)
    assert found(parse_collection(slow)) == [
        (
            "member-asymmetric",
            (
                "The systems have unequal channels for their links: S1 2 (6 Gb/s), S2 2 (6 Gb/s) "
                "and S3 2 (8 Gb/s); S1 and S2 the least."
            ),
        )
    ]


def test_systems_of_two_cecs_have_no_straight_connection() -> None:
    text = mesh(2, shared=True)
    (link,) = parse_collection(text).links
    assert "straight-connection" in {finding.id for finding in find_all(link)}
    apart = parse_collection(text + '[cec.A]\nsystems = ["S1"]\n[cec.B]\nsystems = ["S2"]\n')
    (link,) = apart.links
    assert "straight-connection" not in {each.id for each in find_all(link, (), apart)}
    one = parse_collection(text + '[[shared_channel]]\nchpid = { S1 = "40", S2 = "40" }\n')
    (link,) = one.links
    (straight,) = [each for each in find_all(link, (), one) if each.id == "straight-connection"]
    assert straight.text == "Chpid 40 at S1 (40 at S2) is one channel: a straight connection."
