"""``--profile FILE``: the site of a layout's links, and how output names it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import structs

from isfc.cli.options.layout import (
    DecksOptions,
    LayoutArgument,
    LinkOption,
    OpenedFile,
    open_collection,
    open_with_disks,
)
from isfc.cli.options.option import valued
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout

if TYPE_CHECKING:
    from isfc.layout.site import SiteProfile

ProfileOption = Annotated[
    Path | None, valued("FILE", "The model as fitted to a site by 'isfc measured fit'.")
]


class LinkOptions(DecksOptions, frozen=True, kw_only=True):
    """The layout that a command is of, which of its links, and the site that they are at."""

    layout: LayoutArgument
    link_name: LinkOption = None
    profile: ProfileOption = None

    def open_file(self) -> OpenedFile:
        """All links of the layout."""
        profile = opened_site(self.profile)
        opened = open_collection(self.given(self.layout))
        return structs.replace(opened, collection=_at_site(opened.collection, profile))

    def open(self) -> Layout:
        """The one link that is meant, with its notes."""
        return open_with_disks(self.open_file(), self.link_name)[0]


def opened_site(profile: Path | None) -> "SiteProfile | None":
    """The profile that the option names, None without it: most commands name none."""
    if profile is None:
        return None
    from scenarios.runs.at_site import given_site

    return given_site(profile)


def _at_site(collection: Collection, profile: "SiteProfile | None") -> Collection:
    if profile is None:
        return collection
    from isfc.layout.site import with_site

    return replace(collection, links=tuple(with_site(link, profile) for link in collection.links))
