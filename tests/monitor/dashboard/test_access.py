"""Which requests a dashboard answers: by host, origin, token and rate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evocrawl.core.config.config import Config
from evocrawl.core.errors import SettingError
from evocrawl.monitor.dashboard.access import Access, Asked, is_loopback

TOKEN = "0123456789abcdef"
READ = Asked("GET", "127.0.0.1:8080", "", "", "127.0.0.1")
WRITE = Asked("POST", "localhost:8080", "http://localhost:8080", f"Bearer {TOKEN}", "127.0.0.1")


def access(address: str = "127.0.0.1", **options: float) -> Access:
    return Access(address, 8080, TOKEN, lambda: 0.0, **options)


def status(asked: Asked, *, at: str = "127.0.0.1", is_asset: bool = False) -> int:
    refused = access(at).refusal(asked, is_asset=is_asset)
    return 200 if refused is None else refused[0]


def test_this_machine_reads_without_a_token_and_writes_with_it() -> None:
    assert status(READ) == 200
    assert status(WRITE) == 200
    for wrong in ("", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer é"):
        assert status(replace(WRITE, authorization=wrong)) == 401


def test_other_machines_need_the_token_for_all_but_assets() -> None:
    far = replace(READ, host="crawler.example:8080", client="10.0.0.9")
    assert status(far, at="0.0.0.0") == 401
    assert status(far, at="0.0.0.0", is_asset=True) == 200
    assert status(replace(far, authorization=f"bearer {TOKEN}"), at="0.0.0.0") == 200


@pytest.mark.parametrize(
    "host",
    ["evil.test", "evil.test:8080", "127.0.0.1", "127.0.0.1:80", "127.0.0.1.evil.test:8080", "",
     "localhost:8080@evil.test", "[::1", "127.0.0.1:8080:8080", "localhost:99999999"],
)  # fmt: skip
def test_a_foreign_name_that_resolves_here_is_refused(host: str) -> None:
    """DNS rebinding: the browser sends the attacker's name."""
    assert status(replace(READ, host=host)) == 421
    assert status(replace(READ, host=host), is_asset=True) == 421


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"]
)
def test_names_of_this_machine_are_answered(host: str) -> None:
    assert status(replace(READ, host=host)) == 200


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "https://localhost:8080"])
def test_pages_of_other_sites_are_refused(origin: str) -> None:
    """CSRF: also with the token, and for reading."""
    assert status(replace(WRITE, origin=origin)) == 403
    assert status(replace(READ, origin=origin)) == 403
    assert status(replace(READ, site="cross-site")) == 403


def test_too_many_requests_are_refused_until_time_has_passed() -> None:
    now_s = 0.0
    rules = Access("127.0.0.1", 8080, TOKEN, lambda: now_s, 10.0, 2.0)
    answers = [rules.refusal(WRITE, is_asset=False) for _ in range(6)]
    assert [each and each[0] for each in answers] == [None, None, None, None, 429, 429]
    assert rules.refusal(READ, is_asset=False) is None
    now_s = 1.0
    answers = [rules.refusal(WRITE, is_asset=False) for _ in range(3)]
    assert [each and each[0] for each in answers] == [None, None, 429]


def test_many_clients_take_bounded_memory() -> None:
    rules = access()
    for number in range(5000):
        rules.refusal(replace(READ, client=str(number)), is_asset=False)
    assert len(rules._buckets) <= 1000


def test_addresses_of_loopback_are_recognised() -> None:
    assert [is_loopback(each) for each in ("127.8.8.8", "::1", "localhost")] == [True] * 3
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "example.org", "")))


@pytest.mark.parametrize("value", ["8080", 8080, "0", "0.0.0.0:8080", "[::1]:8080", "localhost:1"])
def test_addresses_to_listen_at_are_read(value: object) -> None:
    assert Config.read({}, {"query": "a", "dashboard": value}).dashboard == str(value)


@pytest.mark.parametrize(
    "value", ["x", "70000", ":8080", "example.org:80", "1.2.3.4", "::1:80", True]
)
def test_other_addresses_to_listen_at_are_refused(value: object) -> None:
    with pytest.raises(SettingError, match="dashboard"):
        Config.read({}, {"query": "a", "dashboard": value})


@pytest.mark.parametrize("value", ["short", "with space in it 123", "é" * 20])
def test_weak_tokens_are_refused(value: str) -> None:
    with pytest.raises(SettingError, match="dashboard_token"):
        Config.read({}, {"query": "a", "dashboard_token": value})
