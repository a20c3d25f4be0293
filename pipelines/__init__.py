"""Scrapy item pipelines: relevance, energy and reward."""
