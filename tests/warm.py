"""Loads once, in the server that `processes` forks, all that a crawl loads at its start.

Besides modules these are the list of public suffixes, the word list and vectors of the default
relevance model, and the metadata of the installed packages. The objects are frozen: the collector
of a fork does not visit them, so their memory stays shared.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import sys

import installed  # noqa: F401 - before all that asks for metadata
import scrapy.commands
from forked import run_program as run_program  # what the forks run

from evocrawl.core.config.config import Config
from evocrawl.core.model import Content
from evocrawl.core.urls.templates import domain_of
from evocrawl.relevance.registry import Wanted

_MODULES = [
    "scrapy.core.downloader.contextfactory",  # first: it inspects each frame of the call stack
    "aiohttp.web", "evocrawl.adapter.early_stop", "evocrawl.adapter.exporters",
    "evocrawl.adapter.extensions.stats", "evocrawl.adapter.scheduler", "evocrawl.addon",
    "evocrawl.middlewares.links",
    "evocrawl.middlewares.redirects", "evocrawl.pipelines.energy",
    "evocrawl.pipelines.relevance", "evocrawl.pipelines.reward", "evocrawl.relevance.tfidf",
    "evocrawl.spiders.evospider", "evocrawl.store.export.warc_folder",
    "evocrawl.store.journal.sqlite_journal", "numpy.ma", "platformdirs",
    "scrapy.cmdline", "scrapy.core.downloader.handlers.datauri",
    "scrapy.core.downloader.handlers.http11", "scrapy.core.engine", "scrapy.crawler",
    "scrapy.exporters", "scrapy.logformatter", "scrapy.statscollectors", "scrapy_poet.commands",
    *(f"scrapy.downloadermiddlewares.{name}" for name in (
        "defaultheaders", "downloadtimeout", "httpauth", "httpcache", "offsite", "stats",
        "useragent",
    )),
    *(f"scrapy.extensions.{name}" for name in (
        "closespider", "corestats", "logcount", "logstats", "memdebug", "memusage",
        "remote_control", "spiderstate", "telnet", "throttle",
    )),
    *(f"scrapy.spidermiddlewares.{name}" for name in ("depth", "metacopy", "start", "urllength")),
    *(f"scrapy.commands.{each.name}" for each in pkgutil.iter_modules(scrapy.commands.__path__)),
]  # fmt: skip

for _name in _MODULES:
    importlib.import_module(_name)
_model = Wanted.by(Config.read({}, {"query": "coral bleaching"})).make()
_model.page(Content("Coral", "Coral reefs bleach in warm water.", "en"))
_model.link("coral", "a reef of corals", "en")
domain_of("example.org")
assert "twisted.internet.reactor" not in sys.modules, "each fork installs a reactor of its own"
gc.collect()
gc.freeze()
