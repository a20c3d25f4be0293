"""Scrapy extensions: seeds, stats, progress, end, recorder, dashboard, opt-outs, stalled calls."""
