"""Controls a crawl of several workers from outside, through Redis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.core.model import AgentId, VisitId
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.monitor.dashboard.source import ControlError, Row
from evocrawl.monitor.record import Record
from evocrawl.population.exclusions import check_room, readable_pattern
from evocrawl.population.steering import Parameters
from evocrawl.species.reasons import Trait
from evocrawl.store.cluster.redis.changes import (
    Change,
    PageMarked,
    ParametersGiven,
    PatternExcluded,
    RunBegan,
    RunState,
    StateChanged,
)
from evocrawl.store.cluster.redis.remote_steering import RemoteSteering

_PERIOD_S = 0.5


class StoreControls:
    """Controls by the store; see `evocrawl.monitor.dashboard.source.Controls`.

    They work while a worker is alive; each worker applies a change within a second or two. `state`
    is "stopped" if no worker is alive, "finished" if the crawl has ended.
    """

    def __init__(
        self,
        steering: RemoteSteering,
        about: Mapping[str, Any],
        record: Record,
        now_s: Callable[[], float],
    ) -> None:
        self._steering = steering
        self._record = record
        self._now_s = now_s
        has_bounds = bool(about.get("buffer", True))
        self._now = Parameters(
            None,
            int(about["lower_bound"]) if has_bounds else 0,
            int(about["upper_bound"]) if has_bounds else None,
            float(about["cost"]),
            float(about["gain"]),
        )
        self._patterns: list[str] = []
        self._run: RunState = "running"
        self._marks: set[str] = set()
        self._state = "stopped"
        self._looks_at_s = float("-inf")

    @property
    def state(self) -> str:
        """ "running", "paused", "stopping", "stopped" or "finished"."""
        self._look()
        return self._state

    def parameters(self) -> Row:
        """Return the parameters of the crawl; none if no worker is alive."""
        self._look()
        return self._now.values() if self._is_live else {}

    def exclusions(self) -> list[str]:
        """Return the hosts and patterns that are excluded."""
        self._look()
        return list(self._patterns)

    def traits(self, agent: AgentId) -> Sequence[Trait]:  # noqa: ARG002 - the protocol's form
        """Return nothing: agents are known to their worker only."""
        return ()

    def stop(self) -> None:
        """End the crawl of all workers."""
        self._send(StateChanged("stopping"))

    def pause(self) -> None:
        """Pause all workers: they send no further request."""
        self._send(StateChanged("paused"))

    def resume(self) -> None:
        """Continue all workers after `pause`."""
        self._send(StateChanged("running"))

    def change(self, values: Mapping[str, Any]) -> Row:
        """Change parameters; return all of them."""
        self._look()
        try:
            known = self._now.changed(values).values()
        except ValueError as error:
            raise ControlError(str(error)) from None
        self._send(ParametersGiven({name: known[name] for name in values}))
        return known

    def exclude(self, pattern: str) -> None:
        """Exclude a host, or addresses that match a pattern, in all workers."""
        try:
            readable = readable_pattern(pattern)
            check_room(self._patterns)
        except ValueError as error:
            raise ControlError(str(error)) from None
        self._send(PatternExcluded(readable))

    def exclude_line(self, agent: AgentId) -> None:  # noqa: ARG002
        """Raise ControlError."""
        raise ControlError("an agent's line is excluded on the dashboard of its own worker")

    def mark(self, visit: VisitId, *, relevant: bool) -> Row:
        """Teach all workers that a page is relevant, or is not."""
        result = self._record.results.get(visit)
        assert result is not None
        host, key = host_of(result.url), fingerprint(result.url).hex()
        if not self._steering.has_page(host, key):
            raise ControlError("the text of this page is not kept")
        self._send(PageMarked(result.url, key, relevant))
        word = "relevant" if relevant else "not relevant"
        return {
            "marks": len(self._marks),
            "harvest_before": None,
            "message": f"The workers learn that this page is {word}; they rank the waiting links "
            "again.",
        }

    @property
    def _is_live(self) -> bool:
        return self._state in ("running", "paused", "stopping")

    def _send(self, change: Change) -> None:
        self._look()
        if self._state not in ("running", "paused"):
            raise ControlError(f"the crawl is {self._state}: no worker would get the change")
        self._steering.send(change)
        self._looks_at_s = float("-inf")
        self._look()

    def _look(self) -> None:
        """Read new changes, twice a second at most."""
        if self._now_s() < self._looks_at_s:
            return
        self._looks_at_s = self._now_s() + _PERIOD_S
        try:
            for change in self._steering.new_changes():
                self._note(change)
            if self._steering.workers():
                self._state = self._run
            else:
                self._state = "finished" if self._steering.has_ended() else "stopped"
        except StateError:
            self._state = "stopped"  # Redis does not respond now

    def _note(self, change: Change) -> None:
        match change:
            case RunBegan(max_requests):
                self._run = "running"
                self._now = replace(self._now, max_requests=max_requests or None)
            case StateChanged(state):
                self._run = state
            case ParametersGiven(values):
                with suppress(ValueError):  # the workers put such a change aside
                    self._now = self._now.changed(values)
            case PatternExcluded(pattern):
                if pattern not in self._patterns:
                    self._patterns.append(pattern)
            case PageMarked(url, _, relevant):
                self._marks.add(url)
                result = self._record.results.of_url(url)
                if result is not None:
                    self._record.results.mark(result.visit, relevant)
