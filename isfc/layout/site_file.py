"""Site profiles as TOML files, and layouts with one."""

import json
from dataclasses import replace
from math import isfinite
from pathlib import Path

import msgspec

from ctc.profiles import FEATURES
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import check_table_name, convert, decode, read_bytes, within
from isfc.layout.closest import expected
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


_EXPECTED = {
    "name": "what the profile is called",
    "features": "a list of the features it was fitted on",
    "intervals": "how many intervals it was fitted on",
    "model": "the digest of the model's constants",
    "factors": "a table of factors by constant",
    "held_back": "a table with median and worst",
    "before": "a table with median and worst",
    "doubts": "a list of reasons for which the fit was refused",
}


def read_site(path: Path) -> SiteProfile:
    """The profile in a file; raises `ConfigurationError` that names file and key."""
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
            tuple(root.factors.items()),
            tuple(root.features),
            root.intervals,
            root.model,
            _errors(root.held_back),
            _errors(root.before),
            tuple(root.doubts),
        )


def _errors(table: _Errors | None) -> Errors | None:
    return None if table is None else Errors(table.median, table.worst)


def format_site(profile: SiteProfile) -> str:
    """The file of a profile."""
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
    lines += ["", "[factors]"]
    lines += [f"{name} = {factor:.4f}  # {meanings[name]}" for name, factor in profile.factors]
    for table, errors in (("held_back", profile.held_back), ("before", profile.before)):
        if errors is not None:
            lines += ["", f"[{table}]  # percent"]
            lines += [f"median = {errors.median:.2f}", f"worst = {errors.worst:.2f}"]
    return "\n".join(lines) + "\n"


def with_site(layout: Layout, profile: SiteProfile | None) -> Layout:
    """The layout as it is at the site of a profile; itself without one."""
    if profile is None:
        return layout
    fitted = layout.with_fibres(
        lambda fibre: replace(fibre, profile=profile.of_feature(fibre.profile))
    )
    return replace(fitted, site=profile)
