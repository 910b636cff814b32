"""What an answer says of the site whose profile was taken."""

from msgspec import UNSET, UnsetType

from isfc.layout.site import SiteProfile
from isfc.layout.site import SiteProfile as Profile

__all__ = ["Profile", "profile_of"]


def profile_of(profile: SiteProfile | None) -> SiteProfile | UnsetType:
    """What ``--json`` has where a profile was taken."""
    return UNSET if profile is None else profile
