"""Settings of Scrapy with which no crawl can work are refused."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings, default_settings

from evocrawl.adapter.settings_check import CHECKED, check_process, check_settings, scrapy_flag
from evocrawl.core.errors import SettingError


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
def test_an_impossible_setting_is_named(name: str, bad: object) -> None:
    """With its value and what is allowed.

    Scrapy alone waits for ever, or raises an error without the name.
    """
    with pytest.raises(SettingError) as caught:
        check_settings({name: bad})
    assert (caught.value.name, caught.value.value) == (name, bad)


NUMBERS = sorted(
    name
    for name, option in CHECKED.items()
    if option.allowed.startswith("a ") and "none" not in option.allowed
)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_value_that_is_not_a_number_is_refused_by_name(name: str) -> None:
    """For each setting that Scrapy reads as a number: text, empty, infinite, of the wrong type."""
    for bad in ("abc", "", " ", "nan", "inf", "-inf", float("nan"), float("inf"), None, [1],
                "1e999", True, "0x10"):  # fmt: skip
        with pytest.raises(SettingError, match=name):
            check_settings({name: bad})
    if "PRIORITY" not in name:
        with pytest.raises(SettingError, match=name):
            check_settings({name: -1})


@pytest.mark.parametrize(
    "name", sorted(n for n, o in CHECKED.items() if o.allowed == "true or false")
)
def test_a_boolean_has_a_form_that_scrapy_reads(name: str) -> None:
    for bad in ("abc", "", "yes", "nan", None, "1.5", []):
        with pytest.raises(SettingError, match=name):
            check_settings({name: bad})
    for good in (True, False, 0, 1, "0", "1", "True", "true", "False", "false"):
        check_settings({name: good})
        assert Settings({name: good}).getbool(name) is scrapy_flag(good)


def test_every_number_of_scrapy_is_checked() -> None:
    """A new number of a later Scrapy fails here until it is in the table."""
    elsewhere = ("FTP_", "MAIL_", "REMOTE_CONTROL_", "FEED_STORAGE_", "HTTP2_", "HTTPX_",
                 "PERIODIC_LOG_", "SCRAPY_")  # fmt: skip
    numbers = {
        name
        for name in dir(default_settings)
        if name.isupper() and isinstance(getattr(default_settings, name), int | float)
    }
    assert {each for each in numbers - CHECKED.keys() if not each.startswith(elsewhere)} == set()
    check_settings(Settings())


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("REQUEST_FINGERPRINTER_CLASS", "nope.X"), ("DUPEFILTER_CLASS", "X"),
        ("STATS_CLASS", ""), ("SCHEDULER", "scrapy.core.scheduler.Nope"), ("LOG_FORMATTER", 3),
        ("ITEM_PIPELINES", {"nope.X": 1}), ("ITEM_PIPELINES", {"scrapy.Item": "first"}),
        ("ITEM_PIPELINES", "[1]"), ("DOWNLOADER_MIDDLEWARES", {"scrapy.nope": 1}),
        ("EXTENSIONS", "{"), ("DOWNLOAD_HANDLERS", {"http": "nope.X"}), ("DOWNLOAD_HANDLERS", "x"),
        ("FEED_EXPORTERS", {"csv": "nope.X"}), ("RETRY_EXCEPTIONS", ["nope.X"]),
        ("DEFAULT_REQUEST_HEADERS", "a: b"), ("RETRY_HTTP_CODES", "500,many"),
        ("RETRY_HTTP_CODES", [5]), ("TWISTED_REACTOR", "nope.X"), ("LOG_LEVEL", "LOUD"),
        ("REFERRER_POLICY", "nope.X"), ("DOWNLOAD_DELAY_JITTER", 2), ("STATS_CLASS", "os.path"),
        ("FEEDS", {"x.jsonl": {}}), ("FEEDS", {"x.jsonl": {"format": "jsonlime"}}),
        ("FEEDS", {f"{__file__}/x.csv": {"format": "csv"}}), ("FEEDS", {"x.csv": "csv"}),
        ("FEEDS", {"/proc/x.csv": {"format": "csv"}}),
    ],
)  # fmt: skip
def test_a_class_that_cannot_be_imported_is_named(name: str, bad: object) -> None:
    """With its path, as a setting or as an entry of one."""
    with pytest.raises(SettingError, match=name):
        check_settings({name: bad})


@pytest.mark.parametrize(
    "good",
    [
        {"ITEM_PIPELINES": {"nope.X": None}}, {"TWISTED_REACTOR": None}, {"FEEDS": "{}"},
        {"HTTPCACHE_STORAGE": "nope.X"}, {"LOG_LEVEL": "WARNING"}, {"DEPTH_PRIORITY": -3},
        {"FEEDS": {"s3://bucket/x": {"format": "csv"}, "stdout:": {"format": "csv"}}},
        {"FEED_EXPORTERS": {"own": "scrapy.Item"},
         "FEEDS": {"none/%(name)s.own": {"format": "own"}}},
        {}, {"CONCURRENT_REQUESTS": "1", "DOWNLOAD_DELAY": "0.5"}, {"DOWNLOAD_TIMEOUT": 0},
        {"ROBOTSTXT_OBEY": "False", "RETRY_TIMES": 0}, {"DOWNLOAD_SLOTS": None},
        {"DOWNLOAD_SLOTS": '{"a.test": {"concurrency": 1, "delay": 2, "jitter": 0.5}}'},
        {"DOWNLOAD_SLOTS": {"a.test": {"randomize_delay": False}}},
    ],
)  # fmt: skip
def test_other_settings_are_not_changed(good: dict[str, object]) -> None:
    """Text from the command line, too."""
    settings = Settings(good)
    assert check_settings(settings) is settings


@pytest.mark.parametrize(
    ("name", "bad", "good"),
    [
        ("LOG_FILE", "/none/such/folder.log", "folder.log"),
        ("LOG_FILE", "/", ""),
        ("LOG_FORMAT", "%(nope)s", "%(asctime)s %(message)s"),
        ("LOG_FORMAT", "{message}", None),
        ("LOG_ENCODING", "nope", "utf-8"),
        ("SPIDER_MODULES", "nope.spiders", ["evocrawl.spiders"]),
        ("SPIDER_MODULES", ["evocrawl.nope"], "evocrawl.spiders"),
        ("SPIDER_MODULES", "..", ""),
    ],
)
def test_a_log_or_module_that_is_not_there_is_refused(name: str, bad: object, good: object) -> None:
    """Scrapy alone fails with a traceback, or logs one for each line."""
    with pytest.raises(SettingError, match=name):
        check_process({name: bad})
    check_process(Settings({name: good}))
