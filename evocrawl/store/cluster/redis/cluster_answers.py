"""Reads commands and answers of a Redis Cluster: keys, errors, and confirmations of replicas."""

from __future__ import annotations

from typing import Any, TypeAlias

from redis import exceptions as errors

Command: TypeAlias = tuple[Any, ...]
"""The name of a command, as redis-py names it, and its arguments."""

_BY_CODE = {
    "MOVED": errors.MovedError,
    "ASK": errors.AskError,
    "TRYAGAIN": errors.TryAgainError,
    "CLUSTERDOWN": errors.ClusterDownError,
}


def key_of(command: Command) -> str:
    """Return the first key of a command."""
    name, first, *more = command
    if name == "evalsha":
        return str(more[1])
    return str(next(iter(first)) if name == "xread" else first)


def recognized(answer: Any) -> Any:
    """Return an answer; an error of a cluster by its class, which old versions of redis-py omit."""
    if isinstance(answer, errors.ResponseError):
        code, _, what = str(answer).partition(" ")
        if code in _BY_CODE:
            return _BY_CODE[code](what)
    return answer


def check_kept(replicas: Any) -> None:
    """Raise an error unless the answer to WAIT counts a replica that has confirmed the changes."""
    if isinstance(replicas, Exception):
        raise replicas
    if not replicas:
        raise errors.ConnectionError("no replica has confirmed a change in time")
