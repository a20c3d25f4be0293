"""Sends batches of commands to one server.

Nearly all batches consist of scripts. These go over connections of redis-py, but not through its
pipelines: with a time limit for each batch in place of one for each answer, and without a look at
arguments and answers that scripts do not need, a batch takes a third of the processor time alone,
and two thirds in a crawl.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from redis import exceptions as errors

from evocrawl.store.cluster.redis.cluster_answers import Command

TIMEOUT_S = 5.0
"""A response that takes longer counts as a lost connection."""

ASKING = ("asking",)
_AS_SENT = frozenset(("evalsha", "asking", "wait"))
"""Commands whose arguments are sent, and whose answers are returned, as they are."""


class Node:
    """One server; `client` is redis-py's. Every method raises the errors of redis-py."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._idle: list[Any] = []
        """Connections for scripts that no batch uses now."""
        self._is_closed = False

    async def batch(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands in one round trip; return the answer or the error of each, in order."""
        if all(name in _AS_SENT for name, *_ in commands):
            return await self._send(commands)
        pipe = self.client.pipeline(transaction=False)
        for name, *arguments in commands:
            if name in _AS_SENT:
                pipe.execute_command(name.upper(), *arguments)
            else:
                getattr(pipe, name)(*arguments)
        return list(await pipe.execute(raise_on_error=False))

    async def close(self) -> None:
        """Close all connections; those in use after their batch."""
        self._is_closed = True
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.disconnect()
        await self.client.aclose()

    async def _send(self, commands: Sequence[Command]) -> list[Any]:
        connection = self._idle.pop() if self._idle else self._new()
        try:
            async with asyncio.timeout(TIMEOUT_S):
                if connection.is_connected and await _has_ended(connection):
                    await connection.disconnect(nowait=True)
                await connection.send_packed_command(packed(commands), check_health=False)
                answers = [await _answer(connection) for _ in commands]
        except TimeoutError:
            await connection.disconnect(nowait=True)
            raise errors.TimeoutError(f"no response for {TIMEOUT_S:g} seconds") from None
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        if self._is_closed:
            await connection.disconnect(nowait=True)
        else:
            self._idle.append(connection)
        return answers

    def _new(self) -> Any:
        connection = self.client.connection_pool.make_connection()
        connection.socket_timeout = None
        return connection


def packed(commands: Sequence[Command]) -> bytes:
    r"""Return commands as a server reads them.

    >>> packed([("evalsha", "ab", 1)])
    b'*3\r\n$7\r\nevalsha\r\n$2\r\nab\r\n$1\r\n1\r\n'
    """
    lines = list[bytes]()
    add = lines.append
    for command in commands:
        add(b"*%d" % len(command))
        for each in command:
            value = each if isinstance(each, bytes) else str(each).encode()
            add(b"$%d" % len(value))
            add(value)
    add(b"")
    return b"\r\n".join(lines)


async def _has_ended(connection: Any) -> bool:
    """Return True if the server has closed a connection that no batch uses."""
    look = getattr(connection, "can_read", None) or connection.can_read_destructive
    try:
        return bool(await look())
    except (errors.ConnectionError, OSError):
        return True


async def _answer(connection: Any) -> Any:
    try:
        return await connection.read_response()
    except errors.ResponseError as error:
        return error
