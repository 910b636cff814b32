"""Partition links of DPM: what of them becomes CTCs, and what is refused."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import pytest

import isfc
from isfc.layout.processors import Processors
from tools import PROJECT

LINKS: Final = json.loads((PROJECT / "tests/data/dpm/links.json").read_text())
ADAPTERS: Final = json.loads((PROJECT / "tests/data/dpm/adapters.json").read_text())
SPARE: Final = {"object-uri": "/api/partition-links/9", "name": "spare", "type": "ctc", "paths": []}


def read_back(links: Any) -> Any:
    """Links as the HMC gives them back, where ``links`` are as they were asked for."""
    found = deepcopy(links)
    for path in found[0]["paths"]:
        path["starting-device-number"] = "9000"
        for key in ("adapter-port", "connecting-adapter-port"):
            uri = path.pop(f"{key}-uri")
            path[f"{key}-info"] = {"adapter-uri": uri.partition("/storage")[0], "element-uri": uri}
    return found


def exported(links: Any) -> Any:
    """An export of the whole machine."""
    return {
        "adapters": [
            *ADAPTERS["adapters"],
            {"object-uri": "/api/adapters/n", "type": "not-configured", "channel-path-id": None},
            {"object-uri": "/api/adapters/i", "type": "hipersockets", "name": "HiperSockets"},
        ],
        "available-api-features-list": ["dpm-ctc-partition-link-management"],
        "partition-links": links,
        "partitions": [{"object-uri": "/api/partitions/z1", "name": "ZVM1", "type": "zvm"}],
        "storage-volumes": [{"element-uri": "/api/storage-groups/g/storage-volumes/v", "paths": 1}],
    }


def imported(links: Any, adapters: Any = ADAPTERS, **more: Any) -> isfc.Imported:
    texts = [json.dumps(each, indent=1) for each in (links, adapters) if each is not None]
    return isfc.import_dpm(texts, **{"systems": ["ZVM2=production-2"], **more})


def test_the_type_of_the_cpc_is_the_machine_of_all_its_systems() -> None:
    cpc = {"object-uri": "/api/cpcs/c", "machine-type": "3931", "machine-model": "A01"}
    found = imported(LINKS, {**ADAPTERS, "cpcs": [cpc]}).collection
    assert [cec.machine for cec in found.cecs] == [Processors("z16 A01")]
    assert {*found.links[0].machines} == {Processors("z16 A01")}
    assert {*imported(LINKS).collection.links[0].machines} == {None}


def test_adapters_are_chpids_and_pairs_of_numbers_ctcs() -> None:
    found = imported(LINKS)
    (link,) = found.collection.links
    assert link.nodes == ("ZVM1", "ZVM2")
    assert [(ctc.fibre.chpid_names, ctc.rdev_names) for ctc in link.device_list()][3:] == [
        (("1A", "1B"), ("9003", "9003")),
        (("1C", "1C"), ("9010", "9020")),
        (("1C", "1C"), ("9011", "9021")),
    ]
    assert link.fibres[0].profile.feature == "FICON Express16S"
    assert found.collection.cec_of(link.nodes[0]) is found.collection.cec_of(link.nodes[1])
    assert len(found.collection.shared_channels) == 1, "chpid 1C is one channel at both"
    record = found.to_dict()
    assert record["links"][0]["ctcs"][4] == {"chpids": ["1C", "1C"], "rdevs": ["9010", "9020"]}
    assert (record["links"][0]["inferred"], record["cecs"]) == ({}, {"CPC": ["ZVM1", "ZVM2"]})
    assert [remark[:40] for remark in found.remarks] == [
        "isfc: note: passed over: 1 partition lin",
        "isfc: note: the first partition of a pai",
    ]


@pytest.mark.parametrize(
    ("links", "adapters"),
    [
        (read_back(LINKS), ADAPTERS),
        (exported(LINKS), None),
        (exported(read_back(LINKS)), None),
        ([LINKS, exported(LINKS)], None),
    ],
)
def test_links_as_read_back_and_a_machine_as_exported_are_read_alike(
    links: Any, adapters: Any
) -> None:
    found, expected = imported(links, adapters), imported(LINKS)
    assert found.collection == expected.collection
    if isinstance(links, dict) or adapters:
        assert found.remarks == expected.remarks, "an adapter of HiperSockets is no link of them"


@pytest.mark.parametrize("paths", [[], [LINKS[0]["paths"][0] | {"devices": []}]])
def test_a_link_of_fewer_than_two_partitions_is_passed_over_and_said(paths: Any) -> None:
    link = SPARE | {"paths": paths, "state": "incomplete"}
    with pytest.raises(isfc.ConfigurationError) as caught:
        imported(link)
    assert "no CTC joins two partitions; the link spare is incomplete" in str(caught.value)
    found = imported([*LINKS, link])
    assert found.collection == imported(LINKS).collection
    assert found.remarks[0] == "isfc: note: the link spare is incomplete, and is passed over"
    with pytest.raises(isfc.ConfigurationError, match="spare: is complete, with no devices"):
        imported([*LINKS, link | {"state": "complete"}])


def test_a_path_without_devices_and_a_link_that_is_being_changed_are_said() -> None:
    links = changed(lambda path: path.update(devices=[]))
    links[0]["state"] = "updating"
    assert imported(links).remarks[:2] == (
        "isfc: note: the link ssi has no devices on path 1",
        "isfc: note: the link ssi is updating: what it has so far is read",
    )


@pytest.mark.parametrize(
    ("card", "feature"),
    [
        ("ficon-express-8s", "FICON Express8S"),
        ("ficon-express-16s", "FICON Express16S"),
        ("ficon-express-16s-plus", "FICON Express16S+"),
        ("ficon-express-16sa", "FICON Express16SA"),
        ("ficon-express-32s", "FICON Express32S"),
        ("ficon-express-32g-4p", "FICON Express32-4P"),
    ],
)
def test_a_card_is_the_feature_of_its_name(card: str, feature: str) -> None:
    found = imported(LINKS, with_cards(card))
    assert {fibre.profile.feature for fibre in found.collection.links[0].fibres} == {feature}
    assert "card" not in str(found.remarks)


@pytest.mark.parametrize("card", ["fcp-express-32s", "ficon-express-64s", "", None, 16])
def test_a_card_that_is_not_known_is_named_and_what_is_assumed_is_no_older_than_the_machine(
    card: Any,
) -> None:
    found = imported(LINKS, with_cards(card))
    assert {fibre.profile.feature for fibre in found.collection.links[0].fibres} == {
        "FICON Express32S"
    }
    shown = card if isinstance(card, str) else ""
    said = f"chpid 1B: card type {shown!r} is not known; FICON Express32S is assumed: --feature"
    assert said in str(found.link_remarks[0][1]), "the file says it, too"
    assert f"ZVM1-ZVM2: {said}" in found.remarks[-2]
    given = imported(LINKS, with_cards(card), feature=["FICON Express16S"])
    assert "card" not in str(given.remarks)
    known = imported(LINKS, with_cards("ficon-express-16sa", card))
    assert "FICON Express16SA is assumed" in known.remarks[-1], "what the other end is"


def with_cards(*types: Any) -> Any:
    """The adapters of a fibre, one behind the other, with cards of these types."""
    found = deepcopy(ADAPTERS)
    for index, adapter in enumerate(found["adapters"][:3]):
        adapter["detected-card-type"] = types[index % len(types)]
    return found


def test_the_order_of_partitions_and_files_does_not_matter(tmp_path: Path) -> None:
    """And names may come from a list of partitions, in one document with the rest."""
    path = tmp_path / "all.json"
    text = json.dumps(LINKS).replace('"partition-name": "ZVM1", ', "")
    partitions = [{"object-uri": "/api/partitions/z1", "name": "ZVM1"}]
    document = {
        "partitions": partitions,
        "adapters": ADAPTERS["adapters"],
        "links": json.loads(text),
    }
    path.write_text(json.dumps(document))
    found = isfc.import_dpm([path], systems=["A1=production-2"])
    (link,) = found.collection.links
    assert link.nodes == ("A1", "ZVM1")
    assert link.fibres[0].chpid_names == ("1B", "1A")


def first_end(path: Any) -> Any:
    return path["devices"][0]["endpoint-pair"][0]


def changed(change: Callable[[Any], None]) -> Any:
    links = deepcopy(LINKS)
    change(links[0]["paths"][0])
    return links


@pytest.mark.parametrize(
    ("links", "more", "said"),
    [
        (LINKS[1:], {}, "no partition link of type ctc; expected what"),
        (LINKS, {"adapters": None}, "no adapter '/api/adapters/f0' with a channel-path-id"),
        (LINKS, {"systems": []}, "partition 'production-2' is no name of a system; expected"),
        (LINKS, {"systems": ["ZVM2=production-2", "X=y"]}, "systems 'y': no partition of that"),
        (LINKS, {"systems": ["ZVM2"]}, "systems 'ZVM2': expected a system and its partition"),
        (changed(lambda path: path.pop("devices")), {}, "path 1: no list of devices"),
        (changed(lambda path: path["devices"][0]["endpoint-pair"].pop()), {},
         "path 1: 1 endpoints; expected two"),
        (changed(lambda path: first_end(path)["device-numbers"].pop()), {},
         "ZVM1 has 3 device numbers, ZVM2 4; expected as many"),
        (changed(lambda path: first_end(path).update({"device-numbers": ["x"]})), {},
         "device-numbers \"['x']\"; expected a list"),
        (changed(lambda path: first_end(path).update({"device-numbers": ["9000"] * 4})), {},
         "expected a list, each once"),
        (changed(lambda path: first_end(path)["device-numbers"].__setitem__(0, "9010")), {},
         "text, text: 9010 at ZVM1 is twice in ZVM1-ZVM2"),
        (LINKS, {"systems": ["ZVM1=production-2"]}, "'production-2' and 'ZVM1' are both called"),
        (LINKS + changed(lambda path: path.pop("devices"))[:1], {}, "ssi: paths is not what it is"),
        ([*LINKS, read_back(LINKS)[0] | {"object-uri": "", "cpc-uri": "/api/cpcs/b"}], {},
         "ssi: cpc-uri is not what it is elsewhere"),
        ([*LINKS, {**SPARE, "type": "roce"}], {}, "spare: type 'roce'; expected ctc, smc-d"),
        ([*LINKS, "ssi-2"], {}, "a list has objects and others"),
        (changed(lambda path: path.update(read_back(LINKS)[0]["paths"][1])), {},
         "path 1: 2 adapters; expected one, as adapter-port-uri or as adapter-uri of adapter-port"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(links: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(isfc.ConfigurationError) as caught:
        imported(links, **more)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["{\n", "adapters:\n- name: a\n", "[" * 100_000 + "\n"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(isfc.ConfigurationError, match=r"is not JSON.*dpm-export CPC -d FILE -f"):
        isfc.import_dpm([text])


def spots(document: Any) -> Iterator[tuple[Any, Any]]:
    """Each key of each object, and each index of each list, with the object or the list."""
    each = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in [*each]:
        yield document, key
        if isinstance(value, dict | list):
            yield from spots(value)


def disturbed(holder: Any, key: Any) -> Iterator[None]:
    """Drop a key, call it otherwise, and give it a value of another type, one by one."""
    if isinstance(key, str):
        before = dict(holder)
        for name in ("", f"{key}s", key.upper(), key.replace("-", "_")):
            others = {each: value for each, value in before.items() if each != key}
            holder.clear()
            holder.update(others if not name else others | {name: before[key]})
            yield
        holder.clear()
        holder.update(before)
    value = holder[key]
    other: Any
    for other in (None, True, 9000, "", "x", [], {}, ["x"], [{}]):
        if type(other) is not type(value) or other != value:
            holder[key] = other
            yield
    holder[key] = value


@pytest.mark.slow
@pytest.mark.parametrize("links", [LINKS, read_back(LINKS)])
def test_no_disturbed_key_loses_a_device_or_changes_one_in_silence(links: Any) -> None:
    """It is read as before, or what is passed over or assumed is said, or the file is named."""
    document = exported([*deepcopy(links), deepcopy(SPARE)])
    before, refused = imported(document, None), list[str]()
    for holder, key in spots(document):
        for _ in disturbed(holder, key):
            try:
                found = imported(document, None)
            except isfc.ConfigurationError as error:
                refused.append(str(error))
                continue
            said = str({*found.remarks} - {*before.remarks})
            assert found.links == before.links or "no devices" in said, (key, holder)
            assert found.collection == before.collection or said != "set()", (key, holder)
    assert imported(document, None).collection == before.collection
    assert {each.partition(": ")[0] for each in refused} == {"text"}, "the name of the file"
