"""How many robots.txt are fetched at once, how often, and for how long."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scrapy.exceptions import IgnoreRequest
from twisted.internet.defer import Deferred, succeed

from evocrawl.adapter.robots import inquiries
from evocrawl.adapter.robots.fetcher import (
    OverBudgetError,
    RobotsAnswer,
    UnleasedError,
    Withheld,
)
from evocrawl.adapter.robots.inquiries import GIVEN_UP_LIFETIME_S, MAX_FETCHES, RobotsInquiries
from evocrawl.politeness.robots.cache import RobotsCache
from evocrawl.politeness.robots.rules import RobotsRules

HOST = "http://h"
AT_ONE_ADDRESS = 2


class Timer:
    def __init__(self, delay_s: float, fire: Callable[[], None]) -> None:
        self.delay_s = delay_s
        self.fire = fire
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Stats:
    def inc_value(self, key: str) -> None:
        pass


class Desk:
    """Inquiries whose fetches, timers and clock the test controls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 0.0
        self.fetches: list[tuple[str, Deferred[RobotsAnswer]]] = []
        self.dropped: list[Deferred[RobotsAnswer]] = []
        self.timers: list[Timer] = []
        self.located: dict[str, Deferred[str]] = {}
        self.known: list[str] = []
        self.delayed: list[str] = []
        monkeypatch.setattr(
            inquiries,
            "call_later",
            lambda delay_s, fire, *args: (
                self.timers.append(Timer(delay_s, lambda: fire(*args))) or self.timers[-1]
            ),
        )
        self.inquiries = RobotsInquiries(
            self._fetch,
            RobotsCache(),
            Stats(),  # type: ignore[arg-type]
            lambda: self.now_s,
            self.known.append,
            self.delayed.append,
            locate=lambda authority: self.located.get(authority, succeed("")),
            at_one_address=AT_ONE_ADDRESS,
            tries=3,
            retry_s=60.0,
        )

    def _fetch(self, authority: str) -> Deferred[RobotsAnswer]:
        self.fetches.append((authority, Deferred(self.dropped.append)))
        return self.fetches[-1][1]

    def reply(self, rules: RobotsRules) -> None:
        authority, fetch = self.fetches[-1]
        fetch.callback(RobotsAnswer(rules, f"{authority}/robots.txt"))

    def at(self, address: str, *names: str) -> None:
        """Place hosts at one address."""
        self.located |= {f"http://{name}": succeed(address) for name in names}

    @property
    def asked(self) -> list[str]:
        """Return the hosts whose rules were requested, in order."""
        return [authority.removeprefix("http://") for authority, _ in self.fetches]

    def done(self, name: str) -> None:
        """Answer for the host."""
        fetch = next(each for authority, each in self.fetches if authority == f"http://{name}")
        fetch.callback(RobotsAnswer(rules(), f"http://{name}/robots.txt"))

    def outcome_of(self, authority: str) -> list[object]:
        """Return a list that gets the rules, or the exception, of a waiter for `authority`."""
        outcome: list[object] = []
        waiter = Deferred.fromCoroutine(self.inquiries.answer(authority))
        waiter.addCallbacks(outcome.append, lambda failure: outcome.append(failure.value))
        return outcome


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(inquiries, "maybe_deferred_to_future", lambda deferred: deferred)
    return Desk(monkeypatch)


def rules(body: bytes = b"") -> RobotsRules:
    return RobotsRules.from_response(200, body, "evocrawl")


def test_an_authority_is_asked_once_and_every_waiter_gets_the_answer(desk: Desk) -> None:
    """The third waiter gets the same answer as the first."""
    outcomes = [desk.outcome_of(HOST) for _ in range(8)]
    found = rules()
    desk.reply(found)
    assert len(desk.fetches) == 1
    assert all(outcome == [found] and outcome[0] is found for outcome in outcomes)
    assert desk.known == [HOST]


def test_the_pause_doubles_and_the_last_failure_decides(desk: Desk) -> None:
    """Three tries, 60 and 120 s apart; then the authority forbids everything for an hour."""
    desk.inquiries.known(HOST)
    for _ in range(2):
        desk.reply(RobotsRules.unreachable())
        desk.timers[-1].fire()
    assert desk.known == []
    desk.reply(RobotsRules.unreachable())
    assert [timer.delay_s for timer in desk.timers] == [60.0, 120.0]
    assert desk.known == [HOST]
    settled = desk.inquiries.known(HOST)
    assert settled is not None
    assert not settled.allows(f"{HOST}/page")
    desk.now_s = GIVEN_UP_LIFETIME_S
    assert desk.inquiries.known(HOST) is None
    assert len(desk.fetches) == 4


def test_retry_after_lengthens_the_pause(desk: Desk) -> None:
    """B089: the server is not asked before the time that it gives."""
    desk.inquiries.known(HOST)
    desk.reply(RobotsRules.unreachable(retry_after_s=900.0))
    assert desk.timers[-1].delay_s == 900.0


def test_no_request_waits_through_a_pause(desk: Desk) -> None:
    """Between two tries the last answer holds, and the authority stays closed."""
    early = desk.outcome_of(HOST)
    desk.reply(RobotsRules.unreachable())
    late = desk.outcome_of(HOST)
    assert early == late == [RobotsRules.unreachable()]
    assert desk.inquiries.known(HOST) is None
    assert len(desk.fetches) == 1


def test_a_fetch_that_raises_is_an_unreachable_server(desk: Desk) -> None:
    """Any failure means that requests are refused for now."""
    outcome = desk.outcome_of(HOST)
    desk.fetches[-1][1].errback(OSError("no route"))
    assert outcome == [RobotsRules.unreachable()]


def test_a_withheld_request_is_not_an_answer(desk: Desk) -> None:
    """Early and late waiters get the reason, and the server is asked later."""
    early = desk.outcome_of(HOST)
    desk.fetches[-1][1].errback(Withheld("budget"))
    late = desk.outcome_of(HOST)
    assert [repr(outcome[0]) for outcome in (early, late)] == ["Withheld('budget')"] * 2
    assert desk.known == []
    assert len(desk.timers) == 1


@pytest.mark.parametrize("withheld", [OverBudgetError("budget"), UnleasedError("lease")])
def test_an_authority_is_not_given_up_for_lack_of_budget_or_lease(
    desk: Desk, withheld: Withheld
) -> None:
    """B076: another worker may give back what it has not used; until then nothing is refused.

    A lease that has run out may be renewed in a moment.
    """
    outcome = desk.outcome_of(HOST)
    for _ in range(10):
        desk.fetches[-1][1].errback(withheld)
        desk.timers[-1].fire()
    assert {timer.delay_s for timer in desk.timers} == {1.0}
    assert repr(outcome[0]) == repr(withheld)
    assert desk.known == []
    desk.reply(RobotsRules.unreachable())
    assert desk.timers[-1].delay_s == 60.0


def test_the_number_of_fetches_at_once_is_bounded(desk: Desk) -> None:
    """The next in line is fetched when one is done, first come, first served."""
    for number in range(MAX_FETCHES + 2):
        desk.inquiries.known(f"http://h{number}")
    assert len(desk.fetches) == MAX_FETCHES
    desk.fetches[0][1].callback(RobotsAnswer(rules(), "http://h0/robots.txt"))
    assert [authority for authority, _ in desk.fetches[MAX_FETCHES:]] == [f"http://h{MAX_FETCHES}"]


def test_the_hosts_of_one_address_are_asked_a_few_at_a_time(desk: Desk) -> None:
    """R9: a request that waits there lets others pass, and continues later."""
    desk.at("192.0.2.1", *"abcde")
    for name in [*"abcde", "x"]:
        desk.inquiries.known(f"http://{name}")
    assert desk.asked == ["a", "b", "x"]
    assert desk.delayed == ["http://c", "http://d", "http://e"]
    for answered, asked in (("b", "c"), ("x", ""), ("a", "d"), ("d", "e"), ("c", ""), ("e", "")):
        before = desk.asked
        desk.done(answered)
        assert "".join(desk.asked[len(before) :]) == asked
    assert desk.known == [f"http://{name}" for name in "bxadce"]


def test_an_address_that_is_full_holds_no_fetches(desk: Desk) -> None:
    """A thousand names of one server do not take the places of other servers."""
    farm = [f"farm{number}" for number in range(1000)]
    desk.at("192.0.2.1", *farm)
    others = [f"h{number}" for number in range(MAX_FETCHES)]
    for name in (*farm, *others):
        desk.inquiries.known(f"http://{name}")
    assert desk.asked == [*farm[:AT_ONE_ADDRESS], *others[: MAX_FETCHES - AT_ONE_ADDRESS]]
    desk.done("h0")
    desk.done("farm0")
    assert desk.asked[MAX_FETCHES:] == [others[MAX_FETCHES - AT_ONE_ADDRESS], "farm2"]


def test_rules_that_a_request_waits_for_are_fetched_before_rules_that_links_wait_for(
    desk: Desk,
) -> None:
    """The request holds a place in the downloader."""
    desk.at("192.0.2.1", *"abcdefg")
    for name in "abcd":
        desk.inquiries.known(f"http://{name}")
    new, old = desk.outcome_of("http://f"), desk.outcome_of("http://d")
    desk.inquiries.known("http://g")
    for name in "abfd":
        desk.done(name)
    assert [len(each) for each in (new, old)] == [1, 1]
    assert desk.asked == [*"abdfcg"]


def test_a_failure_frees_the_place_at_the_address(desk: Desk) -> None:
    """The host that failed is asked again later, as the last one."""
    desk.at("192.0.2.1", *"abc")
    for name in "abc":
        desk.inquiries.known(f"http://{name}")
    desk.fetches[0][1].errback(OSError("no route"))
    assert desk.asked == [*"abc"]
    desk.timers[0].fire()
    desk.done("b")
    assert desk.asked == [*"abca"]


def test_an_authority_whose_name_cannot_be_resolved_is_asked_nevertheless(desk: Desk) -> None:
    """The fetch reports that the name has no address."""
    lookup = desk.located[HOST] = Deferred[str]()
    desk.inquiries.known(HOST)
    assert desk.fetches == []
    lookup.errback(OSError("no name server"))
    assert desk.asked == ["h"]


def test_old_rules_are_fetched_again(desk: Desk) -> None:
    """Rules are valid for a day at most."""
    desk.inquiries.known(HOST)
    desk.reply(rules())
    desk.now_s = 24 * 3600 - 1.0
    assert desk.inquiries.known(HOST) is not None
    desk.now_s += 1.0
    assert desk.inquiries.known(HOST) is None
    assert len(desk.fetches) == 2


def test_closing_drops_fetches_timers_and_waiters(desk: Desk) -> None:
    """No request can be sent after the crawl."""
    desk.inquiries.known("http://sick")
    desk.reply(RobotsRules.unreachable())
    outcome = desk.outcome_of(HOST)
    desk.inquiries.close()
    assert desk.dropped == [desk.fetches[-1][1]]
    assert desk.timers[0].cancelled
    assert isinstance(outcome[0], IgnoreRequest)
    assert desk.inquiries.known("http://new") is None
    assert len(desk.fetches) == 2
    late = desk.outcome_of("http://new")
    assert isinstance(late[0], IgnoreRequest)


def test_closing_drops_lookups_and_delayed_hosts(desk: Desk) -> None:
    """No more hosts are asked, and each waiting request gets an answer."""
    desk.at("192.0.2.1", *"abc")
    dropped: list[Deferred[str]] = []
    desk.located[HOST] = Deferred(dropped.append)
    outcomes = [desk.outcome_of(name) for name in ("http://a", "http://b", "http://c", HOST)]
    desk.inquiries.close()
    assert desk.asked == ["a", "b"]
    assert dropped == [desk.located[HOST]]
    assert all(isinstance(outcome[0], IgnoreRequest) for outcome in outcomes)
