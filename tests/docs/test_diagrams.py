"""The drawn pictures of the documentation show the code as it is."""

from __future__ import annotations

import runpy
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evocrawl.population.link_status import LinkState

DOCS = Path(__file__).parents[2] / "docs"
MAKE = runpy.run_path(str(DOCS / "make_diagrams.py"))
PICTURES = {"HOUSE": "house", "LINK_LIFE": "link_life"}


@cache
def drawn(name: str) -> str:
    """Return a picture of the code as it is."""
    return str(MAKE[name]())


def words(svg: str) -> list[str]:
    """Return the texts of a picture, in order."""
    return [node.text or "" for node in ElementTree.fromstring(svg).iter() if node.text]


@pytest.mark.parametrize("place", PICTURES)
def test_a_picture_agrees_with_the_code(place: str) -> None:
    """A new package, level, import or state without its picture fails here."""
    assert MAKE[place].read_text(encoding="utf-8") == drawn(PICTURES[place])


def test_the_house_shows_every_package_with_what_it_imports() -> None:
    """Also a package that imports none."""
    layers = runpy.run_path(str(DOCS.parent / "tests" / "test_layers.py"))
    shown = words(drawn("house"))
    assert set(layers["LEVELS"]) <= set(shown)
    assert shown[shown.index("species") + 1] == "imports core"
    lowest = len(shown) - 1 - shown[::-1].index("core")  # a line of imports may be "core", too
    assert shown[lowest + 1] == "imports no other package"


def test_the_life_of_a_link_shows_every_state_that_a_link_reaches_by_itself() -> None:
    """A redirect or another worker makes a link "taken": the table has that state."""
    shown = " ".join(words(drawn("link_life")))
    assert [state for state in LinkState if state.value not in shown] == [LinkState.TAKEN]


def test_the_picture_of_a_species_has_a_row_for_each_agent_and_a_dot_for_each_find() -> None:
    make = runpy.run_path(str(DOCS / "make_species_pictures.py"))
    (energy,) = (scene for scene in make["SCENES"] if scene.species == "energy")
    scene = replace(energy, options={**energy.options, "max_requests": 25})
    made = scene.run()
    svg = ElementTree.fromstring(make["drawn"](scene, made))
    shapes = [node.tag.rpartition("}")[2] for node in svg.iter()]
    assert shapes.count("rect") == 1 + len(made.lives)
    found = [step for step in made.steps if (step.relevance or 0) >= scene.config().relevant_at]
    assert shapes.count("circle") == len(found) > 0
    assert f"energy, {made.requests} requests" in " ".join(words(make["drawn"](scene, made)))
