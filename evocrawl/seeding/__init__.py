"""Sources of seeds: search engines, indexes, sitemaps, feeds, earlier crawls and lists."""
