"""Partition links of DPM: what of them becomes CTCs, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import isfc
from tools import PROJECT

LINKS: Final = json.loads((PROJECT / "tests/data/dpm/links.json").read_text())
ADAPTERS: Final = json.loads((PROJECT / "tests/data/dpm/adapters.json").read_text())


def imported(links: Any, adapters: Any = ADAPTERS, **more: Any) -> isfc.Imported:
    texts = [json.dumps(each, indent=1) for each in (links, adapters) if each is not None]
    return isfc.import_dpm(texts, **{"systems": ["ZVM2=production-2"], **more})


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
        "isfc: note: 1 partition links of other t",
        "isfc: note: the first partition of a pai",
    ]


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
    links = json.loads(json.dumps(LINKS))
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
         "device number 'x'; expected one as 9000"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(links: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(isfc.ConfigurationError) as caught:
        imported(links, **more)
    assert said in str(caught.value)


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(isfc.ConfigurationError, match="is not JSON"):
        isfc.import_dpm(["{\n"])
