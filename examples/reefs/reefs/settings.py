"""A Scrapy project as it was before, and the two lines that make it a focused crawl."""

BOT_NAME = "reefs"
SPIDER_MODULES = ["reefs.spiders"]
ITEM_PIPELINES = {"reefs.pipelines.Words": 300}
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 0.25

ADDONS = {"evocrawl.Addon": 300}
EVOCRAWL_QUERY = "coral bleaching"
