"""Arguments of public functions: what is wrong is named, with its value and what was expected."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isfc

MEMORY = isfc.GuestMemory(size=2**30, touched=2**30)
GUEST = isfc.GuestPlan("LINUX1", MEMORY)
any_call: Any = isfc


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: isfc.simulate("published-4", "HL", pairs=True),
            r"^simulate\(pairs=True\): expected a whole number$",
        ),
        (
            lambda: any_call.simulate("published-4", "HL", pairs="50"),
            r"^simulate\(pairs='50'\): expected a whole number$",
        ),
        (
            lambda: any_call.simulate("published-4", None, pairs=1),
            r"^simulate\(workload=None\): expected a Workload or a text$",
        ),
        (
            lambda: any_call.simulate("published-4", "HL", pairs=1, seed=1.5),
            r"^simulate\(seed=1.5\): expected a whole number$",
        ),
        (lambda: isfc.sweep({}, jobs=-1), "^jobs -1: expected 1 to 1024$"),
        (lambda: any_call.sweep([]), r"=\[\]\): expected a text, a Path or a Mapping of a text$"),
        (lambda: isfc.sweep({"pairs": 1}), "^specification: pairs: no such key; expected one of "),
        (lambda: isfc.sweep("[grid]\n"), "^specification: .grid. workload: missing; expected"),
        (lambda: any_call.parse_layout(Path("x")), r"^parse_layout\(data=.*expected bytes or a"),
        (
            lambda: any_call.edit(isfc.Layout, "x"),
            r"^edit\(layout=<class.*: expected a Layout, a Coll",
        ),
        (
            lambda: any_call.MoveCtc("A-B", 6000, "1"),
            r"^MoveCtc\(rdev=6000\): expected a text$",
        ),
        (
            lambda: isfc.relocate("published-4", isfc.GuestPlan("NINECHARS", MEMORY)),
            "^name 'NINECHARS': expected a userid of 1",
        ),
        (lambda: any_call.export("published-4"), r"^export\(as_\): missing; expected one of 'ac"),
        (
            lambda: any_call.export("published-4", "toml", x=1),
            r"^export\(\): got an unexpected keyword argument 'x'; expected layout, as_, ",
        ),
        (lambda: any_call.measured.read_profile("no.toml"), "^no.toml: cannot be read"),
        (lambda: any_call.Fibre("a", None, None), r"^Fibre\(profile=None\): expected a ChpidPro"),
        (
            lambda: any_call.GuestMemory(2**34, 100 * 2**20),
            r"^GuestMemory\(\): too many positional arguments; expected size=..., touched=..., ",
        ),
        (lambda: any_call.GuestMemory(), r"^GuestMemory\(size\): missing; expected a whole number"),
        (lambda: isfc.GuestMemory(size="16 gigabytes"), "^GuestMemory size 16 gig.*such as 64G$"),
        (lambda: any_call.GuestMemory(size=1.5), r"^GuestMemory\(size=1.5\): expected a whole"),
        (lambda: isfc.judge(""), "^LAYOUT is empty; expected a path or one of "),
        (lambda: isfc.carried("published-4", "CLEINT"), "^sender 'CLEINT': did you mean CLIENT"),
        (
            lambda: any_call.relocate("published-4", MEMORY, at="5 CANCEL GUEST"),
            r"^relocate\(at='5 CANCEL GUEST'\): expected a Sequence of a text$",
        ),
        (lambda: isfc.compare(["published-1"]), "^layouts: 1; expected two or more$"),
        (
            lambda: isfc.compare(["two-cecs", "published-1"]),
            "^published-1: has CLIENT-SERVER; expected the",
        ),
        (
            lambda: isfc.optimise("published-4", objective=["best"]),
            "^objective 'best': expected ",
        ),
        (lambda: isfc.optimise("two-cecs", objective=["su"]), "^objective 'su': did you mean sum"),
        (lambda: isfc.optimise("published-4", jobs=0), "^jobs 0: expected 1 to 1024$"),
        (lambda: isfc.optimise("published-4", fixed="XX"), "^fixed: 'XX' is not a device number"),
        (lambda: isfc.losses("published-4", without=["99"]), "99"),
        (lambda: isfc.size(mb_per_s=0.5), r"^mb_per_s 0.5: expected 1 to 1000000 MB/s$"),
        (lambda: isfc.size(mb_per_s=9, km=-1.0), r"^km -1: expected 0 to 10000 km$"),
        (lambda: isfc.size(mb_per_s=9, lost="chpids"), "^lost 'chpids': did you mean chpid"),
        (
            lambda: isfc.size(mb_per_s=9, feature=["Express9"]),
            "^feature: 'Express9' is not",
        ),
        (lambda: isfc.size(mb_per_s=9, systems="A,a"), "^systems 'A,a': expected two systems"),
        (lambda: isfc.size(mb_per_s=9, workload="XX"), "XX"),
        (lambda: any_call.size(mb_per_s="9"), r"^size\(mb_per_s='9'\): expected a number$"),
        (lambda: isfc.import_iocp(["\n"]), "^partitions: missing; "),
        (lambda: isfc.import_islink([]), "^logs: none; expected one or more$"),
        (lambda: isfc.export("two-cecs", "toml", ports=["A:50=C1"]), "^ports: of IOCP decks"),
        (lambda: isfc.new("ATLANTA", "40"), "^systems 'ATLANTA': expected two systems"),
        (lambda: isfc.replay("transport", pairs=[3]), "^pairs 3: not in the table"),
        (lambda: isfc.collide("published-1", offer_out=-1, offer_in=1), "^offer_out -1: expected"),
        (lambda: isfc.evacuate("published-1", "CLEINT", [GUEST]), "CLEINT.*CLIENT"),
        (lambda: isfc.evacuate("published-1", "CLIENT", []), "^guests 0: expected 1 to 500"),
        (
            lambda: any_call.check(None),
            r"^check\(layout=None\): expected a Layout, a Collection, a Decks, a text or a Path$",
        ),
        (lambda: any_call.evacuate("published-1", 1, [GUEST]), r"^evacuate\(system=1\): expected"),
    ],
)
def test_wrong_argument_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(isfc.ConfigurationError, match=message):
        call()


def test_sizes_are_bytes_or_texts() -> None:
    given = isfc.GuestMemory(size="16G", change_rate="100M")
    assert given == isfc.GuestMemory(size=2**34, touched=2**34, change_rate=100 * 2**20)


@pytest.mark.at_length
def test_layout_may_be_a_name_a_path_a_text_or_a_record(tmp_path: Path) -> None:
    layout = isfc.load_layout("published-4")
    collection = isfc.Collection((layout,))
    text = isfc.format_collection(collection)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    for function in (isfc.pieces, isfc.format_collection):
        found = [function(each) for each in (layout, collection, path, str(path), text)]
        assert found == [found[0]] * 5
    assert isfc.without(text, ["1"] * 0) == isfc.edit(path, isfc.SetFibre("1", "FICON Express2"))
    plans = [isfc.judge(each) for each in (layout, collection, path, str(path), text)]
    runs = [
        isfc.simulate(each, "HS", pairs=1, seconds=0.01)
        for each in (layout, collection, path, str(path), text)
    ]
    assert len({plan.directions for plan in plans}) == 1
    assert len({run.client.whole.result.mb_per_s for run in runs}) == 1


@pytest.mark.parametrize("name", ["judge", "carried", "plan_notes"])
def test_one_of_several_links_has_to_be_chosen(name: str) -> None:
    with pytest.raises(isfc.IsfcError, match=r"^layout: \d links; expected one .* isfc.load_lay"):
        getattr(isfc, name)("two-cecs")
