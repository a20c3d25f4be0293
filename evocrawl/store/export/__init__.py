"""Writes the pages of a crawl: JSON lines, CSV, Parquet, Markdown, datatrove, WARC, data sheets."""
