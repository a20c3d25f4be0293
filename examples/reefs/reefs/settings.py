"""A Scrapy project as it was before, and what makes it a focused crawl."""

from evocrawl import Addon

BOT_NAME = "reefs"
SPIDER_MODULES = ["reefs.spiders"]
ITEM_PIPELINES = {"reefs.pipelines.Words": 300}
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 0.25

# The class, not its path: where evocrawl is missing, Scrapyd refuses the project at once.
ADDONS = {Addon: 300}
EVOCRAWL_QUERY = "coral bleaching"
