"""Reads, completes and checks the options of a crawl.

Option NAME is the setting ``EVOCRAWL_NAME`` and, in evospider, the argument ``-a name=``; the
argument wins. Unknown names and impossible values raise SettingError.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self, cast

from evocrawl.core.config.adapter import AdapterOptions
from evocrawl.core.config.browser import BrowserOptions
from evocrawl.core.config.cluster import ClusterOptions
from evocrawl.core.config.crawl import CrawlOptions
from evocrawl.core.config.energy import DEFAULT_GAINS, EnergyOptions
from evocrawl.core.config.hints import nearest_option
from evocrawl.core.config.monitor import MonitorOptions
from evocrawl.core.config.option import Option
from evocrawl.core.config.politeness import PolitenessOptions
from evocrawl.core.config.population import DEFAULT_SPECIES, PopulationOptions
from evocrawl.core.config.presets import economy_of
from evocrawl.core.config.storage import StorageOptions
from evocrawl.core.config.traps import TrapOptions
from evocrawl.core.errors import SettingError, UnknownOptionError

PREFIX = "EVOCRAWL_"

_RELEVANT_AT = {True: 0.5, False: 0.12}
"""By `calibrated`: a chance, or a cosine of tf-idf vectors."""
_FOUNDERS, _LOWER, _UPPER = 20, 8, 60


# A dataclass takes the fields of its last base first: the options begin with CrawlOptions.
@dataclass(frozen=True, kw_only=True)
class Config(
    MonitorOptions,
    BrowserOptions,
    AdapterOptions,
    ClusterOptions,
    StorageOptions,
    TrapOptions,
    PolitenessOptions,
    EnergyOptions,
    PopulationOptions,
    CrawlOptions,
):
    """The options of a crawl. Names contain units; one unit of energy is what a founder gets."""

    @classmethod
    def read(cls, settings: Mapping[str, Any], arguments: Mapping[str, Any] | None = None) -> Self:
        """Return the options that settings and arguments set; ignore settings of other names.

        Raises SettingError for an unknown ``EVOCRAWL_`` setting or argument, a value out of
        range, or values that contradict each other.
        """
        options = options_by_name()
        values: dict[str, Any] = {}
        for name, raw, key in [
            *(
                (key[len(PREFIX) :].lower(), settings[key], key)
                for key in settings
                if _has_prefix(key)
            ),
            *((key, raw, key) for key, raw in (arguments or {}).items()),
        ]:
            is_setting = key != name
            if name not in options or (is_setting and not key.isupper()):
                raise _unknown(key, raw, options, is_setting=is_setting)
            values[name] = options[name].value(key, raw)
            is_empty = isinstance(raw, str) and (not raw.strip() or values[name] == ())
            if is_empty and not is_setting:
                # Usually a shell variable that is not set.
                allowed = f"{options[name].allowed}; omit an argument that has no value"
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
        if self.since and self.since == self.store:
            raise SettingError("since", self.since, "another file than that of `store`")
        if self.journal == "compact" and not self.snapshot_visits:
            raise SettingError("journal", self.journal, "whole where snapshot_visits is 0")
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
        """Return a copy in which options that depend on others are set."""
        gain, dead, refusal, browser = (
            cast("float | None", each)
            for each in (self.gain, self.dead_cost, self.refusal_cost, self.browser_cost)
        )
        agents, lower, upper = (
            cast("int | None", each) for each in (self.agents, self.lower_bound, self.upper_bound)
        )
        relevant_at = cast("float | None", self.relevant_at)
        upper = max(_UPPER, lower or 0, agents or 0) if upper is None else upper
        lower = min(_LOWER, upper, agents or upper) if lower is None else lower
        return replace(
            self,
            relevant_at=_RELEVANT_AT[self.calibrated] if relevant_at is None else relevant_at,
            gain=DEFAULT_GAINS[self.energy] if gain is None else gain,
            dead_cost=self.cost if dead is None else dead,
            refusal_cost=self.cost if refusal is None else refusal,
            browser_cost=self.cost if browser is None else browser,
            agents=min(max(_FOUNDERS, lower), upper) if agents is None else agents,
            lower_bound=lower,
            upper_bound=upper,
        )


def options_by_name() -> dict[str, Option]:
    """Return all options by name, in the order of declaration."""
    return {each.name: each.metadata["option"] for each in fields(Config)}


def _has_prefix(key: object) -> bool:
    return isinstance(key, str) and key.upper().startswith(PREFIX)


def _unknown(
    key: str, raw: object, options: Mapping[str, Option], *, is_setting: bool
) -> UnknownOptionError:
    """Return the error for an option of an unknown name; it names the nearest known one."""
    bare = key.lower().removeprefix(PREFIX.lower())
    near = nearest_option(bare, options)
    if not near:
        names = [f"{PREFIX}{each.upper()}" if is_setting else each for each in options]
        return UnknownOptionError(key, raw, ", ".join(names))
    name = f"{PREFIX}{near.upper()}" if is_setting else near
    if bare == "max_pages":
        return UnknownOptionError(key, raw, f"{name}: it counts requests, not pages")
    return UnknownOptionError(key, raw, f"did you mean {name}?")
