"""Worlds to crawl: recorded, changing, delayed and synthetic webs."""
