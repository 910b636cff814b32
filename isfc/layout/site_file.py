"""Site profiles as TOML files, and layouts with one."""

import json
from collections import Counter
from dataclasses import replace
from math import isfinite
from pathlib import Path

import msgspec

from ctc.profiles import FEATURES
from isfc.arguments import checked
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import check_table_name, convert, decode, read_bytes, within
from isfc.layout.in_words import expected
from isfc.layout.layout import Layout
from isfc.layout.site import CONSTANTS, FACTOR_MAX, Errors, SiteProfile


class _Errors(msgspec.Struct, forbid_unknown_fields=True):
    median: float
    worst: float


class _Root(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    features: list[str]
    intervals: int
    model: str
    factors: dict[str, float]
    held_back: _Errors | None = None
    before: _Errors | None = None
    doubts: list[str] = []
    layout: str = ""
    loads: list[str] = []
    covariance: list[list[float]] = []


_EXPECTED = {
    "name": "what the profile is called",
    "features": "a list of the features it was fitted on",
    "intervals": "how many intervals it was fitted on",
    "model": "the digest of the model's constants",
    "factors": "a table of factors by constant",
    "held_back": "a table with median and worst",
    "before": "a table with median and worst",
    "doubts": "a list of reasons for which the fit was refused",
    "layout": "the CTCs on each fibre that were measured",
    "loads": "a list of what ran, such as HL:50",
    "covariance": "a row of numbers for each constant",
}


@checked
def read_site(path: str | Path) -> SiteProfile:
    """The profile in a file; raises `ConfigurationError` that names file and key."""
    path = Path(path)
    with within(str(path)):
        document = decode(read_bytes(path, "a site profile"), "a site profile")
        root = convert(document, _Root, "", _EXPECTED)
        check_table_name("name", root.name, "a site profile")
        for feature in root.features:
            if feature not in FEATURES:
                raise ConfigurationError(
                    f"features: {feature[:40]!r} is not a FICON feature; "
                    f"{expected(feature, FEATURES)}"
                )
        known = [constant.name for constant in CONSTANTS]
        for name, factor in root.factors.items():
            if name not in known:
                raise ConfigurationError(
                    f"[factors] {name[:40]!r}: no such constant; expected one of {', '.join(known)}"
                )
            if not isfinite(factor) or not 1 / FACTOR_MAX <= factor <= FACTOR_MAX:
                raise ConfigurationError(
                    f"[factors] {name} {factor:g}: expected {1 / FACTOR_MAX:g} to {FACTOR_MAX:g}"
                )
        return SiteProfile(
            root.name,
            root.factors,
            tuple(root.features),
            root.intervals,
            root.model,
            _errors(root.held_back),
            _errors(root.before),
            tuple(root.doubts),
            root.layout,
            tuple(root.loads),
            _covariance(root.covariance, len(known)),
        )


def _errors(table: _Errors | None) -> Errors | None:
    return None if table is None else Errors(table.median, table.worst)


def _covariance(rows: list[list[float]], count: int) -> tuple[tuple[float, ...], ...]:
    """As it was written, and of all constants if of any."""
    sizes = {len(rows), *map(len, rows)}
    if rows and (sizes != {count} or not all(isfinite(each) for row in rows for each in row)):
        raise ConfigurationError(f"covariance: expected {count} rows of {count} numbers")
    return tuple(map(tuple, rows))


@checked
def format_site(profile: SiteProfile) -> str:
    """The text of a profile's file, for ``--profile``."""
    features = ", ".join(f'"{feature}"' for feature in profile.features)
    meanings = {constant.name: constant.meaning for constant in CONSTANTS}
    lines = [
        "# A site profile of isfc: factors on the model's constants, fitted to measurements.",
        f'name = "{profile.name}"',
        f"features = [{features}]",
        f"intervals = {profile.intervals}",
        f'model = "{profile.model}"  # the constants that the factors belong to',
    ]
    if profile.doubts:
        reasons = ", ".join(json.dumps(doubt, ensure_ascii=False) for doubt in profile.doubts)
        lines.append(f"doubts = [{reasons}]  # the fit was refused, and written all the same")
    if profile.covariance:
        loads = ", ".join(f'"{load}"' for load in profile.loads)
        rows = (f"    [{', '.join(f'{each:.5f}' for each in row)}]," for row in profile.covariance)
        names = ", ".join(constant.name for constant in CONSTANTS)
        lines += [
            f'layout = "{profile.layout}"  # what was measured',
            f"loads = [{loads}]",
            f"covariance = [  # of the logarithms of {names}",
            *rows,
            "]",
        ]
    lines += ["", "[factors]"]
    lines += [
        f"{name} = {factor:.4f}  # {meanings[name]}" for name, factor in profile.factors.items()
    ]
    for table, errors in (("held_back", profile.held_back), ("before", profile.before)):
        if errors is not None:
            lines += ["", f"[{table}]  # percent"]
            lines += [f"median = {errors.median:.2f}", f"worst = {errors.worst:.2f}"]
    return "\n".join(lines) + "\n"


def layout_kind(layout: Layout) -> str:
    """What makes a layout another one: its CTCs on each fibre, the feature and the length of it."""
    counts = Counter(ctc.fibre.name for ctc in layout.ctcs)
    return ", ".join(
        f"{counts[fibre.name]} on {fibre.profile.feature}"
        + (f" of {fibre.km:g} km" if fibre.km else "")
        for fibre in layout.fibres
    )


def with_site(layout: Layout, profile: SiteProfile | None) -> Layout:
    """The layout as it is at the site of a profile; itself without one."""
    if profile is None:
        return layout
    fitted = layout.with_fibres(
        lambda fibre: replace(fibre, profile=profile.of_feature(fibre.profile))
    )
    return replace(fitted, site=profile)
