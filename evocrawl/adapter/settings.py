"""The settings of evocrawl's own project: `scrapy crawl evospider -a query="…"`.

They are polite: robots.txt is obeyed, each host gets one request at a time and one a second, and
the user agent names evocrawl. No console is opened. ``-s`` overrides any of them.
"""

from __future__ import annotations

import os

from evocrawl.adapter.early_stop import end_crawl_in_one_line

end_crawl_in_one_line()

from evocrawl import Addon  # noqa: E402 - takes a second, in which Ctrl-C may come

BOT_NAME = "evocrawl"
SPIDER_MODULES = ["evocrawl.spiders"]
NEWSPIDER_MODULE = "evocrawl.spiders"
ADDONS = {Addon: 300}

ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1
DOWNLOAD_TIMEOUT = 60
DOWNLOAD_MAXSIZE = 16 * 1024 * 1024
DOWNLOAD_WARNSIZE = 8 * 1024 * 1024
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
LOG_LEVEL = "INFO"
STATS_DUMP = False  # the end report has the important stats, the log at DEBUG has all
FEED_EXPORT_ENCODING = "utf-8"
FEED_EXPORTERS = {"csv": "evocrawl.adapter.exporters.SafeCsvItemExporter"}

if "EVOCRAWL_STORE" in os.environ:
    # The address of a Redis has its password in it, and arguments are seen by all users.
    EVOCRAWL_STORE = os.environ["EVOCRAWL_STORE"]
