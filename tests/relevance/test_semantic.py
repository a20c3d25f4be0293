"""Pages with machine-readable content."""

from __future__ import annotations

import pytest

from evocrawl.core.errors import QueryError
from evocrawl.core.model import Content
from evocrawl.relevance import create


def test_any_machine_readable_content_is_relevant_and_nothing_else_is() -> None:
    """For any text of the page, and without any query."""
    model = create("semantic", "")
    assert model.page(Content(formats=("turtle",))) == 1.0
    assert model.page(Content("Semantic web", "semantic content", formats=("rdfa", "x"))) == 1.0
    assert model.page(Content("Semantic web", "semantic content")) == 0.0
    assert model.page(Content(formats=("x",))) == 0.0
    assert model.link("semantic", "semantic content") == 0.0


def test_the_query_may_name_formats() -> None:
    """Its other words are for other models."""
    model = create("semantic", "turtles format:Turtle format:owl")
    assert model.page(Content(formats=("json-ld", "turtle"))) == 1.0
    assert model.page(Content(formats=("owl",))) == 1.0
    assert model.page(Content(formats=("json-ld",))) == 0.0


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    """Before anything is fetched."""
    with pytest.raises(QueryError, match=r"'jsonld'.*json-ld, microdata"):
        create("semantic", "format:jsonld")
