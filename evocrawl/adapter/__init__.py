"""The Scrapy side: context, scheduler, fetches, pages, items, requests and state of one crawl."""
