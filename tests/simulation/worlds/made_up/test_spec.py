"""Made-up worlds are named by their options, and every option is explained."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.errors import SettingError
from evocrawl.simulation.worlds.made_up.base import Weather
from evocrawl.simulation.worlds.made_up.news import NewsPlan
from evocrawl.simulation.worlds.made_up.sites import SitesPlan
from evocrawl.simulation.worlds.made_up.spec import (
    KINDS,
    NUMBERS,
    Kind,
    WorldSpec,
    defaults,
    query_of,
)
from evocrawl.simulation.worlds.registry import open_world

PLANS = {"sites": SitesPlan(), "news": NewsPlan()}


def test_every_number_of_a_plan_is_an_option() -> None:
    """There are no other options."""
    own = {field.name for plan in PLANS.values() for field in fields(plan)} - {"weather"}
    assert set(NUMBERS) == own | {field.name for field in fields(Weather)}
    for kind in KINDS:
        plan = PLANS[kind]
        assert defaults(kind) == {
            name: getattr(part, name)
            for part in (plan, plan.weather)
            for name in (field.name for field in fields(part))
            if name != "weather"
        }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", ["-1", "0", "0.05", "0.5", "1", "1.5", "7", "51", "4000", "2e6"])
def test_the_options_have_the_ranges_of_the_plans(kind: Kind, value: str) -> None:
    """The ranges for the user and those of the plan agree."""
    plan = PLANS[kind]
    for name, default in defaults(kind).items():
        try:
            number = NUMBERS[name].value(name, value)
        except SettingError:
            number = None
        if isinstance(default, int) and not value.lstrip("-").isdigit():
            assert number is None, name
            continue
        asked = type(default)(float(value))
        try:
            if name in {field.name for field in fields(Weather)}:
                # Alone: dead and moved are shares of the same links.
                replace(Weather(), **{name: asked})
            else:
                replace(plan, **{name: asked})
        except ValueError:
            assert number is None, f"{name}={value} is said to be allowed"
        else:
            assert number == asked, f"{name}={value} is said not to be allowed"


def test_a_name_has_the_numbers_that_differ_from_the_defaults() -> None:
    """In one order, with one spelling for each number."""
    first = WorldSpec.parse("news: seed=3, rewired=yes, days=2.50, pages=1000,hosts=1,")
    assert first is not None
    assert first.name == "news:pages=1000,days=2.5,seed=3,rewired=1"
    assert WorldSpec.parse(first.name) == first
    assert WorldSpec.parse("sites:") == WorldSpec.of("sites", {})
    assert WorldSpec.of("sites", {}).name == "sites:"


@pytest.mark.parametrize("spec", ["pages.jsonl", "news", "newsy:pages=30", "a/news:x"])
def test_paths_name_no_made_up_world(spec: str) -> None:
    """A missing folder called news must be missed."""
    assert WorldSpec.parse(spec) is None


@given(
    sites=st.integers(1, 10**17),
    inside=st.floats(0, 1),
    latency_s=st.floats(0, 1e300),
    seed=st.integers(0, 2**63 - 1),
)
def test_a_world_can_be_made_from_its_name(
    sites: int, inside: float, latency_s: float, seed: int
) -> None:
    """All digits are the same."""
    numbers = {"sites": sites, "inside": inside, "latency_s": latency_s, "seed": seed}
    world = WorldSpec.of("sites", {name: str(value) for name, value in numbers.items()})
    again = WorldSpec.parse(world.name)
    assert again == world
    assert (world.plan.weather.latency_s, world.seed) == (latency_s, seed)


@pytest.mark.parametrize("spec", ["sites:sites=60", "news:pages=600,appearing=0"])
def test_a_topic_is_found_by_its_own_words(spec: str) -> None:
    """Most of the first results of a search for them are of the topic."""
    world = open_world(spec)
    topic = world.topics()[-1]
    about = world.about(topic)
    found = world.search(query_of(world, topic), 10)
    pages = {document.url: document.fingerprint for document in world.documents()}
    assert sum(pages[url] in about for url in found) >= 7
