"""Options of the species and the size of the population."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.option import flag, maybe, number, option, text, whole

DEFAULT_SPECIES = "evo"


@dataclass(frozen=True, kw_only=True)
class PopulationOptions:
    """Options of the species and the size of the population."""

    species: str = option(
        DEFAULT_SPECIES,
        text,
        "the name of a species, file.py:maker of your own, or several joined by +",
        "behaviour of the agents; several species share the bounds of the population, such as "
        "energy+infospiders",
    )
    agents: int = option(
        None,
        maybe(whole(1)),
        "a whole number from 1, between the bounds",
        "agents at the start, N; 20, or as the bounds allow, unless set",
    )
    lower_bound: int = option(
        None,
        maybe(whole(0)),
        "a whole number from 0",
        "fewest agents alive, LB; 8, or the upper bound if that is smaller, unless set",
    )
    upper_bound: int = option(
        None,
        maybe(whole(1)),
        "a whole number from 1",
        "most agents alive, UB; 60, or more if `agents` or `lower_bound` is more, unless set",
    )
    buffer: bool = option(
        True,
        flag,
        "true or false",
        "whether energy stays on pages while the population is full (algorithm 2); if false, the "
        "population is not bounded (algorithm 1)",
    )
    wander_share: float = option(
        0.1,
        number(0, 1),
        "a number from 0 to 1",
        "share of an agent's moves that lead to a page with energy instead of along a link",
    )
    boldness: float = option(
        0.002,
        number(0, 1),
        "a number from 0 to 1",
        "weight of a link whose words do not match the query",
    )
    selectivity: float = option(
        0.25,
        number(0, 1),
        "a number from 0 to 1",
        "how good a link must be to be followed while better ones wait for a busy host, here or at "
        "another worker, as a share of the best one's chance; 0: never wait. Without a limit of "
        "requests agents never wait",
    )
    contest: int = option(
        32,
        whole(1),
        "a whole number from 1",
        "pages with open links among which an agent in a dead end goes to the most relevant",
    )
