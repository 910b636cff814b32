"""The profiles that a conftest can load."""

from hypothesis import settings

from isfc.testing.plugin import register_profiles


def test_no_profile_has_a_deadline_and_ci_repeats_itself() -> None:
    register_profiles()
    profiles = [settings.get_profile(name) for name in ("dev", "ci", "nightly")]
    assert [profile.deadline for profile in profiles] == [None] * 3
    assert [profile.derandomize for profile in profiles] == [False, True, False]
