"""Concurrency, delays and pauses of hosts, and the report of hosts that become free."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.politeness.host_slots import SOON_S, HostSlots

NAMES = ["a.test", "b.test", "c.test"]
AT_ONE_ADDRESS = 2
ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["start", "finish", "close", "reopen", "advance", "hold", "locate"]),
        st.sampled_from(NAMES),
        st.floats(0, 5),
    ),
    max_size=60,
)


class Model:
    """The state of `HostSlots` in its simplest form."""

    def __init__(self, limit: int, delay_s: float) -> None:
        self.limit, self.delay_s = limit, delay_s
        self.flying = Counter[str]()
        self.address = dict.fromkeys(NAMES, "")
        self.went = {name: list[str]() for name in NAMES}
        self.until_s = dict.fromkeys(NAMES, 0.0)
        self.closed = set[str]()

    def is_free(self, host: str, now_s: float) -> bool:
        """Return True if neither the host is closed, waiting or full, nor its address is full."""
        late = self.until_s[host] > now_s
        there = sum(each.count(self.address[host]) for each in self.went.values())
        has_room = not self.address[host] or there < AT_ONE_ADDRESS
        is_full = self.flying[host] >= self.limit
        return not late and host not in self.closed and not is_full and has_room


@given(st.integers(1, 3), st.sampled_from([0.0, 0.5, 3.0]), ACTIONS)
def test_a_host_is_free_exactly_when_no_rule_blocks_it(
    limit: int, delay_s: float, actions: list[tuple[str, str, float]]
) -> None:
    """Under any order of events; each host that becomes free is reported in the end."""
    hosts, model, now_s = HostSlots(lambda _: (limit, delay_s)), Model(limit, delay_s), 0.0
    sleeping = set[str]()
    hosts.on_free.append(sleeping.discard)
    for action, host, amount in actions:
        match action:
            case "start" if hosts.is_free(host, now_s):
                hosts.start(host, now_s)
                model.flying[host] += 1
                model.went[host].append(model.address[host])
                if delay_s:
                    model.until_s[host] = max(model.until_s[host], now_s + delay_s)
            case "finish" if model.flying[host]:
                hosts.finish(host)
                model.flying[host] -= 1
                model.went[host].pop()
            case "close":
                hosts.close(host)
                model.closed.add(host)
            case "reopen" if host in model.closed:
                hosts.reopen(host)
                model.closed.remove(host)
            case "hold":
                hosts.hold(host, now_s + amount)
                model.until_s[host] = max(model.until_s[host], now_s + amount)
            case "locate":
                hosts.locate(host, f"10.0.0.{amount > 2.5:d}", AT_ONE_ADDRESS)
                model.address[host] = f"10.0.0.{amount > 2.5:d}"
            case "advance":
                now_s += amount
        hosts.advance(now_s)
        free = {name for name in NAMES if hosts.is_free(name, now_s)}
        assert free == {name for name in NAMES if model.is_free(name, now_s)}
        assert not sleeping & free, "a host became free and was not reported"
        sleeping |= set(NAMES) - free
        delays = [until_s for until_s in model.until_s.values() if until_s > now_s]
        wakes_at_s = hosts.wakes_at()
        assert (wakes_at_s is None) == (not delays)
        assert wakes_at_s is None or now_s < wakes_at_s <= min(delays)


def test_hosts_at_rest_are_forgotten() -> None:
    """B068: memory depends on the busy hosts, not on all hosts."""
    hosts = HostSlots(lambda _: (1, 1.0))
    for number in range(50):
        hosts.start(f"{number}.test", 0.0)
        hosts.finish(f"{number}.test")
    hosts.advance(2.0)
    assert not hosts._busy
    assert not hosts._delays


def test_a_limit_of_zero_counts_as_one() -> None:
    """A host without a slot would keep the crawl from ending."""
    hosts = HostSlots(lambda _: (0, 0.0))
    assert hosts.is_free("a.test", 0.0)
    hosts.start("a.test", 0.0)
    assert not hosts.is_free("a.test", 0.0)


def test_a_shorter_hold_does_not_end_a_longer_one() -> None:
    """The later of two times counts."""
    hosts = HostSlots(lambda _: (1, 0.0))
    hosts.hold("a.test", 10.0)
    hosts.hold("a.test", 3.0)
    assert (hosts.free_at_s("a.test"), hosts.free_at_s("b.test")) == (10.0, 0.0)
    hosts.advance(5.0)
    assert not hosts.is_free("a.test", 5.0)
    hosts.advance(10.0)
    assert hosts.is_free("a.test", 10.0)
    assert hosts.wakes_at() is None


def test_a_hold_can_end_early() -> None:
    """The host is reported at once, if a hold runs, and forgotten."""
    hosts = HostSlots(lambda _: (1, 0.0))
    freed: list[str] = []
    hosts.on_free.append(freed.append)
    hosts.end_hold("a.test")
    hosts.hold("a.test", 10.0)
    hosts.end_hold("a.test")
    assert freed == ["a.test"]
    assert hosts.is_free("a.test", 5.0)
    assert not hosts._busy
    hosts.hold("a.test", 12.0)
    hosts.advance(10.0)
    assert not hosts.is_free("a.test", 10.0)


def test_hosts_of_one_address_share_its_limit() -> None:
    """R9: a thousand names of one server do not get requests at once; other hosts do not wait."""
    hosts = HostSlots(lambda _: (8, 0.0))
    freed: list[str] = []
    hosts.on_free.append(freed.append)
    for number in range(1000):
        hosts.locate(f"{number}.test", "10.0.0.1", 3)
    for number in range(1000):
        if hosts.is_free(f"{number}.test", 0.0):
            hosts.start(f"{number}.test", 0.0)
    assert [hosts.is_free(f"{number}.test", 0.0) for number in (0, 3, 999)] == [False] * 3
    assert hosts.is_free("elsewhere.test", 0.0)
    freed.clear()
    hosts.finish("0.test")
    assert set(freed) >= {"3.test", "999.test"}
    assert hosts.is_free("3.test", 0.0)


def test_crawls_share_the_places_of_an_address() -> None:
    """R9: each host takes its part; a host without one gets it when there are fewer hosts."""
    hosts = HostSlots(lambda _: (8, 0.0))
    freed: list[str] = []
    hosts.on_free.append(freed.append)
    names = [f"{number}.test" for number in range(6)]
    for name in names:
        hosts.locate(name, "10.0.0.1", 4)

    def under_way() -> int:
        """Return how many visits are under way when all that may start have started."""
        for name in names:
            if hosts.is_free(name, 0.0):
                hosts.start(name, 0.0)
        return sum(state.in_flight for state in hosts._busy.values())

    hosts.share(2)
    assert under_way() == 2
    freed.clear()
    hosts.share(9)
    assert set(freed) == set(names[2:])
    hosts.finish(names[0])
    hosts.finish(names[1])
    assert under_way() == 1
    hosts.share(1)
    assert under_way() == 4


def test_the_number_of_located_hosts_is_bounded() -> None:
    """The last 10 000 are known; an address without hosts and visits is not kept."""
    hosts = HostSlots(lambda _: (1, 0.0))
    hosts.locate("first.test", "10.0.0.1", 1)
    hosts.start("first.test", 0.0)
    for number in range(10_000):
        hosts.locate(f"{number}.test", "10.0.0.2", 1)
    assert len(hosts._address_of) == 10_000
    assert len(hosts._addresses) == 2
    hosts.finish("first.test")
    assert [*hosts._addresses] == ["10.0.0.2"]


def test_each_host_has_its_own_limit() -> None:
    """A host with one slot is full beside a host with three."""
    hosts = HostSlots(lambda host: (3 if host == "wide.test" else 1, 0.0))
    for host in ("wide.test", "narrow.test"):
        hosts.start(host, 0.0)
    assert hosts.is_free("wide.test", 0.0)
    assert not hosts.is_free("narrow.test", 0.0)


def test_sharers_round_the_limit_of_an_address_down() -> None:
    """Three slots for two crawls are one for each, so that both together keep the limit."""
    hosts = HostSlots(lambda _: (9, 0.0))
    hosts.share(2)
    for host in ("a.test", "b.test"):
        hosts.locate(host, "10.0.0.1", 3)
    hosts.start("a.test", 0.0)
    assert not hosts.is_free("a.test", 0.0)
    assert not hosts.is_free("b.test", 0.0)
    hosts.share(1)
    assert hosts.is_free("b.test", 0.0)


def test_a_visit_continues_at_a_host_that_has_a_free_slot() -> None:
    """Its own slot at that host is free for it; a closed host and a long delay are not."""
    hosts = HostSlots(lambda host: (2 if host == "wide.test" else 1, 0.0))
    assert hosts.is_free_for("a.test", "b.test", 0.0)
    hosts.start("b.test", 0.0)
    assert not hosts.is_free_for("a.test", "b.test", 0.0)
    assert hosts.is_free_for("b.test", "b.test", 0.0)
    hosts.start("wide.test", 0.0)
    assert hosts.is_free_for("a.test", "wide.test", 0.0)
    hosts.start("wide.test", 0.0)
    assert not hosts.is_free_for("a.test", "wide.test", 0.0)
    hosts.hold("slow.test", 5.0)
    assert not hosts.is_free_for("a.test", "slow.test", 3.9)
    assert hosts.is_free_for("a.test", "slow.test", 4.0)
    hosts.close("shut.test")
    assert not hosts.is_free_for("a.test", "shut.test", 0.0)


def test_a_visit_continues_at_an_address_that_has_room() -> None:
    """A visit that is at the address already takes no second slot; sharers divide the slots."""
    hosts = HostSlots(lambda _: (9, 0.0))
    for host in ("a.test", "b.test", "c.test"):
        hosts.locate(host, "10.0.0.1", 2)
    hosts.start("a.test", 0.0)
    assert hosts.is_free_for("elsewhere.test", "b.test", 0.0)
    hosts.share(2)
    assert not hosts.is_free_for("elsewhere.test", "b.test", 0.0)
    hosts.share(9)
    assert not hosts.is_free_for("elsewhere.test", "b.test", 0.0)
    assert hosts.is_free_for("a.test", "b.test", 0.0)
    assert hosts.is_free_for("a.test", "nowhere.test", 0.0)
    hosts.finish("a.test")
    assert hosts.is_free_for("elsewhere.test", "b.test", 0.0)


def test_a_busy_host_is_waited_for_until_its_visit_is_late() -> None:
    """After SOON_S its name is reported, so that who waits for it does something else."""
    hosts, freed = HostSlots(lambda _: (1, 1.0)), list[str]()
    hosts.on_free.append(freed.append)
    hosts.advance(10.0)
    hosts.start("a.test", 10.0)
    assert hosts.is_soon_free("a.test")
    hosts.advance(10.0 + SOON_S / 2)
    assert hosts.is_soon_free("a.test")
    freed.clear()
    wakes_at_s = hosts.wakes_at()
    assert wakes_at_s == 10.0 + SOON_S
    hosts.advance(wakes_at_s)
    assert (freed, hosts.is_soon_free("a.test")) == (["a.test"], False)
    assert hosts.wakes_at() is None
    hosts.finish("a.test")
    hosts.start("a.test", 20.0)
    hosts.advance(20.0)
    assert hosts.is_soon_free("a.test")


def test_a_host_that_backs_off_or_is_closed_is_not_waited_for() -> None:
    """Only a short delay is."""
    hosts = HostSlots(lambda _: (1, 0.0))
    hosts.advance(1.0)
    hosts.hold("short.test", 1.0 + SOON_S)
    hosts.hold("long.test", 1.1 + SOON_S)
    hosts.close("closed.test")
    names = ["short.test", "long.test", "closed.test", "free.test"]
    assert [hosts.is_soon_free(name) for name in names] == [True, False, False, False]
    hosts.advance(1.2)
    assert hosts.is_soon_free("long.test")
