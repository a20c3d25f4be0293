"""The changes of users in a crawl of several workers, as rows in Redis.

Redis keeps the changes in the order in which they were made, and every worker applies them in this
order: earlier changes when it joins, and later ones with its heartbeats.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from secrets import token_hex
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from evocrawl.core.urls.identity import host_of, identity
from evocrawl.population.exclusions import readable_pattern

MOST_BYTES = 1 << 16
PARAMETERS = ("max_requests", "lower_bound", "upper_bound", "cost", "gain")
RunState = Literal["running", "paused", "stopping"]
_MOST = 1e12


def _new_id() -> str:
    return token_hex(8)


@dataclass(frozen=True, slots=True)
class RunBegan:
    """A worker joined while no other was alive: pause, stop and `max_requests` before are over.

    `max_requests` is that of the worker, 0 without a limit.
    """

    kind: ClassVar[str] = "run"
    max_requests: int = 0
    id: str = field(default_factory=_new_id)


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The workers go on, pause or stop."""

    kind: ClassVar[str] = "state"
    state: RunState
    id: str = field(default_factory=_new_id)


@dataclass(frozen=True, slots=True)
class ParametersGiven:
    """Some parameters of the crawl were changed; see `Parameters`. `max_requests` 0: no limit."""

    kind: ClassVar[str] = "parameters"
    values: dict[str, float]
    id: str = field(default_factory=_new_id)


@dataclass(frozen=True, slots=True)
class PatternExcluded:
    """A host or a pattern of addresses was excluded; see `Exclusions`."""

    kind: ClassVar[str] = "exclude"
    pattern: str
    id: str = field(default_factory=_new_id)


@dataclass(frozen=True, slots=True)
class PageMarked:
    """The page `key` (hexadecimal fingerprint) at `url` was marked as relevant, or as not."""

    kind: ClassVar[str] = "mark"
    url: str
    key: str
    relevant: bool
    id: str = field(default_factory=_new_id)


@dataclass(frozen=True, slots=True)
class WorkerDrained:
    """The worker `session` finishes what is under way, releases its hosts and leaves the crawl."""

    kind: ClassVar[str] = "drain"
    session: str
    id: str = field(default_factory=_new_id)


Change: TypeAlias = (
    RunBegan | StateChanged | ParametersGiven | PatternExcluded | PageMarked | WorkerDrained
)
_KINDS: dict[str, type[Change]] = {each.kind: each for each in get_args(Change)}


def pack_change(change: Change) -> str:
    """Return the row of a change."""
    return json.dumps({"kind": change.kind, **asdict(change)}, allow_nan=False)


def unpack_change(packed: bytes) -> Change:
    """Return the change of a row. Raises ValueError: any client of Redis can write any row."""
    if len(packed) > MOST_BYTES:
        raise ValueError("a change is too large")
    try:
        row = json.loads(packed)
        change = _KINDS[row.pop("kind")](**row)
        _check(change)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"a change cannot be read: {error!r}") from error
    return change


def _check(change: Change) -> None:
    _hold(isinstance(change.id, str) and len(change.id) <= 64, "its id")
    match change:
        case RunBegan(max_requests):
            _hold(isinstance(max_requests, int) and _is_number(max_requests), "its max_requests")
        case StateChanged(state):
            _hold(state in get_args(RunState), "its state")
        case ParametersGiven(values):
            _hold(isinstance(values, dict) and set(values) <= set(PARAMETERS), "its parameters")
            _hold(all(map(_is_number, values.values())), "the value of a parameter")
        case PatternExcluded(pattern):
            readable_pattern(pattern)
        case PageMarked(url, key, relevant):
            identity(url)
            _hold(bool(host_of(url)) and 12 <= len(bytes.fromhex(key)) <= 64, "its page")
            _hold(isinstance(relevant, bool), "its mark")
        case WorkerDrained(session):
            _hold(isinstance(session, str) and re.fullmatch(r"[0-9]{1,18}", session), "its worker")


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and 0 <= value <= _MOST


def _hold(is_valid: object, what: str) -> None:
    if not is_valid:
        raise ValueError(f"a change cannot be read: {what} is invalid")
