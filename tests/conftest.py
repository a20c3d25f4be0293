"""Puts this folder on the path, so that every test finds `checks` and `tiny_webs`."""

from hypothesis import settings

# A busy machine must not fail a test.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
