"""A stop rule ends a crawl where the forecast says that enough is found."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from simulation_worlds import SmallWorld, url

from evocrawl.core.config.config import Config
from evocrawl.core.config.stop import StopCondition, stop_conditions
from evocrawl.core.errors import SettingError
from evocrawl.estimation.stop_rule import PATIENCE, StopRule
from evocrawl.simulation.runner import Run, run

QUERY = "coral bleaching"


@pytest.mark.parametrize(
    ("rule", "conditions"),
    [
        ("", ()),
        ("yield<2%", (StopCondition("yield", 0.02),)),
        ("yield<0.02", (StopCondition("yield", 0.02),)),
        (" Recall > 90 % ", (StopCondition("recall", 0.9),)),
        ("recall>.9,yield<0.5%", (StopCondition("recall", 0.9), StopCondition("yield", 0.005))),
    ],
)
def test_a_rule_is_read(rule: str, conditions: tuple[StopCondition, ...]) -> None:
    """As a percentage or a share, in any order and case, with or without spaces."""
    assert stop_conditions(rule) == conditions
    assert stop_conditions(Config.read({"EVOCRAWL_STOP": rule}).stop) == conditions


@pytest.mark.parametrize(
    "rule",
    [
        "yield", "yield<", "yield>2%", "recall<90%", "yield<0%", "recall>100%", "recall>90",
        "harvest<2%", "yield<2%;recall>90%", "yield<2%,", "yield<2%,yield<3%", "yield<=2%",
        "yield<-2%", "yield<2%%", "yield<1e-2", "yield<nan", "yield<٢%",
    ],
)  # fmt: skip
def test_a_bad_rule_is_refused_with_what_is_allowed(rule: str) -> None:
    """The error names the setting, the value and the allowed form."""
    with pytest.raises(SettingError) as error:
        Config.read({}, {"stop": rule})
    text = str(error.value)
    assert "stop" in text
    assert rule in text
    assert "yield<2%" in text
    assert "recall>90%" in text


@dataclass
class Left:
    """The part of an outlook that a rule reads."""

    requests: int
    yields: float

    @property
    def recall(self) -> Left:
        return self

    middle = 0.5


class FixedForecast:
    """A forecast whose yield is set by the test."""

    def __init__(self) -> None:
        self.requests = 0
        self.yields = 1.0

    def estimate(self) -> Left:
        return Left(self.requests, self.yields)


@dataclass
class Crawl:
    stopped: str = ""


def test_a_condition_must_hold_for_fifty_requests() -> None:
    """A short stretch below the bound does not end the crawl; an unarmed rule never does."""
    forecast, crawl = FixedForecast(), Crawl()
    rule = StopRule(stop_conditions("yield<2%"), forecast, crawl)

    def go(requests: int, yields: float) -> str:
        for _ in range(requests):
            forecast.requests += 1
            forecast.yields = yields
            rule.look()
        return crawl.stopped

    assert go(2 * PATIENCE, 0.01) == ""
    forecast.yields = 0.5
    rule.arm()
    assert go(PATIENCE, 0.5) == ""
    assert go(PATIENCE - 1, 0.01) == ""
    assert go(1, 0.5) == ""
    assert go(20, 0.5) == ""
    assert go(PATIENCE + 20, 0.01) == "stopped_by_yield"


def world(pages: int = 900) -> SmallWorld:
    """A chain of pages; the first 60 are relevant, the others are not."""
    links = {url(str(n)): [url(str(n + 1))] for n in range(pages)}
    text = {url(str(n)): QUERY if n < 60 else f"trains {n}" for n in range(pages)}
    return SmallWorld(links, text)


def crawl(stop: str, budget: int = 800) -> Run:
    options = {"query": QUERY, "species": "breadth_first", "max_requests": budget}
    options |= {"stop": stop} if stop else {}
    return run(world(), Config.read({}, options), [url("0")])


def test_a_simulated_crawl_ends_by_its_rule() -> None:
    """With a reason of its own; without a rule, or with one that never holds, it goes on."""
    stopped = crawl("yield<5%")
    assert stopped.stop_reason == "stopped_by_yield"
    assert 150 <= stopped.requests < 800
    assert crawl("").stop_reason == "budget"
    assert crawl("recall>30%").stop_reason == "stopped_by_recall"
    either = crawl("recall>99.9%,yield<5%")
    assert (either.stop_reason, either.requests) == ("stopped_by_yield", stopped.requests)
    assert crawl("", budget=120).steps == crawl("yield<5%", budget=120).steps


def test_the_rule_changes_no_visit_before_the_end() -> None:
    """A crawl with a rule makes the first visits of one without."""
    stopped, whole = crawl("yield<5%"), crawl("")
    assert stopped.steps == whole.steps[: len(stopped.steps)]
    assert stopped.steps == crawl("yield<5%").steps
