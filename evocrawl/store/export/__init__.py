"""Writes the pages of a crawl as JSON lines, CSV, Parquet or WARC."""
