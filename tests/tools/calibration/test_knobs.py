"""What may be fitted: all that is marked calibrated, and nothing else."""

from dataclasses import replace

import pytest

from ctc.profiles import FEATURES, ChpidProfile
from isfc.layout.catalogue import load_layout
from isfc.link.parameters import LinkParameters
from scenarios.published.companion import load_table
from scenarios.published.replay import compare
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.workload import find_workload
from tools.calibration.knobs import (
    EXPRESS2,
    EXPRESS4,
    KNOBS,
    Knob,
    build_constants,
    positions,
    present_values,
    values_at,
)
from tools.calibration.loss import calibration_cases, emulate
from tools.pages import sources

BOTH = f"{EXPRESS2} and {EXPRESS4}"


def test_knobs_are_what_the_table_of_sources_marks_calibrated() -> None:
    calibrated = {
        ".".join(row["constant"].split(".")[-2:])
        for row in sources.rows()
        if row["status"] == "calibrated"
        and row["constant"].startswith(
            ("isfc.link.", "scenarios.runs.guests.", "ctc.profiles.Chpid")
        )
    }
    records = {"link": LinkParameters, "guests": GuestCosts}
    fitted = {
        f"{records.get(knob.owners[0], ChpidProfile).__name__}.{knob.field}" for knob in KNOBS
    }
    assert fitted == calibrated


def test_both_measured_features_are_fitted_in_every_field_that_is() -> None:
    fields = {
        feature: {knob.field for knob in KNOBS if feature in knob.owners}
        for feature in (EXPRESS2, EXPRESS4)
    }
    assert fields[EXPRESS2] == fields[EXPRESS4] != set()


def test_every_constant_stands_between_its_bounds() -> None:
    present = present_values()
    outside = [knob.name for knob in KNOBS if not knob.low < present[knob.name] < knob.high]
    assert outside == []


def test_what_two_features_share_is_one_value() -> None:
    for knob in KNOBS:
        if len(knob.owners) > 1:
            assert len({getattr(FEATURES[owner], knob.field) for owner in knob.owners}) == 1


def test_scale_is_logarithmic_and_leads_back() -> None:
    knob = Knob(("link",), "build_package_ns", 10, 1_000)
    assert [knob.value(x) for x in (0, 0.5, 1)] == pytest.approx([10, 100, 1_000])
    assert [knob.position(v) for v in (1, 10, 100, 9_999)] == pytest.approx([0, 0, 0.5, 1])
    present = present_values()
    assert values_at(KNOBS, positions(KNOBS, present)) == pytest.approx(present)
    assert [knob.value(x) for x in (-0.1, 1.1)] == pytest.approx([10, 1_000])


def test_present_values_give_the_constants_of_the_code() -> None:
    constants = build_constants(present_values())
    assert constants.link == LinkParameters()
    assert constants.guests == GuestCosts()
    assert constants.profiles == FEATURES


def test_values_go_into_their_records_and_whole_numbers_stay_whole() -> None:
    constants = build_constants(
        {
            "link.share_length": 29.6,
            "link.cpu_ns_per_byte": 0.5,
            f"{BOTH}.roll_off": 0.02,
            f"{BOTH}.turn_ns": 1_234.4,
        }
    )
    assert repr(constants.link.share_length) == "30"
    assert constants.link.cpu_ns_per_byte == 0.5
    assert constants.profiles[EXPRESS4].roll_off == 0.02
    turns = [constants.profiles[name].turn_ns for name in (EXPRESS2, EXPRESS4)]
    assert repr(turns) == "[1234, 1234]"


def test_experiment_is_given_all_of_them() -> None:
    experiment = Experiment.of(load_layout("published-12"), find_workload("HL"), pairs=1)
    constants = build_constants(
        {"link.recovery_ns": 7, "guests.client_latency_ns": 8, f"{BOTH}.turn_ns": 9}
    )
    fitted = constants.apply(experiment)
    assert (fitted.link.recovery_ns, fitted.guests.client_latency_ns) == (7, 8)
    for before, after in zip(experiment.layout.ctcs, fitted.layout.ctcs, strict=True):
        assert after.fibre.profile.turn_ns == 9
        assert after.rdevs == before.rdevs
    assert constants.apply(experiment).layout.nodes == experiment.layout.nodes


def test_what_a_release_has_of_its_own_stays() -> None:
    old = replace(LinkParameters(), dispatch_ns=150_000)
    experiment = Experiment.of(
        load_layout("published-1"), find_workload("CDU:1"), pairs=1, link=old
    )
    constants = build_constants({"link.dispatch_ns": 7, "link.recovery_ns": 8})
    fitted = constants.apply(experiment).link
    assert (fitted.dispatch_ns, fitted.recovery_ns) == (150_000, 8)
    assert constants.apply(replace(experiment, link=LinkParameters())).link.dispatch_ns == 7


@pytest.mark.at_length
@pytest.mark.parametrize("name", ["transport", "appc_scaling"])
def test_constants_of_processor_time_matter_to_nothing_else(name: str) -> None:
    table = load_table(name)
    case = calibration_cases([table], length=0.01)[-1]
    of_processor_time = [knob for knob in KNOBS if knob.is_of_processor_time]
    moved = {knob: 2 * value for knob, value in present_values(of_processor_time).items()}
    before, after = (
        {
            comparison.measure: comparison.emulated
            for comparison in compare(table, case.shown[0][1], [emulate((case, 1, values))])
        }
        for values in ({}, moved)
    )
    differing = {measure for measure in before if before[measure] != after[measure]}
    assert differing == {"cpu_percent_per_msg"}
