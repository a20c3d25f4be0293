"""Scrapy middlewares, one a file: politeness, guard, responses, browser, budget and links."""
