"""Profiles of sites as arguments: a record or a file, and held against the model's constants."""

from dataclasses import replace
from pathlib import Path

from isfc.arguments import checked
from isfc.errors import ConfigurationError
from isfc.io.shared import links_with_disks
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.layout import Collection
from isfc.layout.site import SiteProfile
from isfc.layout.site_file import read_site, with_site
from isfc.link.parameters import LinkParameters
from scenarios.runs.guests import GuestCosts
from scenarios.runs.provenance import constants_digest


@checked
def at_site(layout: AnyLayout, profile: SiteProfile | str | Path) -> Collection:
    """The links with the model as it is fitted to a site: whatever takes a layout takes them.

    ``profile`` is what `isfc.measured.fit` gives, or the path of its file. Raises
    `ConfigurationError` for one that was fitted to other constants than the model's.
    """
    collection = given_collection(layout, lambda document: links_with_disks(document)[0])
    site = given_site(profile)
    return replace(collection, links=tuple(with_site(each, site) for each in collection.links))


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
