"""Hosts: concurrency, delays and closed doors, and who is told when they end."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.hosts import Hosts

NAMES = ["a.test", "b.test", "c.test"]
ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["start", "finish", "close", "reopen", "advance", "hold"]),
        st.sampled_from(NAMES),
        st.floats(0, 5),
    ),
    max_size=60,
)


class Model:
    """What `Hosts` has to know, in the plainest form."""

    def __init__(self, limit: int, delay_s: float) -> None:
        self.limit, self.delay_s = limit, delay_s
        self.flying = Counter[str]()
        self.until_s = dict.fromkeys(NAMES, 0.0)
        self.closed = set[str]()

    def is_free(self, host: str, now_s: float) -> bool:
        """Neither closed, nor waiting, nor full."""
        late = self.until_s[host] > now_s
        return not late and host not in self.closed and self.flying[host] < self.limit


@given(st.integers(1, 3), st.sampled_from([0.0, 0.5, 3.0]), ACTIONS)
def test_a_host_is_free_exactly_when_nothing_stands_against_it(
    limit: int, delay_s: float, actions: list[tuple[str, str, float]]
) -> None:
    """Under any order of events; and whoever becomes free is named, sooner or later."""
    hosts, model, now_s = Hosts(lambda _: (limit, delay_s)), Model(limit, delay_s), 0.0
    sleeping = set[str]()
    hosts.on_free.append(sleeping.discard)
    for action, host, amount in actions:
        match action:
            case "start" if hosts.is_free(host, now_s):
                hosts.start(host, now_s)
                model.flying[host] += 1
                if delay_s:
                    model.until_s[host] = max(model.until_s[host], now_s + delay_s)
            case "finish" if model.flying[host]:
                hosts.finish(host)
                model.flying[host] -= 1
            case "close":
                hosts.close(host)
                model.closed.add(host)
            case "reopen" if host in model.closed:
                hosts.reopen(host)
                model.closed.remove(host)
            case "hold":
                hosts.hold(host, now_s + amount)
                model.until_s[host] = max(model.until_s[host], now_s + amount)
            case "advance":
                now_s += amount
        hosts.advance(now_s)
        free = {name for name in NAMES if hosts.is_free(name, now_s)}
        assert free == {name for name in NAMES if model.is_free(name, now_s)}
        assert not sleeping & free, "a host became free and nobody was told"
        sleeping |= set(NAMES) - free
        delays = [until_s for until_s in model.until_s.values() if until_s > now_s]
        wakes_at_s = hosts.wakes_at()
        assert (wakes_at_s is None) == (not delays)
        assert wakes_at_s is None or now_s < wakes_at_s <= min(delays)


def test_hosts_at_rest_are_forgotten() -> None:
    """B068: memory goes with the hosts that are busy, not with all hosts ever seen."""
    hosts = Hosts(lambda _: (1, 1.0))
    for number in range(50):
        hosts.start(f"{number}.test", 0.0)
        hosts.finish(f"{number}.test")
    hosts.advance(2.0)
    assert not hosts._busy
    assert not hosts._delays


def test_a_limit_of_none_at_once_counts_as_one() -> None:
    """A host that may never be fetched would hold up the crawl for ever."""
    hosts = Hosts(lambda _: (0, 0.0))
    assert hosts.is_free("a.test", 0.0)
    hosts.start("a.test", 0.0)
    assert not hosts.is_free("a.test", 0.0)


def test_a_shorter_hold_does_not_end_a_longer_one() -> None:
    """The later of two times counts."""
    hosts = Hosts(lambda _: (1, 0.0))
    hosts.hold("a.test", 10.0)
    hosts.hold("a.test", 3.0)
    hosts.advance(5.0)
    assert not hosts.is_free("a.test", 5.0)
    hosts.advance(10.0)
    assert hosts.is_free("a.test", 10.0)
    assert hosts.wakes_at() is None
