"""Specification of a synthetic world: its kind, its numbers with their ranges, and its name.

A name such as ``sites:sites=100,seed=3`` has the kind, then numbers of the plan and of the weather,
and the seed of the generator. Missing numbers have their defaults. The same name is always the same
world.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np

from evocrawl.core.config.hints import did_you_mean
from evocrawl.core.config.option import Option, flag, number, whole
from evocrawl.core.errors import SettingError
from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.made_up.base import Synthetic, Weather
from evocrawl.simulation.worlds.made_up.news import TOPICS, News, NewsPlan
from evocrawl.simulation.worlds.made_up.sites import SEMANTIC, Sites, SitesPlan

Kind: TypeAlias = Literal["sites", "news"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_PLANS: dict[Kind, type[SitesPlan] | type[NewsPlan]] = {"sites": SitesPlan, "news": NewsPlan}
_SEMANTIC_TOPIC = 1
_QUERY_WORDS = 3


def _from(low: int, meaning: str) -> Option:
    return Option(whole(low), f"a whole number from {low}", meaning)


def _share(meaning: str) -> Option:
    return Option(number(0, 1), "from 0 to 1", f"share of {meaning}")


NUMBERS: dict[str, Option] = {
    "sites": _from(1, "sites; each is a host"),
    "pages_per_site": Option(number(1, 1e6), "from 1 to 1000000", "mean number of pages of a site"),
    "links_per_page": _from(1, "mean number of links of a page, including repeated links"),
    "semantic": _share("the pages that are relevant"),
    "semantic_sites": _share("the sites that have the relevant pages"),
    "inside": _share("the links that lead to the same site"),
    "pages": _from(10, "pages over all times"),
    "out_exponent": Option(
        number(0, 6, above=True), "above 0, at most 6", "exponent of the numbers of links of a page"
    ),
    "in_exponent": Option(
        number(1, 6, above=True), "above 1, at most 6", "exponent of the numbers of links to a page"
    ),
    "clustering": _share("the pairs of neighbours that are linked; approximate"),
    "out_most": _from(1, "most links of a page"),
    "in_least": _from(1, "fewest links to a page"),
    "days": Option(number(0, 3650), "from 0 to 3650", "days during which pages appear and change"),
    "appearing": _share("the pages without links that appear after time 0"),
    "changing": _share("the pages that change without new links"),
    "interval_h": Option(
        number(0.1, 1e6), "from 0.1 to 1000000", "median hours between changes of such a page"
    ),
    "hosts": Option(
        whole(1, TOPICS),
        f"a whole number from 1 to {TOPICS}",
        "hosts that share the topics",
    ),
    "latency_s": Option(number(0), "from 0", "mean seconds until a response"),
    "timeout_s": Option(number(0, above=True), "above 0", "time-out of a fetch in seconds"),
    "timeouts": _share("the pages that never respond"),
    "dead": _share("the links that are dead: half lead to a 404, half to a file without HTML"),
    "moved": _share("the links whose target redirects; at most 1 together with dead"),
    "forbidden": _share("the sites, or the pages of a news web, that robots.txt disallows"),
}
"""All numbers of the plans and of the weather, by name."""

SEED = Option(whole(0, 2**63 - 1), "a whole number from 0", "seed of the generator of the world")
REWIRED = Option(flag, "0 or 1", "rewire the links, with the same degrees: not a small world")
_REWIRED = "rewired"


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """Kind and numbers of a world; cheap, since the world is not generated."""

    kind: Kind
    plan: SitesPlan | NewsPlan
    seed: int = 0
    is_rewired: bool = False

    @classmethod
    def parse(cls, spec: str) -> Self | None:
        """Return the specification for a name like ``news:pages=500``, None for other names.

        Raises SettingError for an unknown or invalid number.
        """
        kind, colon, numbers = spec.partition(":")
        if not colon:  # it may be the path of a folder that does not exist
            return None
        if kind not in KINDS:
            return None
        given: dict[str, str] = {}
        for part in filter(str.strip, numbers.split(",")):
            name, _, value = part.partition("=")
            if name.strip() in given:
                raise SettingError("world", spec, f"each number once, and {name.strip()} is twice")
            given[name.strip()] = value.strip()
        return next(cls.of(each, given) for each in KINDS if each == kind)

    @classmethod
    def of(cls, kind: Kind, given: Mapping[str, str]) -> Self:
        """Return the specification of `kind` with `given` numbers as text; raises SettingError."""
        allowed = {*defaults(kind), "seed", *([_REWIRED] if kind == "news" else [])}
        for name in given:
            if name not in allowed:
                value = f"{kind}:{name}={given[name]}"
                hint = did_you_mean(name, sorted(allowed))
                raise SettingError(
                    "world", value, f"the numbers {', '.join(sorted(allowed))}", hint
                )
        read = {name: NUMBERS[name].value(name, given[name]) for name in given if name in NUMBERS}
        return cls(
            kind,
            _plan(kind, read),
            SEED.value("seed", given.get("seed", 0)),
            REWIRED.value(_REWIRED, given.get(_REWIRED, 0)),
        )

    @property
    def name(self) -> str:
        """Shortest name of this world: the numbers that differ from the defaults, in order.

        >>> WorldSpec.of("sites", {"semantic": "0.50", "sites": "20", "dead": "0.02"}).name
        'sites:sites=20,semantic=0.5'
        """
        usual = defaults(self.kind)
        parts = [
            f"{name}={str(value).removesuffix('.0')}"
            for name, value in _numbers(self.plan)
            if value != usual[name]
        ]
        parts += [f"seed={self.seed}"] if self.seed else []
        parts += [f"{_REWIRED}=1"] if self.is_rewired else []
        return f"{self.kind}:{','.join(parts)}"

    def make(self) -> Sites | News:
        """Generate the world; a web of 30 000 news pages takes 3 seconds."""
        rng = np.random.default_rng(self.seed)
        if isinstance(self.plan, SitesPlan):
            world: Sites | News = Sites(self.plan, rng)
        else:
            news = News(self.plan, rng)
            world = news.rewired(rng) if self.is_rewired else news
        world.name = self.name
        return world


def defaults(kind: Kind) -> dict[str, float]:
    """Return the numbers of a kind and their defaults; the weather comes last."""
    return dict(_numbers(_PLANS[kind]()))


def query_of(world: AnsweringWorld, topic: str) -> str:
    """Return a query for a topic of a synthetic world: its three most frequent words.

    Return "" for other worlds.
    """
    if not isinstance(world, Synthetic):
        return ""
    number = _SEMANTIC_TOPIC if topic == SEMANTIC else int(topic.rpartition("-")[2])
    return " ".join(world.vocabulary.of(number)[:_QUERY_WORDS])


def _plan(kind: Kind, given: Mapping[str, Any]) -> SitesPlan | NewsPlan:
    """Return the plan with the numbers `given`, which include those of the weather."""
    of_weather = {field.name for field in fields(Weather)}
    values: dict[str, Any] = {**defaults(kind), **given}
    own = {n: v for n, v in values.items() if n not in of_weather}
    try:
        weather = Weather(**{n: v for n, v in values.items() if n in of_weather})
        return _PLANS[kind](**own, weather=weather)
    except ValueError as error:  # the numbers contradict each other
        numbers = ",".join(f"{name}={value}" for name, value in given.items())
        raise SettingError("world", f"{kind}:{numbers}", str(error)) from error


def _numbers(plan: SitesPlan | NewsPlan) -> Iterator[tuple[str, float]]:
    for part in (plan, plan.weather):
        for field in fields(part):
            if field.name != "weather":
                yield field.name, getattr(part, field.name)
