"""Opens pages in a browser, whose requests all go through the crawl's own downloader."""
