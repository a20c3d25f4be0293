"""Builds a population and its environment from a configuration, for crawls and the simulator."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evocrawl import relevance
from evocrawl.core.budget import Budget
from evocrawl.core.config.config import Config
from evocrawl.core.config.hints import did_you_mean
from evocrawl.core.config.stop import stop_conditions
from evocrawl.core.containers.spill_file import SpillFile
from evocrawl.core.errors import QueryError, SettingError
from evocrawl.core.fees import Fees
from evocrawl.core.files import check_writable, problem_of
from evocrawl.core.ledger import Ledger
from evocrawl.core.model import Fetched, Fingerprint
from evocrawl.energy import MODELS
from evocrawl.estimation.forecast import Forecast
from evocrawl.estimation.stop_rule import StopRule
from evocrawl.frontier import MemoryPageBase
from evocrawl.politeness.host_slots import HostLimit, HostSlots
from evocrawl.population.environment import Environment
from evocrawl.population.lifecycle import PopulationBounds
from evocrawl.population.population import Population
from evocrawl.population.rendering import RenderingChoice
from evocrawl.population.species_parts import SpeciesParts
from evocrawl.population.traps.held_links import HeldLinks
from evocrawl.population.traps.traps import TrapDetector
from evocrawl.relevance.base import Learner, Relevance, observer_of
from evocrawl.relevance.imported import named_object
from evocrawl.species import Maker, registry
from evocrawl.species.evo.link_model import LinkModel, persistence


@dataclass(frozen=True, slots=True)
class Assembly:
    """A population, its environment, the ledger of its events, and the forecast of what is left."""

    config: Config
    relevance: Relevance
    base: MemoryPageBase
    budget: Budget
    ledger: Ledger
    population: Population
    link_model: LinkModel | None
    forecast: Forecast
    stop_rule: StopRule
    rendering: RenderingChoice

    def save_learnt(self) -> None:
        """Write the link model to the file `learn_to` of the configuration. Raises OSError."""
        if self.config.learn_to and self.link_model is not None:
            persistence.save(self.link_model, self.config.learn_to, self.config.query)


def assemble(
    config: Config,
    *,
    concurrency: int,
    host_limit: HostLimit,
    timeout_s: float,
    model: Relevance | None = None,
    labels: Collection[Fingerprint] | None = None,
    makers: Sequence[Maker] = (),
    spill_to: Path | None = None,
) -> Assembly:
    """Build the population that `config` describes, with its environment.

    `concurrency` is the number of visits under way at once if the configuration does not set it;
    `timeout_s` is the longest fetch. `model` is used in place of the configured relevance model (a
    simulator shares one between runs), and `makers` in place of the configured species. `labels`
    are the relevant pages, if known, for a species that needs them. `spill_to` is the directory for
    data that does not fit into memory (default: that of temporary files). Raises SettingError or
    QueryError.
    """
    makers = makers or makers_of(config.species)
    model = model or _relevance(config)
    spill = SpillFile(spill_to)
    base = MemoryPageBase(config.memory_links // 4 + 1, spill)
    environment = _environment(config, base, HostSlots(host_limit), timeout_s, spill)
    parts = SpeciesParts(config, model, environment, base, spill, labels)
    context = parts.context()
    population = Population(
        [make(context) for make in makers],
        environment,
        _bounds(config),
        np.random.default_rng(config.seed),
        max_unsettled=config.max_unsettled or concurrency,
    )
    _check_learning(config, parts.link_model)
    _let_learn(model, population)
    ledger = Ledger(config.relevant_at)
    population.on_event.append(ledger.note)
    forecast, stop_rule = _forecast(config, population)
    return Assembly(
        config,
        model,
        base,
        environment.budget,
        ledger,
        population,
        parts.link_model,
        forecast,
        stop_rule,
        _rendering(config, population),
    )


def _environment(
    config: Config, base: MemoryPageBase, hosts: HostSlots, timeout_s: float, spill: SpillFile
) -> Environment:
    fees = Fees(
        config.cost,
        config.refusal_cost,
        config.dead_cost,
        config.latency_cost,
        timeout_s,
        config.hand_on_cost,
        config.browser_cost,
        config.gain,
    )
    return Environment(
        _energy(config),
        fees,
        base,
        hosts,
        Budget(config.max_requests or None),
        config.rewards,
        traps=_traps(config, spill),
    )


def _let_learn(model: Relevance, population: Population) -> None:
    """Show a relevance model that learns the marks of a user, and the pages of the crawl."""
    if isinstance(model, Learner):
        population.on_mark.append(model.learn)
    observe = observer_of(model)
    if observe is not None:
        population.on_outcome.append(
            lambda _, outcome: observe(outcome.page) if isinstance(outcome, Fetched) else None
        )


def _forecast(config: Config, population: Population) -> tuple[Forecast, StopRule]:
    forecast = Forecast(config.relevant_at, population.environment.budget, population)
    population.on_event.append(forecast.note)
    stop_rule = StopRule(stop_conditions(config.stop), forecast, population)
    if config.stop:
        population.on_event.append(stop_rule.note)
    return forecast, stop_rule


def _rendering(config: Config, population: Population) -> RenderingChoice:
    rendering = RenderingChoice(
        population.environment.budget,
        population.environment.fees,
        gain=config.gain,
        relevant_at=config.relevant_at,
        share=config.browser_share,
        seed=config.seed,
    )
    if config.browser != "never":
        population.on_outcome.append(rendering.learn)
    return rendering


def _traps(config: Config, spill: SpillFile) -> TrapDetector | None:
    if not config.novelty:
        return None
    most = config.memory_links // 4 + 1
    return TrapDetector(held_links=HeldLinks(most, spill), asked=HeldLinks(most, spill))


def _check_learning(config: Config, learner: LinkModel | None) -> None:
    for name in ("learnt", "learn_to"):
        value = getattr(config, name)
        if value and learner is None:
            raise SettingError(
                name, value, "empty, except with a species that has a link model, such as evo"
            )
    if config.learn_to:
        try:
            check_writable(config.learn_to)
        except OSError as error:
            allowed = f"a path that can be written ({problem_of(error)})"
            raise SettingError("learn_to", config.learn_to, allowed) from None


def makers_of(species: str) -> list[Maker]:
    """Return the makers of the species with that name, or with several names joined by +.

    A name with a colon is the place of a maker: ``package.module:maker`` or ``file.py:maker``.
    Raises SettingError for an unknown or repeated name.
    """
    names = species.split("+")
    known = registry.known(names)
    unknown = [name for name in names if name not in known and ":" not in name]
    if unknown or len(set(names)) < len(names):
        listed = "+".join(re.split(r"[\s,;+]+", species.strip()))
        is_list = bool(unknown) and set(listed.split("+")) <= set(known)
        hint = f"did you mean {listed}?" if is_list else did_you_mean("".join(unknown[:1]), known)
        allowed = f"one or more, joined by +, of {', '.join(known)}, or file.py:maker of your own"
        raise SettingError("species", species, allowed, hint)
    return [
        registry.maker_of(name) if name in known else named_object(name, "species", species)
        for name in names
    ]


def _relevance(config: Config) -> Relevance:
    try:
        return relevance.Wanted.by(config).make()
    except QueryError as error:
        if not config.query:
            raise SettingError("query", config.query, "words to look for") from error
        raise


def _energy(config: Config) -> Any:
    arguments: dict[str, Any] = {"gain": config.gain, "cost": config.cost}
    if config.energy == "sigmoid":
        arguments["slope"] = config.slope
    return MODELS[config.energy](**arguments)


def _bounds(config: Config) -> PopulationBounds:
    if config.buffer:
        return PopulationBounds(config.agents, config.lower_bound, config.upper_bound)
    return PopulationBounds(config.agents)
