"""The connection to Redis: runs scripts by name, in batches, and translates errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha1
from ssl import SSLCertVerificationError
from typing import TYPE_CHECKING, Any, TypeAlias

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.keys import RedisAddress, mark_of
from evocrawl.store.cluster.redis.lua import GONE, KEPT, SOURCES

if TYPE_CHECKING:
    from evocrawl.store.cluster.redis.servers import Servers

Command: TypeAlias = tuple[Any, ...]
"""The name of a command, as redis-py names it, and its arguments; the first is a key."""

Call: TypeAlias = tuple[str, Sequence[str], Sequence[Any]]
"""A script's name, its keys, its arguments."""

_DIGESTS = {name: sha1(source.encode()).hexdigest() for name, source in SOURCES.items()}


class Unreachable(Exception):  # noqa: N818 - a passing condition, not an error
    """Redis cannot be reached, is loading, or has no master now: the caller may try again."""


class Connection:
    """A client of the Redis or the Redis Cluster at `place`, for use in one asyncio event loop.

    Raises StateError if redis-py is missing. Every method raises Unreachable if another try may
    succeed, and StateError if not.
    """

    def __init__(self, place: RedisAddress) -> None:
        try:
            from evocrawl.store.cluster.redis.servers import connect
        except ImportError as error:
            raise StateError(
                f"{place}: several workers need pip install 'evocrawl[redis]' ({error})"
            ) from error
        self.place = place
        self.epoch = ""
        """Identifies this crawl among all crawls that Redis has had under this name."""
        self._connect = partial(connect, place)
        self._servers: Servers | None = None
        self._connecting = asyncio.Lock()

    async def run(self, name: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """Run one script."""
        return (await self.run_all([(name, keys, arguments)]))[0]

    async def run_all(self, calls: Sequence[Call]) -> list[Any]:
        """Run scripts in one batch; reload and repeat all if Redis does not know one."""
        if not calls:
            return []
        with explained(self.place):
            answers = await self._run(calls)
            for answer in answers:
                if isinstance(answer, Exception):
                    raise self.gone() if str(answer).startswith(GONE) else answer
        return answers

    async def run_steps(self, steps: Sequence[Sequence[Call]]) -> list[Any]:
        """Run all scripts of a step before those of the next one; return all answers.

        A single Redis runs a batch in its order, so that one batch is enough.
        """
        with explained(self.place):
            servers = await self._connected()
        if servers.keeps_order:
            return await self.run_all([call for step in steps for call in step])
        return [answer for step in steps for answer in await self.run_all(step)]

    async def run_each(self, calls: Sequence[Call]) -> list[Any]:
        """Run scripts as `run_all`, but return Unreachable for each whose node fails."""
        with explained(self.place):
            found = await self._run(calls) if calls else []
        return [self._outcome(each) for each in found]

    def _outcome(self, answer: Any) -> Any:
        try:
            with explained(self.place):
                if isinstance(answer, Exception):
                    raise self.gone() if str(answer).startswith(GONE) else answer
        except Unreachable as error:
            return error
        return answer

    def gone(self) -> StateError:
        """Return the error for a crawl that Redis has lost."""
        return StateError(
            f"{self.place}: the crawl's state is gone: Redis was emptied, was restarted without "
            "its data, or has evicted some of it"
        )

    async def ask(self, command: str, *arguments: Any) -> Any:
        """Send one command on one key, as redis-py names it."""
        with explained(self.place):
            return await (await self._connected()).ask(command, *arguments)

    async def ask_all(self, commands: Sequence[Command], *, is_kept: bool = False) -> list[Any]:
        """Send commands in one batch, each on one key; see `Servers.batch`."""
        with explained(self.place):
            answers = await (await self._connected()).batch(commands, is_kept=is_kept)
            for answer in answers:
                if isinstance(answer, Exception):
                    raise answer
        return answers

    async def infos(self) -> list[dict[str, Any]]:
        """Return INFO of each server that responds."""
        with explained(self.place):
            return await (await self._connected()).infos()

    async def scan_hash(self, key: str, most: int) -> AsyncIterator[list[tuple[bytes, bytes]]]:
        """Read a hash in batches of about `most`, as (field, value); a field may come twice."""
        with explained(self.place):
            async for batch in (await self._connected()).scan_hash(key, most):
                yield batch

    async def close(self) -> None:
        """Close the connection."""
        if self._servers is not None:
            with explained(self.place):
                await self._servers.close()

    async def _connected(self) -> Servers:
        """Return the servers of the crawl, which the first command finds. Raises as redis-py."""
        if self._servers is None:
            async with self._connecting:
                if self._servers is None:
                    self._servers = await self._connect()
        return self._servers

    async def _run(self, calls: Sequence[Call]) -> list[Any]:
        servers = await self._connected()
        epoch = self.epoch
        commands = [
            ("evalsha", _DIGESTS[name], len(keys) + 1, *keys, mark_of(keys[0]), *arguments, epoch)
            for name, keys, arguments in calls
        ]
        is_kept = any(name in KEPT for name, _, _ in calls)
        answers = await servers.batch(commands, is_kept=is_kept)
        if any(map(_is_forgotten, answers)):
            await servers.load(SOURCES.values())
            answers = await servers.batch(commands, is_kept=is_kept)
        return answers


@contextmanager
def explained(place: RedisAddress) -> Iterator[None]:
    """Turn errors of redis-py into Unreachable or StateError, without the URL."""
    from redis import exceptions

    passing = (
        exceptions.ConnectionError, exceptions.TimeoutError, exceptions.ReadOnlyError, OSError,
        exceptions.ClusterDownError, exceptions.AskError, exceptions.TryAgainError, TimeoutError,
    )  # fmt: skip
    try:
        yield
    except (exceptions.AuthenticationError, exceptions.NoPermissionError) as error:
        raise StateError(f"{place}: {error}") from None
    except passing as error:
        if (distrust := _distrust(error)) is not None:
            raise StateError(
                f"{place}: its certificate is not trusted ({distrust.verify_message}); name the "
                "file of its certificate authority by ssl_ca_certs=FILE in the address"
            ) from None
        raise Unreachable(f"{place}: {error or type(error).__name__}") from None
    except (exceptions.RedisError, ValueError, TypeError) as error:
        raise StateError(f"{place}: {error}") from None


def _distrust(error: BaseException | None) -> SSLCertVerificationError | None:
    """Return the certificate error that caused `error`; None if there is none."""
    while error is not None and not isinstance(error, SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error


def _is_forgotten(answer: object) -> bool:
    from redis.exceptions import NoScriptError

    return isinstance(answer, NoScriptError)
