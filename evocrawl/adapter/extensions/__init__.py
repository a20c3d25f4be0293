"""Scrapy extensions: stats, progress, recorder and stalled callbacks."""
