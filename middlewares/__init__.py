"""Scrapy middlewares: robots.txt, back-off, guard, encoding, redirects, meter and links."""
