"""Every setting of evocrawl, read once into one frozen object.

An option NAME is the setting ``EVOCRAWL_NAME`` and, in evocrawl's own spider, the argument
``-a name=``; the argument wins. Unknown names and impossible values raise SettingError.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, cast

from evocrawl.core.config.adapter import SeamOptions
from evocrawl.core.config.option import (
    Option,
    flag,
    maybe,
    number,
    one_of,
    option,
    path,
    path_ending,
    path_or_url,
    text,
    whole,
    words,
)
from evocrawl.core.config.presets import economy_of
from evocrawl.core.errors import SettingError

PREFIX = "EVOCRAWL_"

DEFAULT_SPECIES = "evo"
_DEFAULT_GAINS = {"sigmoid": 8.0, "linear": 4.0}
_FOUNDERS, _LOWER, _UPPER = 20, 8, 60
_SHARE = number(0, 1)
_POSITIVE = number(0, above=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(SeamOptions):
    """The options. Units stand in the names; energies are in the unit of one agent's start."""

    query: str = option("", text, "words to look for", "what the crawl is about, in plain words")
    seeds: tuple[str, ...] = option(
        (), words, "http(s) URLs, apart by spaces or commas", "where the agents begin"
    )
    seed_templates: tuple[str, ...] = option(
        ("https://en.wikipedia.org/wiki/{title}",),
        words,
        "URLs with {title} or {query} in them",
        "seeds made of the query when none are given: {title} is the query as an article title, "
        "{query} the query percent-encoded",
    )
    allowed_domains: tuple[str, ...] = option(
        (),
        words,
        "domain names, apart by spaces or commas",
        "evospider follows links to these domains and their subdomains only; to all when empty",
    )
    max_requests: int = option(
        1000,
        whole(0),
        "a whole number; 0 for no limit",
        "HTTP requests the crawl may make in all, robots.txt, redirects, retries and failures "
        "included; no limit for spiders of your own unless given",
    )
    species: str = option(
        DEFAULT_SPECIES,
        text,
        "the name of a species, or several joined by +",
        "how the agents behave; several live together under common bounds, such as "
        "energy+infospiders",
    )
    seed: int = option(
        0, whole(0, 2**63 - 1), "a whole number from 0", "seed of the one random generator"
    )
    energy: Literal["sigmoid", "linear"] = option(
        "sigmoid", one_of(_DEFAULT_GAINS), "sigmoid or linear", "how relevance becomes energy"
    )
    slope: Literal["steep", "literal"] = option(
        "steep",
        one_of(("steep", "literal")),
        "steep or literal",
        "which reading of λ the sigmoid takes",
    )
    gain: float = option(
        None,
        maybe(_POSITIVE),
        "a number above 0",
        "energy of a relevant page: G of the sigmoid (8), ρ of the linear model (4)",
    )
    cost: float = option(1.0, number(0), "a number from 0", "energy a visit costs, C")
    dead_cost: float = option(
        None,
        maybe(number(0)),
        "a number from 0",
        "energy that a link which leads nowhere costs; as `cost` unless given",
    )
    refusal_cost: float = option(
        None,
        maybe(number(0)),
        "a number from 0",
        "energy that a link forbidden by robots.txt costs; as `cost` unless given",
    )
    latency_cost: float = option(
        0.0,
        number(0),
        "a number from 0",
        "energy that a fetch of DOWNLOAD_TIMEOUT seconds costs, faster ones in proportion, c_t",
    )
    hand_on_cost: float = option(
        0.0,
        number(0),
        "a number from 0",
        "energy that each page of relevance above 0 costs, whether it pays or not",
    )
    rewards: Literal["first", "changed", "always"] = option(
        "first",
        one_of(("first", "changed", "always")),
        "first, changed or always",
        "when a page pays: at its first visit, each time its content has changed, at every visit",
    )
    agents: int = option(
        None,
        maybe(whole(1)),
        "a whole number from 1, between the bounds",
        "agents at the start, N; 20 or what the bounds allow unless given",
    )
    lower_bound: int = option(
        None,
        maybe(whole(0)),
        "a whole number from 0",
        "agents that are always alive, LB; 8 or the upper bound unless given",
    )
    upper_bound: int = option(
        None,
        maybe(whole(1)),
        "a whole number from 1",
        "agents that are never exceeded, UB; 60, or as many as are asked for, unless given",
    )
    buffer: bool = option(
        True,
        flag,
        "true or false",
        "whether energy lies on pages until there is room for it (algorithm 2); without, the "
        "population is not bounded (algorithm 1)",
    )
    wander_share: float = option(
        0.1,
        _SHARE,
        "a number from 0 to 1",
        "share of an agent's moves that go to a page with energy instead of along a link",
    )
    boldness: float = option(
        0.002, _SHARE, "a number from 0 to 1", "weight of a link whose words do not match the query"
    )
    contest: int = option(
        32,
        whole(1),
        "a whole number from 1",
        "pages with open links among which an agent in a dead end goes to the most relevant",
    )
    relevance: str = option("tfidf", text, "the name of a relevance model", "how pages are scored")
    fresh_h: float = option(
        24.0,
        _POSITIVE,
        "a number above 0",
        "hours for which a page is news to relevance models that go by age",
    )
    language: str = option(
        "", text, "a language code such as en or de", "of the query; found out when empty"
    )
    relevant_at: float = option(
        0.12, _SHARE, "a number from 0 to 1", "relevance from which a page counts as relevant"
    )
    max_unsettled: int = option(
        None,
        maybe(whole(1)),
        "a whole number from 1",
        "visits under way at once, from choice to reward; CONCURRENT_REQUESTS unless given",
    )
    page_items: bool = option(
        None,
        maybe(flag),
        "true or false",
        "whether each page goes through the pipelines and feeds as a PageItem; true for evospider, "
        "false for spiders of your own unless given",
    )
    progress_s: float = option(
        1.0,
        number(0),
        "a number from 0",
        "seconds between progress lines on stderr; 0 for none",
    )
    store: str = option(
        "",
        path_or_url("redis://", "rediss://", "unix://"),
        "a path, or redis://HOST:PORT/DB (rediss:// by TLS, unix:///PATH), maybe with ?crawl=NAME",
        "SQLite file that keeps the crawl, so that it goes on after a stop or a crash; in JOBDIR "
        "where that is set, else none when empty. Or a Redis, for several workers",
    )
    store_bodies: bool = option(
        False,
        flag,
        "true or false",
        "whether the store keeps each page's answer as it came too, for WARC files",
    )
    stats_file: str = option(
        "", path, "a path", "where the final stats are written as JSON; nowhere when empty"
    )
    record: str = option(
        "",
        path_ending(".jsonl", ".jsonl.gz", ".jsonl.zst"),
        "a path that ends in .jsonl, .jsonl.gz or .jsonl.zst",
        "new world file into which the crawl is recorded, for replays; none when empty",
    )

    @classmethod
    def read(cls, settings: Mapping[str, Any], arguments: Mapping[str, Any] | None = None) -> Self:
        """Read settings (any mapping, foreign names ignored) and arguments.

        Raises SettingError for an unknown ``EVOCRAWL_`` setting or argument, a value out of
        range, or values that contradict each other.
        """
        options = options_by_name()
        values: dict[str, Any] = {}
        for name, raw, key in [
            *((key[len(PREFIX) :].lower(), settings[key], key) for key in settings if _ours(key)),
            *((key, raw, key) for key, raw in (arguments or {}).items()),
        ]:
            is_setting = key != name
            if name not in options or (is_setting and not key.isupper()):
                raise SettingError(key, raw, _suggest(name, options, setting=is_setting))
            values[name] = options[name].value(key, raw)
            is_empty = isinstance(raw, str) and (not raw.strip() or values[name] == ())
            if is_empty and not is_setting:
                # It comes from a variable of the shell that is not set.
                allowed = f"{options[name].allowed}; without a value leave the argument out"
                raise SettingError(key, raw, allowed)
        economy = economy_of(values.get("species", DEFAULT_SPECIES), values)
        config = cls(**{**economy, **values})._completed()
        config._check(set(values))
        return config

    @property
    def fresh_s(self) -> float:
        """`fresh_h` in seconds."""
        return 3600 * self.fresh_h

    def _check(self, given: set[str]) -> None:
        if not self.buffer and given & {"lower_bound", "upper_bound"}:
            raise SettingError("buffer", False, "true where lower_bound or upper_bound is set")
        if "back_off_s" in given and self.back_off_s > self.back_off_cap_s:
            raise SettingError(
                "back_off_s", self.back_off_s, f"at most back_off_cap_s, {self.back_off_cap_s}"
            )
        if "lower_bound" in given and 0 < self.max_requests < self.lower_bound:
            raise SettingError(
                "lower_bound",
                self.lower_bound,
                f"at most max_requests, {self.max_requests}: with fewer requests the agents starve",
            )
        if self.lower_bound > self.upper_bound:
            raise SettingError(
                "lower_bound", self.lower_bound, f"at most upper_bound, {self.upper_bound}"
            )
        if self.buffer and not self.lower_bound <= self.agents <= self.upper_bound:
            raise SettingError(
                "agents", self.agents, f"from {self.lower_bound} to {self.upper_bound}, the bounds"
            )

    def _completed(self) -> Self:
        """Fill in what depends on other options."""
        gain, dead, refusal = (
            cast("float | None", each) for each in (self.gain, self.dead_cost, self.refusal_cost)
        )
        agents, lower, upper = (
            cast("int | None", each) for each in (self.agents, self.lower_bound, self.upper_bound)
        )
        upper = max(_UPPER, lower or 0, agents or 0) if upper is None else upper
        lower = min(_LOWER, upper, agents or upper) if lower is None else lower
        return replace(
            self,
            gain=_DEFAULT_GAINS[self.energy] if gain is None else gain,
            dead_cost=self.cost if dead is None else dead,
            refusal_cost=self.cost if refusal is None else refusal,
            agents=min(max(_FOUNDERS, lower), upper) if agents is None else agents,
            lower_bound=lower,
            upper_bound=upper,
        )


def options_by_name() -> dict[str, Option]:
    """Return every option by its name, in the order of declaration."""
    return {each.name: each.metadata["option"] for each in fields(Config)}


def _ours(key: object) -> bool:
    return isinstance(key, str) and key.upper().startswith(PREFIX)


def _suggest(name: str, options: Mapping[str, Option], *, setting: bool) -> str:
    bare = name.lower().removeprefix(PREFIX.lower())
    if bare == "max_pages":
        name = f"{PREFIX}MAX_REQUESTS" if setting else "max_requests"
        return f"{name}: it counts requests, not pages"
    near = difflib.get_close_matches(bare, options, n=1) or list(options)
    named = [f"{PREFIX}{each.upper()}" if setting else each for each in near]
    return f"did you mean {named[0]}?" if len(near) == 1 else ", ".join(named)
