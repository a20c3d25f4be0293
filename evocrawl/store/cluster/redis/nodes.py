"""Sends commands to the nodes of a Redis Cluster that serve their keys.

A batch goes to all its nodes at once. A node that no longer serves a slot names the one that does:
MOVED holds for all later commands, ASK for one command while a slot is being moved. TRYAGAIN means
that the keys of a script are on two nodes for a moment.

A primary confirms a change before its replicas have it. If it fails then, the replica that takes
over does not know the change: a link that was found could be lost, or a page be fetched twice.
So a batch that is to be kept ends with WAIT at each node with replicas: it counts as sent when one
replica has it, too. Without this confirmation the batch fails, and its sender repeats it.
"""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from time import monotonic as clock_s
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from redis import exceptions as errors

from evocrawl.core.errors import StateError
from evocrawl.store.cluster.redis.cluster_answers import Command, check_kept, key_of, recognized
from evocrawl.store.cluster.redis.keys import RedisAddress
from evocrawl.store.cluster.redis.node import ASKING, Node
from evocrawl.store.cluster.redis.slots import Address, SlotMap

Redirection: TypeAlias = tuple[Address, bool]
"""A node, and whether the command follows an ASK, and so needs ASKING before it."""

_MOST_ROUNDS = 16
_PAUSE_S = 0.05
_WAIT_MS = 1000
_REPLICAS_S = 5.0
"""Seconds after which the slots are read again, while a primary has no replica."""
_FAILURES = (errors.ConnectionError, errors.TimeoutError, errors.ClusterDownError, OSError)
_REDIRECTED = (errors.AskError, errors.TryAgainError)
"""MovedError is an AskError."""


class ClusterNodes:
    """The nodes of the Redis Cluster at `place`; `new_client` makes a client for a URL.

    Every method raises the errors of redis-py.
    """

    keeps_order = False

    def __init__(self, place: RedisAddress, new_client: Callable[[str], Any]) -> None:
        self._place = place
        self._new_client = new_client
        self._nodes: dict[Address, Node] = {}
        self._slots = SlotMap()
        self._is_current = False
        self._failed: set[Address] = set()
        """Nodes that failed since the last look at the slots: these are asked last."""
        self._named: Address | None = None
        """The node that the latest MOVED has named: it is asked first."""
        self._looking = asyncio.Lock()
        self._looks_at_s = math.inf
        """When to read the slots again, in case a primary without a replica has got one."""

    async def batch(self, commands: Sequence[Command], *, is_kept: bool = False) -> list[Any]:
        """Send commands; return the answer or the error of each.

        Commands on keys of one slot run in their order. If `is_kept`, a replica has the changes of
        each node, too.
        """
        answers: list[Any] = [None] * len(commands)
        pending = list(range(len(commands)))
        asked: Mapping[int, Redirection] = {}
        for _ in range(_MOST_ROUNDS):
            await self._look()
            await self._round(commands, pending, asked, answers, is_kept=is_kept)
            pending = [each for each in pending if isinstance(answers[each], _REDIRECTED)]
            if not pending:
                break
            asked = self._asked(commands, pending, answers)
            if any(isinstance(answers[each], errors.TryAgainError) for each in pending):
                await asyncio.sleep(_PAUSE_S)
        return answers

    async def ask(self, *command: Any) -> Any:
        """Send one command and return its answer."""
        answer = (await self.batch([command]))[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def load(self, scripts: Iterable[str]) -> None:
        """Load scripts into all primaries."""
        await self._look()
        commands = [("script_load", each) for each in scripts]
        sent = [self._send(each, commands) for each in self._slots.replicas]
        for answer in (each for answers in await asyncio.gather(*sent) for each in answers):
            if isinstance(answer, Exception):
                raise answer

    async def scan_hash(self, key: str, most: int) -> AsyncIterator[list[tuple[bytes, bytes]]]:
        """Read a hash in batches of about `most`, as (field, value); a field may come twice.

        A cursor holds for one node. If another node takes the key over, all is read again.
        """
        await self._look()
        cursor, node, rounds = 0, self._owner(("hscan", key)), _MOST_ROUNDS
        while True:
            await self._look()
            if node != (owner := self._owner(("hscan", key))):
                cursor, node = 0, owner
            answer = (await self._send(node, [("hscan", key, cursor, None, most)]))[0]
            if isinstance(answer, errors.MovedError) and rounds:
                self._is_current, rounds = False, rounds - 1
            elif isinstance(answer, _REDIRECTED):
                yield list((await self.ask("hgetall", key)).items())
                return
            elif isinstance(answer, Exception):
                raise answer
            else:
                cursor, found = answer
                yield list(found.items())
                if not cursor:
                    return

    async def infos(self) -> list[dict[str, Any]]:
        """Return INFO of each node that responds."""
        await self._look()
        sent = [self._node(each).client.info() for each in self._slots.addresses()]
        found = await asyncio.gather(*sent, return_exceptions=True)
        refused = [each for each in found if isinstance(each, errors.NoPermissionError)]
        if refused:
            raise refused[0]
        return [each for each in found if isinstance(each, dict)]

    async def close(self) -> None:
        """Close all connections."""
        nodes = list(self._nodes.values())
        self._nodes.clear()
        await asyncio.gather(*(each.close() for each in nodes))

    async def _round(
        self,
        commands: Sequence[Command],
        places: Sequence[int],
        asked: Mapping[int, Redirection],
        answers: list[Any],
        *,
        is_kept: bool,
    ) -> None:
        """Send the commands at `places` once; those in `asked` to the node that was named."""
        groups: dict[tuple[Address, bool], list[int]] = defaultdict(list)
        for place in places:
            target = asked.get(place)
            groups[target or (self._owner(commands[place]), False)].append(place)
        sent = [
            self._send(address, [commands[each] for each in group], is_asking, is_kept)
            for (address, is_asking), group in groups.items()
        ]
        for group, found in zip(groups.values(), await asyncio.gather(*sent), strict=True):
            for place, answer in zip(group, found, strict=True):
                answers[place] = answer

    async def _send(
        self,
        address: Address,
        commands: Sequence[Command],
        is_asking: bool = False,
        is_kept: bool = False,
    ) -> list[Any]:
        """Send commands to one node; return the answer or the error of each.

        If the node fails, or no replica confirms in time, that is the error of all.
        """
        if is_asking:
            sent = [each for command in commands for each in (ASKING, command)]
        else:
            sent = list(commands)
        waits = is_kept and bool(self._slots.replicas.get(address))
        if waits:
            sent.append(("wait", 1, _WAIT_MS))
        try:
            answers = [recognized(each) for each in await self._node(address).batch(sent)]
            if waits:
                check_kept(answers.pop())
        except (errors.RedisError, OSError) as error:
            self._note_failure(address)
            return [error] * len(commands)
        if is_asking:
            pairs = zip(answers[::2], answers[1::2], strict=True)
            answers = [first if isinstance(first, Exception) else answer for first, answer in pairs]
        if any(isinstance(each, errors.ClusterDownError) for each in answers):
            self._note_failure(address)
        return answers

    def _asked(
        self, commands: Sequence[Command], places: Sequence[int], answers: Sequence[Any]
    ) -> dict[int, Redirection]:
        """Return the nodes that redirections name, by place.

        The slots are read again after MOVED, but the node read may learn of a change later than the
        one that redirects.
        """
        asked = {}
        for place in places:
            answer = answers[place]
            if not isinstance(answer, errors.AskError):
                continue
            is_moved = isinstance(answer, errors.MovedError)
            host = answer.host or self._owner(commands[place])[0]
            asked[place] = (host, answer.port), not is_moved
            if is_moved:
                self._is_current, self._named = False, (host, answer.port)
        return asked

    def _note_failure(self, address: Address) -> None:
        self._failed.add(address)
        self._is_current = False

    async def _look(self) -> None:
        """Read which node serves which slot, unless that is known."""
        self._is_current &= clock_s() < self._looks_at_s
        if self._is_current:
            return
        async with self._looking:
            if not self._is_current:
                await self._read_slots()

    async def _read_slots(self) -> None:
        named = [address_of(url) for url in self._place.urls]
        first = [] if self._named is None else [self._named]
        nodes = list(dict.fromkeys([*first, *self._slots.addresses(), *named]))
        nodes.sort(key=self._failed.__contains__)
        failure: Exception | None = None
        for address in nodes:
            try:
                rows = await self._node(address).client.execute_command("CLUSTER SLOTS")
                self._slots = SlotMap.read(rows, address)
            except _FAILURES as error:
                self._failed.add(address)
                failure = error
            except ValueError as error:
                raise StateError(f"{self._place}: {error}") from None
            else:
                self._is_current = True
                is_safe = all(self._slots.replicas.values())
                self._looks_at_s = math.inf if is_safe else clock_s() + _REPLICAS_S
                self._failed.clear()
                await self._drop_nodes({*self._slots.addresses(), *named})
                return
        assert failure is not None
        raise failure

    async def _drop_nodes(self, kept: set[Address]) -> None:
        for address in [each for each in self._nodes if each not in kept]:
            await self._nodes.pop(address).close()

    def _owner(self, command: Command) -> Address:
        owner = self._slots.owner_of(key_of(command))
        if owner is None:
            self._is_current = False
            raise errors.ClusterDownError("no node serves a slot of the crawl")
        return owner

    def _node(self, address: Address) -> Node:
        node = self._nodes.get(address)
        if node is None:
            client = self._new_client(self._place.at(*address))
            node = self._nodes[address] = Node(client)
        return node


def address_of(url: str) -> Address:
    """Return host and port of a URL."""
    parts = urlsplit(url)
    return parts.hostname or "localhost", parts.port or 6379
