"""Impossible arguments end the crawl before the first request, with a message and a code."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from livecrawl import QUERY, ROOT, Crawl, page, site
from processes import start


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "query is ''"),
        ({"query": "the and of"}, "the"),
        (
            {"query": QUERY, "max_requests": "many"},
            "max_requests is 'many'; allowed: a whole number",
        ),
        ({"query": QUERY, "species": "dinosaur"}, "species is 'dinosaur'; allowed: "),
        (
            {"query": QUERY, "specie": "energy"},
            "evocrawl has no option specie; did you mean species?",
        ),
        ({"query": QUERY, "gain": "-1"}, "gain is '-1'; allowed: a number above 0"),
        ({"query": QUERY, "cost": "nan"}, "cost is 'nan'; allowed: a number from 0"),
        (
            {"query": QUERY, "lower_bound": 9, "upper_bound": 8},
            "lower_bound is 9; allowed: at most",
        ),
        ({"query": QUERY, "buffer": "no", "upper_bound": 9}, "buffer is False; allowed: true"),
        ({"query": QUERY, "seeds": "ftp://reef.test/"}, "seeds is 'ftp://reef.test/'; allowed: "),
        (
            {"query": QUERY, "allowed_domains": "http://reef.test/"},
            "allowed: domain names, such as",
        ),
        (
            {"query": QUERY, "relevance": "magic"},
            "relevance is 'magic'; allowed: ",
        ),
        ({"query": QUERY, "stats_file": "/none/such.json"}, "stats_file is '/none/such.json'; all"),
        ({"query": QUERY, "store": "/"}, "store is '/'; allowed: a file, and this is a folder"),
        ({"query": QUERY, "seed": "http://reef.test/"}, "did you mean seeds=http://reef.test/?"),
        ({"query": QUERY, "seeds": "www.reef.test"}, "did you mean https://www.reef.test?"),
        ({"query": QUERY, "maxrequests": 9}, "no option maxrequests; did you mean max_requests?"),
        ({"query": QUERY, "max_requests": "1,000"}, "did you mean 1000?"),
        ({"query": QUERY, "max_requests": -5}, "max_requests is '-5'; allowed: a whole number"),
        ({"query": QUERY, "store": ""}, "store is ''; allowed: a path"),
        ({"query": QUERY, "store": "redis:/host"}, "store is 'redis:/host'; allowed: a path, or"),
        ({"query": QUERY, "allowed_domains": "*.reef.test"}, "did you mean reef.test?"),
        ({"query": "coral " * 2000}, "search words, 10000 characters at most"),
        ({"query": QUERY, "store": "y" * 300}, "-lock: File name too long"),
        ({"query": QUERY, "store": "/dev/zero"}, "a file, and this is a pipe or a device"),
        ({"query": QUERY, "store": __file__}, "not a database; give the file of a crawl"),
        ({"query": QUERY, "species": "evo,random"}, "did you mean evo+random?"),
        ({"query": QUERY, "relevance": "tfidff"}, "did you mean tfidf?"),
        ({"query": QUERY, "record": "/proc/none/x.jsonl"}, "/x.jsonl'; allowed: a new file ("),
        ({"query": QUERY, "learnt": "none.npz"}, "none.npz"),
        (
            {"query": QUERY, "seeds": "file:none.txt"},
            "seeds is 'file:none.txt'; allowed: a file with an address a line, such as "
            "file:urls.txt; file:- for stdin (No such file or directory)",
        ),
    ],
)
def test_refused(serve, crawl: Crawl, arguments: dict[str, object], message: str) -> None:
    """R8: the message names the argument, the value and what is allowed."""
    proxy = serve({"reef.test": site({"/": page(text=QUERY)})})
    crawled = crawl(proxy, arguments={"seeds": "http://reef.test/", **arguments})
    assert message in crawled.log
    assert crawled.code == 2
    assert "Traceback" not in crawled.log
    assert proxy.log == []


def test_an_unknown_setting_is_refused(serve, crawl: Crawl) -> None:
    """An unknown setting with evocrawl's prefix is an error."""
    proxy = serve({"reef.test": site({"/": page(text=QUERY)})})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        settings={"EVOCRAWL_UPER_BOUND": 7},
    )
    message = "evocrawl has no option EVOCRAWL_UPER_BOUND; did you mean EVOCRAWL_UPPER_BOUND?"
    assert message in crawled.log
    assert crawled.code == 2
    assert proxy.log == []


@pytest.mark.parametrize(
    ("spider", "arguments", "settings", "message"),
    [
        ("evospidr", {}, {}, "SPIDER is 'evospidr'; allowed: evospider; did you mean evospider?"),
        ("evospider", {}, {"LOG_LEVEL": "LOUD"}, "LOG_LEVEL is 'LOUD'; allowed: DEBUG, "),
        ("evospider", {"crawler": "x"}, {}, "crawler is 'x'; allowed: a spider's argument"),
        ("evospider", {}, {"SPIDER_MODULES": "a.b"}, "SPIDER_MODULES is 'a.b'; allowed: modules"),
    ],
)
def test_mistakes_before_the_crawl_are_one_line(
    serve, crawl: Crawl, spider: str, arguments, settings, message: str
) -> None:
    """Scrapy raises an exception for them before it makes a crawler."""
    crawled = crawl(
        serve({}),
        command=("crawl", spider),
        arguments=arguments,
        settings=settings,
    )
    assert f"evocrawl: error: {message}" in crawled.log
    assert "Traceback" not in crawled.log
    assert crawled.code == 2


_SCRIPT = """
import sys
from scrapy.crawler import {process}
from scrapy.utils.project import get_project_settings

process = {process}(get_project_settings())
crawl = process.crawl("evospider", query="coral", maxrequests=5)
process.start()
error = crawl.exception() if hasattr(crawl, "exception") else crawl.result.value
print("CAUGHT", type(error).__name__, error.name, error)
"""


@pytest.mark.parametrize("process", ["AsyncCrawlerProcess", "CrawlerProcess"])
def test_a_script_gets_the_exception(process: str, tmp_path: Path) -> None:
    """The script can use the name of the option; the process does not end."""
    (tmp_path / "own_script.py").write_text(_SCRIPT.format(process=process))
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": path}
    out = tmp_path / "out"
    script = start("own_script", [], cwd=ROOT, environment=environment, output=out)
    try:
        assert script.wait(240) == 0
    finally:
        script.kill()
    message = "evocrawl has no option maxrequests; did you mean max_requests?"
    assert f"CAUGHT UnknownOptionError maxrequests {message}" in out.read_text()


def test_a_feed_that_is_a_folder_is_refused(serve, crawl: Crawl, tmp_path: Path) -> None:
    """Stock Scrapy logs a traceback and crawls without the feed."""
    crawled = crawl(
        serve({}),
        arguments={"query": QUERY, "seeds": "http://reef.test/"},
        settings={"FEEDS": {str(tmp_path): {"format": "jsonl"}}},
    )
    assert "a file, and this is a folder" in crawled.log
    assert crawled.code == 2


def test_a_mistake_is_one_error_of_the_log_under_each_kind_of_process(serve, crawl: Crawl) -> None:
    """Nothing handles the Deferred of a CrawlerProcess: Twisted prints its traceback and logs it.

    Also for a port that is taken, and for a spider without its add-on.
    """
    proxy = serve({})
    taken = proxy.url.rpartition(":")[2].strip("/")
    for arguments, settings, message in (
        ({"species": "unicorn"}, {}, "species is 'unicorn'; allowed: "),
        ({"seeds": "file:none"}, {"FORCE_CRAWLER_PROCESS": True}, "(No such file or directory)"),
        ({"dashboard": taken}, {"FORCE_CRAWLER_PROCESS": True}, "allowed: a free port ("),
        ({}, {"ADDONS": {}}, "ADDONS is {}; allowed: evocrawl.Addon"),
        ({"trusted_handlers": "x"}, {}, "EVOCRAWL_TRUSTED_HANDLERS is 'x'; allowed: a class that"),
    ):
        given = {"query": QUERY, "seeds": "http://reef.test/", **arguments}
        crawled = crawl(proxy, arguments=given, settings=settings)
        assert crawled.code == 2
        bad = [each for each in crawled.log.splitlines() if re.search("ERROR|CRITI|rror in", each)]
        assert len(bad) == 1
        assert message in bad[0]
        assert "Traceback" not in crawled.log


def test_an_argument_takes_precedence_over_a_setting_in_a_crawl(serve, crawl: Crawl) -> None:
    """Both ways work; -a has precedence."""
    proxy = serve({"reef.test": site({"/": page(text=QUERY)})})
    crawled = crawl(
        proxy,
        arguments={"max_requests": 2},
        settings={
            "EVOCRAWL_QUERY": QUERY,
            "EVOCRAWL_SEEDS": "http://reef.test/",
            "EVOCRAWL_MAX_REQUESTS": 1,
        },
    )
    assert [each["url"] for each in crawled.pages] == ["http://reef.test/"]


def test_seeds_are_made_from_the_query(serve, crawl: Crawl) -> None:
    """Without seeds the templates give the first addresses."""
    proxy = serve({"wiki.test": site({"/wiki/Coral_bleaching": page(text=QUERY)})})
    crawled = crawl(
        proxy,
        arguments={"query": QUERY},
        settings={"EVOCRAWL_SEED_TEMPLATES": "http://wiki.test/wiki/{title}"},
    )
    assert [each["url"] for each in crawled.pages] == ["http://wiki.test/wiki/Coral_bleaching"]
