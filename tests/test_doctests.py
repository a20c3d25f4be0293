"""The examples in the docstrings are right."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import evocrawl

ROOT = Path(evocrawl.__file__).parent
WITH_EXAMPLES = [
    ".".join(["evocrawl", *path.relative_to(ROOT).with_suffix("").parts])
    for path in sorted(ROOT.rglob("*.py"))
    if ">>>" in path.read_text()
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_every_example_gives_its_result(name: str) -> None:
    """Each in a fresh namespace of its module."""
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted
    assert not results.failed
