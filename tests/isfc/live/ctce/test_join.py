"""Which devices of several Hercules are the ends of a CTC: the forms that people publish."""

import pytest

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.live.ctce.join import CtcEnd, HostPort, JoinedCtc, check_joined
from tests.isfc.live.ctce.configured import disturbed, join

PUBLISHED: dict[str, tuple[dict[str, str], list[str]]] = {
    "ports at both ends (hercconf.html, CTCE, first format; 3.13 too)": (
        {
            "A.cnf": "0E40 CTCE 30880 10.0.0.2 30880\n0E41 CTCE 30882 10.0.0.2 30882\n",
            "B.cnf": "0E40 CTCE 30880 10.0.0.1 30880\n0E41 CTCE 30882 10.0.0.1 30882\n",
        },
        ["A 0E40 = B 0E40", "A 0E41 = B 0E41"],
    ),
    "no ports, RDEV=HOST (hercconf.html and README.NETWORKING, second format)": (
        {
            "A.cnf": "0E40 CTCE 0E43=10.0.0.2\n0E41 CTCE 0E42=10.0.0.2\n",
            "B.cnf": "0E42 CTCE 0E41=10.0.0.1\n0E43 CTCE 0E40=10.0.0.1\n",
        },
        ["A 0E40 = B 0E43", "A 0E41 = B 0E42"],
    ),
    "several devices, =HOST (README.NETWORKING)": (
        {"A.cnf": "0E40.2 CTCE =10.0.0.2\n", "B.cnf": "0E40.2 CTCE =10.0.0.1\n"},
        ["A 0E40 = B 0E40", "A 0E41 = B 0E41"],
    ),
    "several devices, 1=HOST: each with its neighbour's mate (README.NETWORKING)": (
        {"A.cnf": "0E40.4 CTCE 1=10.0.0.2\n", "B.cnf": "0E40.4 CTCE 1=10.0.0.1\n"},
        ["A 0E40 = B 0E41", "A 0E41 = B 0E40", "A 0E42 = B 0E43", "A 0E43 = B 0E42"],
    ),
    "both formats in one file (hercconf.html, the sample that it begins with)": (
        {
            "A.cnf": "0E40 CTCE 31880 10.0.0.2 32880\n0E42.2 CTCE      1=10.0.0.2\n",
            "B.cnf": "0E40 CTCE 32880 10.0.0.1 31880\n0E42-0E43 CTCE   1=10.0.0.1\n",
        },
        ["A 0E40 = B 0E40", "A 0E42 = B 0E43", "A 0E43 = B 0E42"],
    ),
    "symbols in ports, odd ones too (hyperion issue 369)": (
        {
            "A.cnf": "DEFSYM\tNODE\t12\n310 CTCE $(NODE)501 420=10.0.0.2 13600   # to B\n",
            "B.cnf": 'DEFSYM NODE "13"\n420 CTCE $(NODE)600 310=10.0.0.1 12501 ATTNDELAY 200\n',
        },
        ["A 0310 = B 0420"],
    ),
    "a hub with two partners on one machine (hyperion issue 369)": (
        {
            "A.cnf": "310 CTCE 12500 420=10.0.0.9 13600\n312 CTCE 12502 420=10.0.0.9 14600\n",
            "B.cnf": "420 CTCE 13600 310=10.0.0.9 12500\n",
            "C.cnf": "420 CTCE 14600 312=10.0.0.9 12502\n",
        },
        ["A 0310 = B 0420", "A 0312 = C 0420"],
    ),
    "hosts by name, FICON, and a third whose file is not there (hyperion issues 640, 646)": (
        {
            "A.cnf": "710 CTCE 31201 711=hub 31202 FICON\n712 CTCE 31203 711=far 31204\n",
            "B.cnf": "711 CTCE 31202 710=hub 31201 ATTNDELAY 200\n",
        },
        ["A 0710 = B 0711"],
    ),
    "files that are included, or ignored if they are not there (hercconf.html, INCLUDE)": (
        {
            "A.cnf": "IGNORE INCLUDE_ERRORS\nINCLUDE none.cnf\nINCLUDE devices.cnf\n",
            "B.cnf": "0E40 CTCE 30880 10.0.0.1 30880\n",
            "devices.cnf": "INCLUDE inner.cnf\n",
            "inner.cnf": "0E40 CTCE 30880 10.0.0.2 30880\n",
        },
        ["A 0E40 = B 0E40"],
    ),
    "a logical channel subsystem (hercconf.html, devnum)": (
        {
            "A.cnf": "0:0E40 CTCE 30880 10.0.0.2 30882\n",
            "B.cnf": "0:0E40.1 CTCE 30882 10.0.0.1 30880\n",
        },
        ["A 0E40 = B 0E40"],
    ),
}
"""The forms, in numbers of our own, and the CTCs of each."""


def joined(files: dict[str, str], places: dict[str, HostPort] | None = None) -> list[str]:
    return [f"{one} = {other}" for one, other in join(files, places)[0]]


@pytest.mark.parametrize("form", PUBLISHED)
def test_published_forms_are_joined(form: str) -> None:
    files, ctcs = PUBLISHED[form]
    assert joined(files) == ctcs


@pytest.mark.parametrize("form", PUBLISHED)
def test_new_lines_join_the_same_devices(form: str) -> None:
    """With all that is their Hercules' own affair; what is passed over was spoken of."""
    files, ctcs = PUBLISHED[form]
    before, remarks = join(files)
    after: dict[str, str] = {}
    for end in (end for ctc in check_joined(before) for end in ctc):
        name = f"{end.system}.cnf"
        after[name] = f"{after.get(name, '')}{end.statement}\n"
    places = {end.system: end.at for ctc in before for end in ctc}
    assert joined(after, places) == ctcs
    assert join(after, places) == (before, [])
    elsewhere = [text for text in files.values() if "none.cnf" in text or "=far" in text]
    assert [each.partition(":")[2][:1] for each in remarks] == ["2"] * len(elsewhere)


@pytest.mark.parametrize("form", PUBLISHED)
def test_no_slip_in_a_statement_joins_another_device_in_silence(form: str) -> None:
    """The same are joined, it is refused, or more is said; a number that no RDEV= names is free."""
    files, _ = PUBLISHED[form]
    wanted, said = join(files)
    both = [pair for one, other in wanted for pair in ((one, other), (other, one))]
    free = {(end.system, end.at.port) for end, mate in both if not mate.named}

    def met(ctcs: list[JoinedCtc]) -> list[tuple[tuple[str, int], int]]:
        found = [((end.system, end.at.port), end.rdev) for ctc in ctcs for end in ctc]
        return [(at, 0 if at in free else rdev) for at, rdev in found]

    silent: list[str] = []
    for name, text in files.items():
        for line in (line for line in text.splitlines() if "CTCE" in line):
            for slip in disturbed(line):
                try:
                    found, remarks = join(files | {name: text.replace(line, slip)})
                except ConfigurationError:
                    continue
                if met(found) != met(wanted) and len(remarks) <= len(said):
                    silent.append(slip)
    assert silent == []


def test_a_line_keeps_what_is_the_affair_of_its_hercules() -> None:
    options = "3088 65000 ATTNDELAY 200 FICON"
    files = {"A.cnf": f"0E40.2 CTCE =10.0.0.2 {options}\n", "B.cnf": "0E40.2 CTCE =10.0.0.1\n"}
    ((end, mate), *_), _ = join(files)
    assert str(end.statement) == "0E40 CTCE 3088 0E40=127.0.0.1 32880 65000 ATTNDELAY 200 FICON"
    assert str(mate.statement) == "0E40 CTCE 3088 0E40=127.0.0.1 32882"


def test_who_speaks_only_the_form_of_hercules_4_is_known_by_its_statements() -> None:
    """RDEV=, a port for several devices, an odd one, or a keyword: the form is not to be found."""
    old = "0E40 CTCE 30880 h 30890\n0E41 CTCE 30882 h 30892\n"
    mate = "0520 CTCE 30890 g 30880\n0521 CTCE 30892 g 30882\n"
    assert wires(old, mate) == ["", ""] * 2
    assert wires(old + "0E42 CTCE 7=h\n", mate) == ["current", ""] * 2
    assert wires(old.replace("30890", "30890 FICON"), mate) == ["current", ""] * 2
    assert wires(old.replace("30882", "30883"), mate.replace("30882", "30883")) == ["current"] * 4
    shared = old.replace("30882", "30880"), mate.replace("30882", "30880")
    assert wires(*shared) == ["current", ""] * 2


def wires(*texts: str) -> list[str]:
    ctcs, _ = join({f"{name}.cnf": text for name, text in zip("AB", texts, strict=True)})
    return [end.wire for ctc in check_joined(ctcs) for end in ctc]


HUB = "0E40 CTCE 0E40=10.0.0.2\n0E41 CTCE 0E41=10.0.0.3\n"
SPOKE = "0E40 CTCE 0E40=10.0.0.1\n0E41 CTCE 0E41=10.0.0.4\n"


def test_devices_that_fit_by_two_hosts_wait_for_where_the_other_is() -> None:
    """Both have port 3088 and device 0E41, but each goes to a third Hercules there."""
    files = {"A.cnf": HUB, "B.cnf": SPOKE}
    with pytest.raises(ConfigurationError, match=r"A.cnf:1: A: .* and A.cnf:2: A: .* --at B=HOST"):
        join(files)
    places = {"B": HostPort("10.0.0.2", 3088)}
    ctcs, remarks = join(files, places)
    assert [[str(end) for end in ctc] for ctc in ctcs] == [["A 0E40", "B 0E40"]]
    assert [each.partition(":")[0] for each in remarks] == ["A.cnf", "B.cnf"]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"A.cnf": "610 CTCE 30801 E20=h 30810\n", "B.cnf": "610 CTCE 30810 610=h 30801\n"},
            "A.cnf:1: A: '0610 CTCE 30801 0E20=h 30810': no other file has its partner, 0E20 at h",
        ),
        (
            dict.fromkeys(("A.cnf", "B.cnf", "C.cnf"), "0E40 CTCE =h\n"),
            "A.cnf:1: A: '0E40 CTCE 3088 0E40=h 3088': its partner may be B.cnf:1: B: .* or C.cnf",
        ),
        (
            {"A.cnf": "0E40 CTCE 127.0.0.1 32880\n", "B.cnf": "0E40 CTCE 127.0.0.1 32880\n"},
            "A.cnf:1: A: .* and B.cnf:1: B: .*: expected a port for each",
        ),
        ({"A.cnf": "0E40 CTCE =h\n0E41 CTCE =h\n"}, "A.cnf:1: A: .*: no other file has its"),
    ],
)
def test_devices_without_one_partner_are_refused(files: dict[str, str], reason: str) -> None:
    """If there is no CTC at all, or which it is cannot be told."""
    with pytest.raises(ConfigurationError, match=reason):
        join(files)


def test_ends_share_a_port_at_one_hercules_4_only() -> None:
    ours = (HostPort("h", port) for port in range(32000, 32008, 2))
    at = HostPort("h", 3088)
    a, b, c = (
        CtcEnd(name, Rdev(rdev), at, next(ours)) for name, rdev in (("A", 1), ("A", 2), ("C", 1))
    )
    far = CtcEnd("B", Rdev(1), HostPort("h", 31000), next(ours))
    with pytest.raises(ConfigurationError, match="A 0002 and A 0001: both have h:3088"):
        check_joined([(a, b)])
    a, b, c = (end._replace(wire="current") for end in (a, b, c))
    assert len(check_joined([(a, b)])) == 1
    with pytest.raises(ConfigurationError, match="C 0001 and A 0001: both have h:3088"):
        check_joined([(a, far), (c, b)])
