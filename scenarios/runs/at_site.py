"""Profiles of sites as arguments: a record or a file, and held against the model's constants."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked, spelt
from isfc.layout.catalogue import AnyLayout, check_devices, given_collection
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.document import Document
from isfc.layout.layout import Layout, with_site
from isfc.layout.plan import Plan, make_plan
from isfc.layout.sharing import with_notes
from isfc.layout.site import GivenSite, SiteProfile, read_profile
from isfc.link.parameters import LinkParameters
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import constants_digest
from scenarios.runs.workload import checked_traffic


@checked
def judge(
    layout: AnyLayout,
    neighbours: tuple[Layout, ...] = (),
    collection: Collection | None = None,
    *,
    profile: GivenSite = None,
) -> Plan:
    """Judge ``layout`` by rule: a record, the name of a shipped one, a path, or a file's text.

    ``neighbours`` are the other links of its systems, ``collection`` the file that it is in. Its
    ``layout`` is at the site of a ``profile``, so that `isfc.carried` has the figures of it. Raises
    `ConfigurationError` for several links, and for a collection that has not this one.
    """
    judged = layout if profile is None else at_site(layout, profile)
    return make_plan(judged, neighbours, collection)


def link_at(layout: AnyLayout, profile: GivenSite) -> Layout:
    """One link with its disks, at the site of a profile if there is one."""
    from isfc.io.shared import given_link_with_disks  # commands have no use for it

    return with_site(given_link_with_disks(layout), given_site(profile))


def links_at(layout: AnyLayout, profile: GivenSite) -> Collection:
    """All links with their disks, at the site of a profile if there is one."""
    return opened_at(layout, profile)[0]


def opened_at(layout: AnyLayout, profile: GivenSite) -> tuple[Collection, str]:
    """The same, and the text of their file; of records there is none."""
    from isfc.io.shared import links_with_disks

    text = source = ""

    def read(document: Document) -> Collection:
        nonlocal text, source
        text, source = document.text, document.source
        return checked_traffic(links_with_disks(document)[0], document.source)

    collection = check_devices(given_collection(layout, read), source)
    site = given_site(profile)
    links = tuple(with_site(each, site) for each in collection.links)
    return replace(collection, links=links), text


def named_link(layout: AnyLayout, link: str | None, profile: GivenSite = None) -> Layout:
    """The link that is named, or the only one, as `link_at`, with what its figures do not have."""
    return link_of(links_at(layout, profile), layout, link)


def link_of(links: Collection, layout: AnyLayout, link: str | None) -> Layout:
    """The same of ``links``, which are those of the layout."""
    is_text = isinstance(layout, Layout | Collection) or "\n" in str(layout)
    with nullcontext() if is_text else within(str(layout)):
        return with_notes(links, links.link(link, spelt("link")))


@checked
def at_site(layout: AnyLayout, profile: SiteProfile | str | Path) -> Collection:
    """The links with the model as it is fitted to a site: whatever takes a layout takes them.

    ``profile`` is what `isfc.measured.fit` gives, or the path of its file. Raises
    `ConfigurationError` for one that was fitted to other constants than the model's.
    """
    return links_at(layout, profile)


def given_site(profile: GivenSite) -> SiteProfile | None:
    """The profile that is given, or that is in a file.

    Raises `ConfigurationError` for one that was fitted to other constants than the model's.
    """
    if profile is None:
        return None
    found = profile if isinstance(profile, SiteProfile) else read_profile(profile)
    model = constants_digest(LinkParameters(), GuestCosts())
    if found.model != model:
        where = found.name if isinstance(profile, SiteProfile) else profile
        raise ConfigurationError(
            f"{where}: model {found.model[:20]!r}: the factors belong to other constants than "
            f"this version's ({model}); fit it again with 'isfc measured fit'"
        )
    return found
