"""A worker of a crawl that several share: what it does beside crawling, all of it asynchronous."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from evocrawl.core.errors import StateError
from evocrawl.population.population import Population
from evocrawl.store.cluster.host_leases import HostLeases
from evocrawl.store.cluster.lease_table import LeaseTable
from evocrawl.store.cluster.news_reader import NewsReader
from evocrawl.store.cluster.population_sync import PopulationSync
from evocrawl.store.cluster.quotas import BudgetQuota, ClusterTerms, bounds_per_worker
from evocrawl.store.cluster.redis.board import HUNGRY, IDLE, ClusterState, Worker
from evocrawl.store.cluster.redis.codec import RowCodec
from evocrawl.store.cluster.redis.commands import RedisCommands
from evocrawl.store.cluster.redis.connection import Connection, Unreachable
from evocrawl.store.cluster.redis.keys import KeyNames, RedisAddress
from evocrawl.store.cluster.redis.outbox import Outbox
from evocrawl.store.cluster.redis.persistence_check import Keeping
from evocrawl.store.cluster.rule_exchange import RuleExchange
from evocrawl.store.cluster.tasks import BackgroundTasks
from evocrawl.store.cluster.termination import TerminationDetector
from evocrawl.store.journal.codec import Payloads

logger = logging.getLogger(__name__)

_PULSE_S, _SLOWEST_PULSE_S = 0.1, 1.0
_JOIN_PAUSE_S = 0.5
_LONGEST_BEAT_S = 1.0


class ClusterWorker:
    """Gives signs of life, tells and hears news, shares budget and bounds, finds out about the end.

    `fail` is called with the error that ends it all; `has_more` says whether this worker is still
    at something that may bring links, `wake` is called when there may be something to choose.
    """

    def __init__(
        self, place: RedisAddress, population: Population, payloads: Payloads, terms: ClusterTerms
    ) -> None:
        self.place = place
        self.population = population
        self.ended: str | None = None
        self.has_more: Callable[[], bool] = lambda: False
        self.wake: Callable[[], None] = lambda: None
        self.fail: Callable[[StateError], None] = lambda _: None
        self._terms = terms
        self._rows = RowCodec(payloads)
        connection = self._connection = Connection(place)
        board = self._board = ClusterState(connection, round(1000 * terms.lease_s))
        territory = self._territory = LeaseTable(terms.lease_s)
        self._ration = BudgetQuota(population.environment.budget, board, terms.limit)
        self._calls = RedisCommands(self._rows, KeyNames(place.name))
        tasks = self._tasks = BackgroundTasks(f"{place}", lambda error: self.fail(error))
        self.holdings = HostLeases(
            board, self._rows, territory, tasks.begin, self._reached, lambda: self.colony
        )
        self.colony = PopulationSync(population, territory, self._calls, self._put, self._ask)
        self._keeping = Keeping(connection)
        self._ending = TerminationDetector(board, population, self._ration, self.holdings)
        self._advice = RuleExchange(board, self._rows, population, self.holdings)
        self._hearing = NewsReader(board, self._rows, self.colony, self.holdings)
        self._outbox = Outbox(connection, population.max_unsettled, self._fenced, self._reached)
        self._living: dict[str, Worker] = {}
        self._silent_since_s: float | None = None
        self._is_closing = self._is_sharing = False
        self._scan_pause_s, self._scans_at_s = _PULSE_S, 0.0

    @property
    def session(self) -> str:
        """This worker's number."""
        return self._board.session

    @property
    def may_choose(self) -> bool:
        """False while new visits should wait: Redis does not answer, or all is over."""
        is_over = self.ended is not None or self._is_closing
        return not is_over and self._silent_since_s is None and not self._outbox.full

    def may_send(self, host: str, *, is_visit: bool) -> bool:
        """Return whether a request for `host` may go out now.

        Those of visits to own hosts, while the lease holds; and what is no visit, unless it is for
        a host whose lease has run out.
        """
        if host in self._territory.leases:
            return self._territory.is_ours(host)
        return not is_visit

    async def cleared(self, host: str, *, is_visit: bool) -> bool:
        """Return the same, once it is certain: a lease that ran out is renewed, or is lost."""
        while not self.may_send(host, is_visit=is_visit):
            if host not in self._territory.leases or self._is_closing:
                return False
            await asyncio.sleep(_PULSE_S)
        return True

    def counts(self) -> dict[str, int]:
        """Return what is to be told of sharing, by name."""
        return {
            "fenced": self.colony.fenced,
            "poisoned": self.holdings.poisoned,
            "taken_over": self.holdings.taken_over,
        }

    async def join(self, about: Mapping[str, Any]) -> str | None:
        """Become one of the crawl's workers; return why it is over, None where it is not.

        Raises StateError where that is another crawl, or Redis cannot be reached.
        """
        self.holdings.wake = self.wake
        try:
            async with asyncio.timeout(self._terms.timeout_s):
                while not await self._try_to_join(about):
                    await asyncio.sleep(_JOIN_PAUSE_S)
        except TimeoutError:
            raise self._no_answer() from None
        return self.ended

    def start(self) -> None:
        """Begin to work."""
        for work in (self._outbox.run, self._live, self._keep_beating):
            self._tasks.begin(work)

    async def close(self) -> None:
        """Tell what is left to tell, give back hosts and budget, and leave."""
        self._is_closing = True
        self._tasks.close()
        try:
            await asyncio.wait_for(self._take_leave(), self._terms.timeout_s)
        except (Unreachable, StateError, TimeoutError) as error:
            why = str(error) or f"no response for {self._terms.timeout_s:g} seconds"
            logger.error(
                "Could not flush pending results to Redis; the visits will be repeated: %s", why
            )
        finally:
            await self.stop()

    async def stop(self) -> None:
        """Stop at once, and hang up; what was not told is not told."""
        self._is_closing = True
        await self._tasks.stop()
        with suppress(Unreachable, StateError):
            await self._connection.close()

    async def _try_to_join(self, about: Mapping[str, Any]) -> bool:
        """Join; False where Redis did not answer."""
        try:
            await self._board.join(about)
            self._calls.session = self.session
            self.holdings.random.seed(int(self.session))
            await self._beat()
            await self._top_up()
            self.ended = await self._ending.came_before()
            await self._hearing.begin()
            await self._keeping.begin()
        except Unreachable as error:
            if self._silent_since_s is None:
                logger.warning("Cannot join the crawl yet; retrying: %s", error)
            self._silent_since_s = self._territory.clock()
            return False
        self._silent_since_s = None
        return True

    async def _take_leave(self) -> None:
        if self._outbox.failure is not None:
            raise self._outbox.failure
        if self._silent_since_s is not None:
            raise Unreachable(f"{self.place} is not responding")
        await self._outbox.sent()
        await self._ration.give_back()
        await self._board.release(self._territory.leases)
        await self._board.leave()

    # Signs of life

    async def _keep_beating(self) -> None:
        while True:
            try:
                await self._beat()
                await self._keeping.look(self._territory.clock())
                self._reached(True)
                self.holdings.tend(list(self.population.admission))
            except Unreachable:
                self._reached(False)
            self._check_silence()
            await asyncio.sleep(min(_LONGEST_BEAT_S, self._terms.lease_s / 4))

    async def _beat(self) -> None:
        await self.holdings.renew()
        mine = len(self._territory.busy_hosts())
        workers = await self._board.beat(mine, self._need(mine))
        if len(workers) != len(self._living):
            bounds = bounds_per_worker(self._terms.bounds, len(workers))
            self.population.lifecycle.bounds = bounds
            self.population.environment.hosts.share(len(workers))
        self._living = {each.session: each for each in workers}
        await self._advice.exchange()
        if not self._is_sharing:
            self._tasks.begin(partial(self._share, mine))

    async def _share(self, hosts: int) -> None:
        """Give up hosts where others could do more and have fewer than their share."""
        others = [each for each in self._living.values() if each.session != self.session]
        fair = (hosts + sum(each.hosts for each in others)) // (len(others) + 1)
        if hosts <= fair + 1 or not any(each.need and each.hosts < fair for each in others):
            return
        spare = [
            each for each in self.colony.spare(hosts - fair) if each not in self.holdings.asked
        ]
        leases = {host: self._territory.leases[host] for host in spare}
        self.colony.lost(spare)
        self._is_sharing = True
        # Not to be asked for, and had by the same lease, just before that is given up.
        self.holdings.asked |= leases.keys()
        try:
            await self._outbox.sent()
            await self._board.release(leases)
        except Unreachable:
            self._reached(False)  # whoever needs the hosts finds them, see `scan`
        finally:
            self._is_sharing = False
            self.holdings.asked -= leases.keys()

    def _need(self, hosts: int) -> int:
        population = self.population
        waits = self.holdings.asked or len(self._outbox) or self._hearing or self.has_more()
        is_stuck = population.is_unborn or population.ended is not None
        if not waits and not population.unsettled and is_stuck:
            return IDLE
        return HUNGRY if hosts < population.max_unsettled else 0

    # The pulse: budget, news, hosts that nobody has, the end

    async def _live(self) -> None:
        pulse_s = _PULSE_S
        while self.ended is None and not self._is_closing:
            try:
                is_busy = await self._hearing.listen(self._living)
                if is_busy:
                    self.wake()
                is_busy |= await self._top_up()
                need = self._need(len(self._territory.busy_hosts()))
                is_busy |= await self._scan(need)
                if need == IDLE and not is_busy:
                    ended = await self._ending.look(self._living.values())
                    if ended is not None:
                        await self._keeping.check()
                    self.ended = ended
                    pulse_s = min(1.5 * pulse_s, _SLOWEST_PULSE_S)
                else:
                    pulse_s = _PULSE_S
            except Unreachable:
                self._reached(False)
            await asyncio.sleep(pulse_s * self.holdings.random.uniform(0.8, 1.2))
        self.wake()

    async def _scan(self, need: int) -> bool:
        """Look for hosts that nobody has; less and less often while there are none."""
        is_early = need != IDLE and self._territory.clock() < self._scans_at_s
        if not need or is_early or self._hearing or self.population.environment.budget.left == 0:
            return False
        most = self.population.max_unsettled
        has_found = await self.holdings.scan(most, everywhere=need == IDLE)
        pause_s = _PULSE_S if has_found else min(2 * self._scan_pause_s, _SLOWEST_PULSE_S)
        self._scan_pause_s = pause_s
        self._scans_at_s = self._territory.clock() + pause_s
        return has_found

    async def _top_up(self) -> bool:
        wanted = 2 * self.population.max_unsettled
        has_more = await self._ration.top_up(wanted, len(self._living))
        if has_more:
            self.wake()
        return has_more

    # What others call

    def _ask(self, host: str) -> None:
        if not self._is_closing:
            self.holdings.ask(host)

    def _put(self, parcel: Any) -> None:
        self._outbox.put(parcel)

    def _fenced(self, host: str, lease: str) -> None:
        self.colony.fenced_off(host, lease)

    def _reached(self, is_reached: bool) -> None:
        if is_reached and self._silent_since_s is not None:
            self._silent_since_s = None
            logger.info("Redis at %s is responding again", self.place)
            self.wake()
        elif not is_reached and self._silent_since_s is None:
            self._silent_since_s = self._territory.clock()
            logger.warning("Redis at %s is not responding; pausing new requests", self.place)

    def _check_silence(self) -> None:
        since_s = self._silent_since_s
        if since_s is not None and self._territory.clock() - since_s > self._terms.timeout_s:
            raise self._no_answer()

    def _no_answer(self) -> StateError:
        return StateError(f"{self.place}: no response for {self._terms.timeout_s:g} seconds")
