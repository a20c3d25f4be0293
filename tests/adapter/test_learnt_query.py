"""A crawl says that the link model with which it begins is of another query."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from evocrawl.adapter.learnt_query import warn_of_another_query
from evocrawl.core.config.config import Config
from evocrawl.simulation.runner import run
from evocrawl.simulation.worlds.registry import open_world


@pytest.mark.parametrize(
    ("earlier", "query", "warns"),
    [
        ("coral bleaching", "coral bleaching", False),
        ("Coral  Bleaching", "bleaching coral", False),
        ("coral bleaching", "stock exchange", True),
        ("coral \x1b[2J", "stock exchange", True),
    ],
)
def test_another_query_than_that_of_the_file_is_named(
    earlier: str, query: str, warns: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Case, spaces and the order of words are no difference; the text is safe for a terminal."""
    path = str(tmp_path / "coral.npz")
    world = open_world("sites:sites=5,seed=3")
    config = replace(Config.read({}, {"query": earlier, "max_requests": 20}), learn_to=path)
    run(world, config, [next(iter(world.documents())).url])
    with caplog.at_level(logging.WARNING):
        warn_of_another_query(replace(config, query=query, learnt=path))
    assert caplog.text.count("learnt: ") == warns
    if warns:
        assert path in caplog.text
        assert earlier.split()[0] in caplog.text
        assert "\x1b" not in caplog.text


def test_without_a_file_nothing_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """Also of a crawl that only writes one."""
    warn_of_another_query(Config.read({}, {"query": "coral", "learn_to": "x.npz"}))
    assert not caplog.records
