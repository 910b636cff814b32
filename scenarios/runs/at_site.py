"""Profiles of sites as arguments: a record or a file, and held against the model's constants."""

from pathlib import Path

from isfc.errors import ConfigurationError
from isfc.layout.site import SiteProfile
from isfc.layout.site_file import read_site
from isfc.link.parameters import LinkParameters
from scenarios.runs.guests import GuestCosts
from scenarios.runs.provenance import constants_digest


def given_site(profile: SiteProfile | str | Path | None) -> SiteProfile | None:
    """The profile that is given, or that is in a file.

    Raises `ConfigurationError` for one that was fitted to other constants than the model's.
    """
    if profile is None:
        return None
    found = profile if isinstance(profile, SiteProfile) else read_site(Path(profile))
    model = constants_digest(LinkParameters(), GuestCosts())
    if found.model != model:
        where = found.name if isinstance(profile, SiteProfile) else profile
        raise ConfigurationError(
            f"{where}: model {found.model[:20]!r}: the factors belong to other constants than "
            f"this version's ({model}); fit it again with 'isfc measured fit'"
        )
    return found
