"""The connection to Redis: runs scripts by name, in batches, and translates errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha1
from ssl import SSLCertVerificationError
from typing import Any, TypeAlias

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.keys import RedisAddress, mark_of
from evocrawl.store.cluster.redis.lua import GONE, SOURCES

Call: TypeAlias = tuple[str, Sequence[str], Sequence[Any]]
"""A script's name, its keys, its arguments."""

TIMEOUT_S = 5.0
"""A response that takes longer counts as a lost connection."""

_DIGESTS = {name: sha1(source.encode()).hexdigest() for name, source in SOURCES.items()}


class Unreachable(Exception):  # noqa: N818 - a passing condition, not an error
    """Redis cannot be reached, is loading, or has no master now: the caller may try again."""


class Connection:
    """A client of the Redis at `place`, for use in one asyncio event loop.

    Raises StateError if redis-py is missing. Every method raises Unreachable if another try may
    succeed, and StateError if not.
    """

    def __init__(self, place: RedisAddress) -> None:
        try:
            from redis import asyncio as client
        except ImportError as error:
            raise StateError(
                f"{place}: several workers need pip install 'evocrawl[redis]' ({error})"
            ) from error
        self.place = place
        self.epoch = ""
        """Identifies this crawl among all crawls that Redis has had under this name."""
        with explained(place):
            self.client: Any = client.Redis.from_url(
                place.url, socket_timeout=TIMEOUT_S, retry=None, **connecting(place)
            )

    async def run(self, name: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """Run one script."""
        return (await self.run_all([(name, keys, arguments)]))[0]

    async def run_all(self, calls: Sequence[Call]) -> list[Any]:
        """Run scripts in one batch; reload and repeat all if Redis does not know one."""
        if not calls:
            return []
        with explained(self.place):
            answers = await self._round(calls)
            if any(_is_forgotten(each) for each in answers):
                for source in SOURCES.values():
                    await self.client.script_load(source)
                answers = await self._round(calls)
            for answer in answers:
                if isinstance(answer, Exception):
                    raise self.gone() if str(answer).startswith(GONE) else answer
        return answers

    def gone(self) -> StateError:
        """Return the error for a crawl that Redis has lost."""
        return StateError(
            f"{self.place}: the crawl's state is gone: Redis was emptied, was restarted without "
            "its data, or has evicted some of it"
        )

    async def ask(self, command: str, *arguments: Any) -> Any:
        """Send one command, as redis-py names it."""
        with explained(self.place):
            return await getattr(self.client, command)(*arguments)

    async def ask_all(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Send commands in one batch."""
        with explained(self.place):
            pipe = self.client.pipeline(transaction=False)
            for command, *arguments in commands:
                getattr(pipe, command)(*arguments)
            return list(await pipe.execute())

    async def close(self) -> None:
        """Close the connection."""
        with explained(self.place):
            await self.client.aclose()

    async def _round(self, calls: Sequence[Call]) -> list[Any]:
        pipe = self.client.pipeline(transaction=False)
        for name, keys, arguments in calls:
            mark = mark_of(keys[0])
            pipe.evalsha(_DIGESTS[name], len(keys) + 1, *keys, mark, *arguments, self.epoch)
        return list(await pipe.execute(raise_on_error=False))


def connecting(place: RedisAddress) -> dict[str, Any]:
    """Return the connection options of redis-py for `place`; its address may override them."""
    options: dict[str, Any] = {"socket_connect_timeout": TIMEOUT_S}
    if place.url.startswith("rediss:"):
        # The default since redis-py 6; earlier versions accept any trusted certificate.
        options |= {"ssl_cert_reqs": "required", "ssl_check_hostname": True}
    return options


@contextmanager
def explained(place: RedisAddress) -> Iterator[None]:
    """Turn errors of redis-py into Unreachable or StateError, without the URL."""
    from redis import exceptions

    passing = (
        exceptions.ConnectionError, exceptions.TimeoutError, exceptions.ReadOnlyError, OSError,
        exceptions.ClusterDownError, TimeoutError,
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
