"""A worker of a crawl that several share: what it does beside crawling, all of it asynchronous."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from evocrawl.colony import Colony
from evocrawl.errors import StateError
from evocrawl.life import Bounds
from evocrawl.model import Fingerprint
from evocrawl.population import Population
from evocrawl.store.packing import Payloads
from evocrawl.store.shared.board import HUNGRY, IDLE, Board, News, Worker
from evocrawl.store.shared.calls import Calls
from evocrawl.store.shared.connection import Connection, Unreachable
from evocrawl.store.shared.layout import SHARDS, Layout, Place, shard_of
from evocrawl.store.shared.outbox import Outbox
from evocrawl.store.shared.rows import Guest, Rows, Source
from evocrawl.territory import Territory
from evocrawl.urls import host_of

logger = logging.getLogger(__name__)

_PULSE_S, _SLOWEST_PULSE_S = 0.1, 1.0
_LONGEST_BEAT_S = 1.0
_NEWS_AT_ONCE = 100
_WARM_UP = 2000
_SHARDS_SCANNED, _HOSTS_A_SHARD = 16, 4


@dataclass(frozen=True, slots=True)
class Terms:
    """What the workers share, and how long they wait for each other.

    `limit` is the budget of HTTP requests for all together (None: no limit), `bounds` hold for all
    populations together. `lease_s` is for how long a worker may be silent before its hosts are
    taken over, `timeout_s` for how long Redis may be, before the crawl ends.
    """

    limit: int | None
    bounds: Bounds
    lease_s: float
    timeout_s: float


class SharedWorker:
    """Takes hosts, keeps their leases, tells and hears news, shares budget and bounds.

    `on_gained` is called with each host that has become ours, `wake` when there may be something
    to choose, `fail` with the error that ends it all; `has_more` says whether this worker is still
    at something that may bring links.
    """

    def __init__(
        self,
        place: Place,
        population: Population,
        payloads: Payloads,
        terms: Terms,
    ) -> None:
        self.place = place
        self.population = population
        self.ended: str | None = None
        self.on_gained: Callable[[str], None] = lambda _: None
        self.has_more: Callable[[], bool] = lambda: False
        self.wake: Callable[[], None] = lambda: None
        self.fail: Callable[[StateError], None] = lambda _: None
        self._budget = population.environment.budget
        self._terms = terms
        self._poisoned = self._taken_over = 0
        self._rows = Rows(payloads)
        self._connection = Connection(place)
        self._board = Board(self._connection, round(1000 * terms.lease_s))
        self._territory = Territory(terms.lease_s)
        self._calls = Calls(self._rows, Layout(place.name))
        self.colony = Colony(population, self._territory, self._calls, self._put, self._ask)
        self._outbox = Outbox(
            self._connection, population.max_unsettled, self._fenced, self._reached
        )
        self._asked: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._living: dict[str, Worker] = {}
        self._news: list[News] = []
        self._after = "0-0"
        self._left = 1
        self._silent_since_s: float | None = None
        self._is_closing = self._is_sharing = False
        self._random = Random()

    @property
    def session(self) -> str:
        """This worker's number."""
        return self._board.session

    def may_send(self, host: str, *, is_visit: bool) -> bool:
        """Return whether a request for `host` may go out now.

        Those of visits to own hosts, while the lease holds; and what is no visit, unless it is for
        a host that was ours.
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
            "poisoned": self._poisoned,
            "taken_over": self._taken_over,
        }

    @property
    def may_choose(self) -> bool:
        """False while new visits should wait: Redis does not answer, or all is over."""
        is_over = self.ended is not None or self._is_closing
        return not is_over and self._silent_since_s is None and not self._outbox.full

    async def join(self, about: Mapping[str, Any]) -> str | None:
        """Become one of the crawl's workers; return why it is over, None where it is not.

        Raises StateError where that is another crawl, or Redis cannot be reached.
        """
        try:
            await self._board.join(about)
            self._calls.session = self.session
            self._random.seed(int(self.session))
            await self._beat()
            await self._top_up()
            self.ended = await self._why_over()
            self._news, self._after = await self._board.latest_news(_WARM_UP)
        except Unreachable as error:
            raise StateError(f"{error}") from None
        return self.ended

    def start(self) -> None:
        """Begin to work."""
        for work in (self._outbox.run(), self._live(), self._keep_beating()):
            self._begin(work)

    async def close(self) -> None:
        """Tell what is left to tell, give back hosts and budget, and leave."""
        self._is_closing = True
        try:
            if self._outbox.failure is None and self._silent_since_s is None:
                await asyncio.wait_for(self._outbox.sent(), self._terms.timeout_s)
            if self._terms.limit is not None and self._budget.limit is not None:
                unspent = self._budget.limit - self._budget.spent
                if unspent > 0:
                    await self._board.budget(-unspent, self._terms.limit, 1)
            await self._board.release(self._territory.leases)
            await self._board.leave()
        except (Unreachable, StateError, TimeoutError) as error:
            logger.error("what was left to tell is lost, and will be done again: %s", error)
        finally:
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._connection.close()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Awaitable[None]) -> None:
        try:
            await work
        except StateError as error:
            self.fail(error)
        except Exception as error:  # what nobody thought of must not leave the crawl hanging
            logger.exception("the shared crawl has failed")
            self.fail(StateError(f"{self.place}: {error!r}"))

    # Hosts

    def _ask(self, host: str) -> None:
        if host not in self._asked and not self._is_closing:
            self._asked.add(host)
            self._begin(self._take(host))

    async def _take(self, host: str) -> None:
        try:
            while not await self._try_to_take(host):
                await asyncio.sleep(_LONGEST_BEAT_S)
        finally:
            self._asked.discard(host)
        self.wake()

    async def _try_to_take(self, host: str) -> bool:
        """Take the host, or learn that it is another's; False where Redis did not answer."""
        asked_at_s = self._territory.clock()
        try:
            is_ours, lease, was_anothers = await self._board.take(host)
            if not is_ours:
                self.colony.denied(host)
                return True
            self._territory.renewed([shard_of(host)], asked_at_s)
            done = set[Fingerprint]()
            async for targets in self._board.done(host):
                done.update(filter(None, map(_target, targets)))
            self._taken_over += was_anothers
            self.colony.gained(host, lease, done, was_anothers=was_anothers)
            await self._show(host)
            await self._welcome(host)
        except Unreachable:
            self._reached(False)
            return False
        self.on_gained(host)
        return True

    async def _show(self, host: str, *, again: bool = False) -> None:
        async for batch in self._board.open_links(host):
            links: list[tuple[Any, Source | None]] = []
            for key, row in batch:
                try:
                    links.append(self._rows.unpack_link(host, key, row))
                except (ValueError, KeyError, TypeError) as error:
                    await self._put_aside(host, "open", key, row, error)
            if host not in self._territory.leases:
                return
            self.colony.show(host, links, again=again)

    async def _welcome(self, host: str) -> None:
        guests: list[Guest] = []
        lease = self._territory.leases.get(host)
        if lease is None:
            return
        for row in await self._board.welcome(host, lease):
            try:
                guests.append(self._rows.unpack_guest(row))
            except ValueError as error:
                await self._put_aside(host, "guests", b"", row, error)
        self.colony.welcome(guests)

    async def _put_aside(
        self, host: str, what: str, key: bytes, row: bytes, error: Exception
    ) -> None:
        self._poisoned += 1
        logger.warning("put aside: an entry of %s that cannot be read: %.200r", what, str(error))
        await self._board.quarantine(host, what, key, row)

    # Signs of life

    async def _keep_beating(self) -> None:
        while True:
            try:
                await self._beat()
                self._reached(True)
                self._tend_doors()
            except Unreachable:
                self._reached(False)
            self._check_silence()
            await asyncio.sleep(min(_LONGEST_BEAT_S, self._terms.lease_s / 4))

    async def _beat(self) -> None:
        asked_at_s = self._territory.clock()
        mine = self._territory.busy_hosts()
        workers = await self._board.beat(len(mine), self._need(len(mine)))
        shards = self._territory.shards()
        lost = await self._board.renew(shards)
        self._territory.renewed(set(shards) - lost, asked_at_s)
        if lost:
            logger.warning("this worker was silent for too long: others have taken its hosts over")
            self.colony.lost(self._territory.in_shards(lost))
        if len(workers) != len(self._living):
            self.population.borders.bound(share_of(self._terms.bounds, len(workers)))
        self._living = {each.session: each for each in workers}
        if not self._is_sharing:
            self._begin(self._share(len(mine)))

    def _tend_doors(self) -> None:
        """Nobody waits in vain, whatever was missed: a lease may run out while a door opens."""
        for door in list(self.population.borders.doors):
            host = host_of(f"{door}/")
            if self._territory.is_ours(host):
                self.on_gained(host)
            else:
                self._ask(host)

    async def _share(self, hosts: int) -> None:
        """Give up hosts where others could do more and have fewer than their share."""
        others = [each for each in self._living.values() if each.session != self.session]
        fair = (hosts + sum(each.hosts for each in others)) // (len(others) + 1)
        if hosts <= fair + 1 or not any(each.need and each.hosts < fair for each in others):
            return
        spare = [each for each in self.colony.spare(hosts - fair) if each not in self._asked]
        leases = {host: self._territory.leases[host] for host in spare}
        self.colony.lost(spare)
        self._is_sharing = True
        try:
            await self._outbox.sent()
            await self._board.release(leases)
        except Unreachable:
            self._reached(False)  # the leases run out by themselves
        finally:
            self._is_sharing = False

    def _need(self, hosts: int) -> int:
        population = self.population
        is_born = not population.is_unborn
        waits = self._asked or len(self._outbox) or self._news or self.has_more()
        if not waits and not population.unsettled and (not is_born or population.ended is not None):
            return IDLE
        return HUNGRY if hosts < population.max_unsettled else 0

    # The pulse: budget, news, hosts that nobody has, the end

    async def _live(self) -> None:
        pulse_s = _PULSE_S
        while self.ended is None:
            try:
                has_news = await self._hear()
                has_budget = await self._top_up()
                need = self._need(len(self._territory.busy_hosts()))
                found = need and self._left_for_us and await self._scan()
                if need == IDLE and not (has_news or has_budget or found):
                    await self._look_for_the_end()
                    pulse_s = min(1.5 * pulse_s, _SLOWEST_PULSE_S)
                else:
                    pulse_s = _PULSE_S
            except Unreachable:
                self._reached(False)
            await asyncio.sleep(pulse_s * self._random.uniform(0.8, 1.2))
        self.wake()

    async def _hear(self) -> bool:
        """Take in what others have settled."""
        if not self._news:
            self._news, self._after = await self._board.news(self._after, _NEWS_AT_ONCE)
        news, self._news = self._news[:_NEWS_AT_ONCE], self._news[_NEWS_AT_ONCE:]
        pages = [each for each in news if each.kind == "page"]
        found = dict(zip(pages, await self._board.pages(pages), strict=True)) if pages else {}
        for each in news:
            self.colony.is_of(each.host, each.session, self._living)
            if each.kind == "page":
                await self._hear_page(each, *found[each])
            elif each.kind == "dead" and (target := _target(each.key)):
                self.colony.heard_dead(target)
            elif each.host in self._territory.leases:
                await self._welcome(each.host)
            await asyncio.sleep(0)
        if news:
            self.wake()
        return bool(news)

    async def _hear_page(self, news: News, record: bytes | None, content: bytes | None) -> None:
        if record is None or content is None:
            return
        try:
            page, told = self._rows.unpack_page(news.host, news.key, record, content)
            depth = int(told.get("depth", 0))
        except (ValueError, TypeError, KeyError) as error:
            await self._put_aside(news.host, "pages", news.key, record, error)
            return
        self.colony.heard(page, depth)

    @property
    def _left_for_us(self) -> bool:
        return self._budget.left != 0

    async def _top_up(self) -> bool:
        """Take some more of the budget before ours is used up."""
        limit, budget = self._terms.limit, self._budget
        if limit is None:
            return False
        wanted = 2 * self.population.max_unsettled
        if budget.limit is None:
            budget.limit = 0
        if (budget.left or 0) >= wanted // 2:
            return False
        given, self._left = await self._board.budget(wanted, limit, len(self._living))
        budget.limit += given
        if given:
            self.wake()
        return bool(given)

    async def _scan(self) -> bool:
        """Ask for some hosts that have open links and nobody to fetch them."""
        shards = self._random.sample(range(SHARDS), _SHARDS_SCANNED)
        if self._need(len(self._territory.busy_hosts())) == IDLE:
            shards = list(range(SHARDS))
        hosts = await self._board.vacant(shards, _HOSTS_A_SHARD)
        hosts = [each for each in hosts if each not in self._territory.leases]
        self._random.shuffle(hosts)
        for host in hosts[: self.population.max_unsettled]:
            self._ask(host)
        return bool(hosts)

    async def _look_for_the_end(self) -> None:
        """There is nothing to do here: find out whether there is anywhere."""
        population = self.population
        told = await self._board.ended()
        if self._terms.limit is not None and not self._left and not self._left_for_us:
            self.ended = "budget"
        elif not population.is_unborn and population.ended == "extinct":
            self.ended = "extinct"
        elif told is not None:
            self.ended = str(told["reason"])
        elif await self._board.is_exhausted() and self._all_idle():
            self.ended = "exhausted"
        else:
            await self._look_again()
        if self.ended is not None and told is None and self.ended != "extinct":
            await self._board.end(self.ended)

    def _all_idle(self) -> bool:
        """Those who go to known pages too may have something to do without any open link."""
        revisits = any(each.revisits for each in self.population.species)
        return not revisits or all(each.need == IDLE for each in self._living.values())

    async def _look_again(self) -> None:
        """Show open links of own hosts once more, should one have been missed."""
        for host in list(self._territory.leases):
            if await self._board.has_open(host):
                await self._show(host, again=True)
        self.wake()

    async def _why_over(self) -> str | None:
        told = await self._board.ended()
        reason = None if told is None else str(told["reason"])
        if reason == "budget" and self._budget.left != 0:
            await self._board.end(None)
            return None
        if reason is not None and not await self._board.is_exhausted() and reason != "budget":
            await self._board.end(None)
            return None
        return reason

    # Ends of all kinds

    def _put(self, parcel: Any) -> None:
        self._outbox.put(parcel)

    def _fenced(self) -> None:
        self.colony.fenced += 1

    def _reached(self, is_reached: bool) -> None:
        if is_reached and self._silent_since_s is not None:
            self._silent_since_s = None
            logger.info("%s answers again", self.place)
            self.wake()
        elif not is_reached and self._silent_since_s is None:
            self._silent_since_s = self._territory.clock()
            logger.warning("%s does not answer: nothing new is begun until it does", self.place)

    def _check_silence(self) -> None:
        since_s, most_s = self._silent_since_s, self._terms.timeout_s
        if since_s is not None and self._territory.clock() - since_s > most_s:
            raise StateError(f"{self.place}: no answer for {most_s:g} seconds")


def share_of(whole: Bounds, workers: int) -> Bounds:
    """Return one worker's share of the bounds of all; at least one agent may live.

    >>> share_of(Bounds(20, 8, 60), 4)
    Bounds(founders=5, lower=2, upper=15)
    """
    workers = max(workers, 1)
    upper = None if whole.upper is None else max(whole.upper // workers, 1)
    most = whole.founders if upper is None else upper
    lower = min(-(-whole.lower // workers), most)
    return Bounds(max(min(whole.founders // workers, most), lower, 1), lower, upper)


def _target(key: bytes) -> Fingerprint | None:
    try:
        return bytes.fromhex(key.decode("ascii"))
    except ValueError:
        return None
