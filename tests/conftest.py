"""Puts this folder on the path, so that every test finds `checks` and `tiny_webs`."""

import numpy as np
import pytest
from hypothesis import settings

# A busy machine must not fail a test.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded generator."""
    return np.random.default_rng(0)
