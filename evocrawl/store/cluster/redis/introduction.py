"""Creates a crawl in Redis, or checks that the existing one is the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from secrets import token_hex
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.codec import SCHEMA, pack_about
from evocrawl.store.cluster.redis.connection import Connection
from evocrawl.store.cluster.redis.keys import SHARDS, KeyNames, RedisAddress


async def introduce(connection: Connection, layout: KeyNames, about: Mapping[str, Any]) -> None:
    """Create the crawl that `about` describes or compare it with the stored one; read its epoch.

    Raises StateError if another crawl has that name, naming each difference, and if Redis holds
    only parts of a crawl.
    """
    key, packed = layout.whole("about"), pack_about(dict(about))
    if await connection.ask("get", key) is None:
        await _begin(connection, layout, packed)
    _compare(connection.place, await connection.ask("get", key), json.loads(packed))
    epoch = await connection.ask("hget", layout.whole("mark"), "epoch")
    connection.epoch = (epoch or b"").decode(errors="replace")


async def _begin(connection: Connection, layout: KeyNames, about: str) -> None:
    """Mark every slot, then store the identity, so that others find a complete crawl."""
    mark, key = layout.whole("mark"), layout.whole("about")
    kept = partial(connection.ask_all, is_kept=True)
    await kept([("hsetnx", mark, "epoch", token_hex(8))])
    epoch = await connection.ask("hget", mark, "epoch")
    shards = [layout.shard(shard, "mark") for shard in range(SHARDS)]
    await kept([("hsetnx", each, "epoch", epoch) for each in shards])
    known = await connection.ask_all([("hget", each, "epoch") for each in shards])
    had_workers = await connection.ask("hexists", mark, "sessions")
    if await connection.ask("get", key) is None and (had_workers or set(known) != {epoch}):
        raise connection.gone()
    await kept([("setnx", key, about)])


def _compare(place: RedisAddress, packed: bytes | None, given: dict[str, Any]) -> None:
    try:
        known = json.loads(packed or b"")
    except ValueError:
        known = None
    if not isinstance(known, dict):
        raise StateError(f"{place}: not a state of evocrawl")
    if known.get("schema") != SCHEMA:
        raise StateError(
            f"{place}: its rows are of version {known.get('schema')!r}, this evocrawl knows "
            f"{SCHEMA}"
        )
    differing = [
        f"{name} was {_shown(known, name)}, is {_shown(given, name)}"
        for name in sorted({*known, *given})
        if known.get(name) != given.get(name)
    ]
    if differing:
        raise StateError(f"{place}: the state of another crawl: {'; '.join(differing)}")


def _shown(about: Mapping[str, Any], name: str) -> str:
    return json.dumps(about[name])[:500] if name in about else "not set"
