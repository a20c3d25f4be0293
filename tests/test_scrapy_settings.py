"""Scrapy's own settings are refused where a crawl would not get anywhere with them."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from evocrawl.errors import SettingError
from evocrawl.scrapy_settings import checked


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("CONCURRENT_REQUESTS", 0), ("CONCURRENT_REQUESTS", "-1"), ("CONCURRENT_REQUESTS", "many"),
        ("CONCURRENT_REQUESTS_PER_DOMAIN", 0), ("CONCURRENT_REQUESTS_PER_DOMAIN", "1.5"),
        ("DOWNLOAD_DELAY", -1), ("DOWNLOAD_DELAY", "nan"), ("DOWNLOAD_DELAY", "2s"),
        ("DOWNLOAD_TIMEOUT", "inf"), ("DOWNLOAD_TIMEOUT", None), ("RETRY_TIMES", -1),
        ("ROBOTSTXT_OBEY", "maybe"), ("DOWNLOAD_SLOTS", [1]), ("DOWNLOAD_SLOTS", "{"),
        ("DOWNLOAD_SLOTS", {"a.test": 3}), ("DOWNLOAD_SLOTS", {"a.test": {"concurrency": 0}}),
        ("DOWNLOAD_SLOTS", '{"a.test": {"delay": "x"}}'), ("DOWNLOAD_SLOTS", "[]x"),
    ],
)  # fmt: skip
def test_a_setting_that_makes_no_sense_is_named(name: str, bad: object) -> None:
    """With its value and what is allowed; Scrapy waits for ever, or raises without the name."""
    with pytest.raises(SettingError) as caught:
        checked({name: bad})
    assert (caught.value.name, caught.value.value) == (name, bad)


@pytest.mark.parametrize(
    "good",
    [
        {}, {"CONCURRENT_REQUESTS": "1", "DOWNLOAD_DELAY": "0.5"}, {"DOWNLOAD_TIMEOUT": 0},
        {"ROBOTSTXT_OBEY": "False", "RETRY_TIMES": 0}, {"DOWNLOAD_SLOTS": None},
        {"DOWNLOAD_SLOTS": '{"a.test": {"concurrency": 1, "delay": 2, "jitter": 0.5}}'},
        {"DOWNLOAD_SLOTS": {"a.test": {"randomize_delay": False}}},
    ],
)  # fmt: skip
def test_other_settings_are_taken_as_they_are(good: dict[str, object]) -> None:
    """Text of the command line, too."""
    settings = Settings(good)
    assert checked(settings) is settings
